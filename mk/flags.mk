# With what a source is compiled, and what is linked how.

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 \
            -Wimplicit-fallthrough -Wvla -Wpointer-arith -Werror=format-security \
            $(if $(WERROR),-Werror)
# No contraction to fused multiply-add: the same bits on every machine. asserts stay in every build.
LANGUAGE := -std=c17 -ffp-contract=off -MMD -MP
ifeq ($(SAN),)
SAFETY := $(HARDEN_CFLAGS)
LINK_SAFETY := $(HARDEN_LDFLAGS)
else
# Hardening hides faults from the sanitizers; and they keep loops from being vectorised. The same objects
# serve to fuzz: what libFuzzer counts is counted in the program, not in its tests.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
SAFETY := -DSANITIZED $(SANITIZERS) -fno-omit-frame-pointer -Wno-pass-failed
LINK_SAFETY := -fsanitize=address,undefined
endif
# Suites are many lines that run once, and a test's macros cost a compiler that thinks most of its time.
TEST_SAFETY := $(if $(SAN),$(SAFETY),$(filter -fPIE,$(SAFETY)))
SPENT = $(if $(filter test_%,$(notdir $<)),-O0 $(TEST_SAFETY),\
          $(OPT) $(SAFETY) $(if $(SAN),$(if $(filter tests/%,$<),,-fsanitize=fuzzer-no-link)))
# Each room sees its own headers, by their path in it, and the public headers (ringsim*.h) of the rooms
# that it may include, by their name; sim/ and nccl/ get no POSIX names, and neither does what is pure in viz/.
faces = $(addprefix -I,$(sort $1 $(patsubst %/,%,$(dir $(shell find $1 -name 'ringsim*.h')))))
SIM_FACES := $(call faces,sim)
NCCL_FACES := $(SIM_FACES) $(call faces,nccl)
VIZ_FACES := $(SIM_FACES) $(call faces,viz)
GPU_FACES := $(SIM_FACES) $(call faces,gpu)
ALL_FACES := $(NCCL_FACES) $(call faces,viz gpu) -Icli
ROOM_sim := $(SIM_FACES)
ROOM_nccl := $(NCCL_FACES)
ROOM_viz := -D_XOPEN_SOURCE=700 $(VIZ_FACES)
ROOM_viz_scene := $(VIZ_FACES)
ROOM_viz_stage := $(VIZ_FACES)
ROOM_viz_panels := $(VIZ_FACES)
ROOM_viz_story := $(NCCL_FACES) $(call faces,viz)
ROOM_viz_canvas := -fPIC -D_XOPEN_SOURCE=700 $(VIZ_FACES) $(PANGO_CFLAGS)
ROOM_viz_window := -fPIC -D_XOPEN_SOURCE=700 $(VIZ_FACES) $(PANGO_CFLAGS) $(SDL_CFLAGS)
ROOM_gpu := -D_XOPEN_SOURCE=700 $(GPU_FACES)
ROOM_gpu_mpi := -fPIC -D_XOPEN_SOURCE=700 $(GPU_FACES) $(MPI_CFLAGS)
ROOM_gpu_cuda := -D_XOPEN_SOURCE=700 $(GPU_FACES) $(CUDA_CFLAGS)
ROOM_gpu_nccl := -D_XOPEN_SOURCE=700 $(GPU_FACES) $(NCCL_CFLAGS) $(CUDA_CFLAGS)
ROOM_cli := -D_XOPEN_SOURCE=700 $(ALL_FACES) -pthread
ROOM_tests := -D_GNU_SOURCE $(ALL_FACES) -Itests $(CRITERION_CFLAGS) $(CJSON_CFLAGS) $(PANGO_CFLAGS) $(SDL_CFLAGS) -pthread
# What a source is compiled with: as its folder in the room says, or else the room; who asks sees the libraries.
folders = $(subst /, ,$(dir $1))
room = $(or $(ROOM_$(word 1,$(folders))_$(word 2,$(folders))),$(ROOM_$(word 1,$(folders))))
LIBRARY_CFLAGS = $(filter-out -D_XOPEN_SOURCE% -D_DEFAULT_SOURCE%,$(CURSES_CFLAGS)) $(MD4C_CFLAGS) $(EXPAT_CFLAGS) $(ZLIB_CFLAGS) $(SECCOMP_CFLAGS)
COMPILE = $(CC) $(LANGUAGE) $(SPENT) $(if $(SAN),-gline-tables-only,-g) $(WARNINGS) $(call room,$<) \
          $(if $(filter $(ASKING),$<),-I$(or $(CONFIG),$(B)) $(LIBRARY_CFLAGS)) $(EMULATION) $(CPPFLAGS) $(CFLAGS)
# -fmad=false: the same bits as on the processor. Nothing of C++'s library is needed in the link.
COMPILE_CU = $(NVCC) $(NVCC_FLAGS) $(NVCC_CODE_$(GPUS)) -std=c++17 -O3 -fmad=false -Wno-deprecated-gpu-targets \
             -Xcompiler -O2,-fno-exceptions,-fno-threadsafe-statics \
             -Xcompiler -fno-rtti,-fPIE,-Wall,-Wextra $(GPU_FACES)
LINK = $(CC) $(OPT) -g $(SAFETY) $(LINK_SAFETY) $(CFLAGS) $(LDFLAGS)
LIBRARIES = $(CURSES_LIBS) $(MD4C_LIBS) $(EXPAT_LIBS) $(ZLIB_LIBS) $(SECCOMP_LIBS) $(if $(CUDA_PART),$(CUDA_LIBS)) -pthread -lm
GUI_LIBRARIES = $(SDL_LIBS) $(PANGO_LIBS)
# The modules take the rest of sim/, viz/ and gpu/ from the program, which therefore holds all of it
# and shows its names; what the linker must know of a program is wrong for a module.
SHOWN_LIBS = $(if $(strip $(MODULES_BUILT)),-Wl$(comma)--export-dynamic -Wl$(comma)--whole-archive \
               $(VIZ_LIB) $(GPU_LIB) $(SIM_LIB) -Wl$(comma)--no-whole-archive $(NCCL_LIB),$(VIZ_LIB) $(GPU_LIB) $(NCCL_LIB) $(SIM_LIB))
LINK_MODULE = $(CC) -shared $(OPT) -g $(SAFETY) \
              $(filter-out -pie -Wl$(comma)-z$(comma)nodlopen,$(LINK_SAFETY)) $(CFLAGS) $(LDFLAGS)
