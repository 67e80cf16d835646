# The first hour on a GPU (tests/hour/README.md): its small programs, for a real GPU and for the emulated one,
# and the kernels once more with other numbers of loads in flight.

ROOM_tests_hour = $(ROOM_tests_bench)
tests: $(if $(DEVICE_PROGRAM),$(addprefix $(B)/device/,bench_4 gpu_facts try_stop))
$(KERNELS)/loads_%.o: gpu/cuda/kernels.cu $(KERNELS)/flags
	@mkdir -p $(@D)
	$(call said,nvcc $< ($* loads in flight))
	$(Q)$(COMPILE_CU) -DRG_IN_FLIGHT=$* --threads $(JOBS) -c $< -o $@.new && mv $@.new $@
$(B)/device/loads_%.o: gpu/cuda/kernels.cu $(B)/flags
	@mkdir -p $(@D)
	$(call said,$(notdir $(CXX)) $< ($* loads in flight$(comma) emulated device))
	$(Q)$(COMPILE_CXX) -DRG_IN_FLIGHT=$* -c $< -o $@
HOUR_LINK = $(Q)$(LINK) $(filter %.o,$^) $(filter $(HELP_LIB),$^)
$(B)/hour/gpu_facts $(B)/hour/try_stop: $(B)/hour/%: $(B)/tests/hour/%.o $(GPU_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(HOUR_LINK) $(GPU_LIB) $(SIM_LIB) $(LIBRARIES) -o $@
$(B)/hour/bench_%: $(B)/tests/bench/bench_gpu.o $(KERNELS)/loads_%.o $(HELP_LIB) $(GPU_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(HOUR_LINK) $(GPU_LIB) $(SIM_LIB) $(LIBRARIES) -o $@
$(B)/device/gpu_facts $(B)/device/try_stop: $(B)/device/%: $(B)/device/tests/hour/%.o $(DEVICE_LIBS) $(SIM_LIB)
	$(HOUR_LINK) $(DEVICE_LIBS) $(SIM_LIB) $(DEVICE_LIBRARIES) -o $@
$(B)/device/bench_%: $(B)/device/tests/bench/bench_gpu.o $(B)/device/loads_%.o $(HELP_LIB) $(DEVICE_LIBS) $(SIM_LIB)
	$(HOUR_LINK) $(DEVICE_LIBS) $(SIM_LIB) $(DEVICE_LIBRARIES) -o $@
# Those with 4 loads have the program's own kernels.
$(KERNELS)/loads_4.o: $(KERNELS)/gpu/cuda/kernels.o
	$(Q)cp $< $@
$(B)/device/loads_4.o: $(B)/device/gpu/cuda/kernels.o
	$(Q)cp $< $@
HOUR_LOADS := 2 4 8
HOUR_SCRIPTS := tests/hour/hour tests/hour/README.md
$(B)/first-hour: $(PROGRAM) $(HOUR_LOADS:%=$(B)/hour/bench_%) $(B)/hour/gpu_facts $(B)/hour/try_stop $(HOUR_SCRIPTS)
$(B)/first-hour-emulated: $(DEVICE_PROGRAM) $(HOUR_LOADS:%=$(B)/device/bench_%) $(B)/device/gpu_facts $(B)/device/try_stop $(HOUR_SCRIPTS)
$(B)/first-hour $(B)/first-hour-emulated:
	@rm -rf $@ && mkdir -p $@ && cp $^ $@

# Built without whatever a bare machine lacks: window, terminal, JSON, translations, MPI.
.PHONY: first-hour gpu-report
HOUR_BUILD = $(BUILD) GPUS=all $(if $(DEVICE),B=build/bare-emulated CUDA=0 NCCL=0,B=build/bare CUDA=1) SHARE=build SDL=0 CURSES=0 \
               MD4C=0 EXPAT=0 ZLIB=0 SECCOMP=0 GETTEXT=0 MPI=0
first-hour: ## a folder for a machine with a GPU and a driver: build/first-hour; DEVICE=emulated: for none
	@$(HOUR_BUILD) build/bare$(if $(DEVICE),-emulated)/first-hour$(if $(DEVICE),-emulated)
	@rm -rf build/first-hour$(if $(DEVICE),-emulated)
	@mv build/bare$(if $(DEVICE),-emulated/first-hour-emulated,/first-hour) build/
	@du -sh build/first-hour$(if $(DEVICE),-emulated)

gpu-report: ## what the hour's report says, as docs/verify's table: REPORT=FILE...
	@tests/hour/gpu-report $(REPORT)
