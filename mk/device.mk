# The emulated device: the GPU's code once more, with tests/fake_cuda/ in place of CUDA's runtime, into
# $(B)/device/, by any C++ compiler, on machines without a GPU too; and its NCCL, tests/fake_nccl/.
#
#   build/device/ringsim   the whole program on it: gpu/ whole, and of cli/ what knows of GPUs

emulated = $(patsubst %,$(B)/device/%.o,$(basename $1))
ifeq ($(HAVE_CXX),1)
EMULATOR := $(call objects,$(call below,tests/fake_cuda))
DEVICE_GPU := $(call emulated,$(filter-out $(IN_MPI),$(call below,gpu)))
DEVICE_CLI := $(call emulated,$(shell grep -lE 'HAVE_(CUDA|NCCL)' $(call below,cli)))
DEVICE_NCCL := $(if $(call below,tests/fake_nccl),$(B)/device/libnccl.so.2)
DEVICE_LIBS := $(B)/device/libringsim_gpu.a $(B)/device/libemulator.a
DEVICE_PROGRAM := $(B)/device/ringsim $(DEVICE_NCCL)
endif
ifneq ($(origin CONFIG_OF),undefined)
$(call stamp,$(B)/device/objects,'$(strip $(EMULATOR) $(DEVICE_GPU) $(DEVICE_CLI))')
$(call stamp,$(B)/device/config.h,$(call config,$(sort $(OFFERED) CUDA $(if $(IN_NCCL),NCCL)),$(PREFIX)))
endif

# Its headers stand where CUDA's and NCCL's are for the program.
EMULATED := -Itests/fake_cuda -Itests/fake_cuda/include -Itests/fake_nccl
ROOM_tests_fake_cuda := -fPIC -D_GNU_SOURCE -Itests/fake_cuda/include
ROOM_tests_fake_nccl := -fPIC -D_GNU_SOURCE $(SIM_FACES) -Itests/fake_cuda/include
COMPILE_CXX = $(CXX) -std=c++17 -ffp-contract=off -MMD -MP -O2 -g -Wall -Wextra -Wshadow $(if $(WERROR),-Werror) \
              -fno-exceptions -fno-rtti -fno-threadsafe-statics -fPIE -fno-omit-frame-pointer $(CXX_SAFETY) \
              -x c++ -include tests/fake_cuda/include/shim.h $(GPU_FACES) -Itests/fake_cuda/include
$(B)/device/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call said,$(notdir $(CC)) $< (emulated device))
	$(Q)$(COMPILE) -c $< -o $@
$(B)/device/%.o $(B)/tests/gpu/device/%.o: EMULATION = $(EMULATED)
$(B)/device/%.o $(B)/tests/gpu/device/%.o: CONFIG = $(B)/device
$(B)/device/%.o: %.cu $(B)/flags
	@mkdir -p $(@D)
	$(call said,$(notdir $(CXX)) $< (emulated device))
	$(Q)$(COMPILE_CXX) -c $< -o $@

$(B)/device/libringsim_gpu.a: $(DEVICE_GPU) $(B)/device/objects
	$(archive)
$(B)/device/libemulator.a: $(EMULATOR) $(B)/device/objects
	$(archive)
# Its NCCL is loaded while it runs, and asks the device back. It lies beside the program, or beside its
# suites': not a real one, which would ask a real device.
DEVICE_LINK = -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../device' -Wl,--export-dynamic -Wl,--whole-archive $(DEVICE_LIBS) -Wl,--no-whole-archive
DEVICE_LIBRARIES = $(filter-out $(CUDA_LIBS),$(LIBRARIES)) -ldl
$(B)/device/ringsim: $(B)/cli/main.o $(DEVICE_CLI) $(CLI_LIB) $(VIZ_LIB) $(NCCL_LIB) $(SIM_LIB) $(DEVICE_LIBS) $(B)/links
	$(call said,link $@)
	$(Q)$(LINK) $(B)/cli/main.o $(DEVICE_CLI) $(CLI_LIB) $(VIZ_LIB) $(DEVICE_LINK) $(NCCL_LIB) $(SIM_LIB) $(DEVICE_LIBRARIES) -o $@
$(B)/device/libnccl.so.2: $(call objects,$(call below,tests/fake_nccl)) $(B)/links
	@mkdir -p $(@D)
	$(call said,link $@)
	$(Q)$(LINK_MODULE) $(filter %.o,$^) -lm -o $@

# The first half of nvcc's work alone gives the PTX, which tests read, and the warnings.
PTX := $(if $(SAN),,$(patsubst $(KERNELS)/%.o,$(B)/%.ptx,$(filter $(KERNELS)/gpu/%,$(CUDA_PART))))
$(B)/%.ptx: %.cu $(KERNELS)/%.o $(B)/flags
	@mkdir -p $(@D)
	$(call said,nvcc --ptx $<)
	$(Q)$(filter-out -gencode%,$(COMPILE_CU)) $(if $(WERROR),-Werror all-warnings) --ptx $< -o $@
