# Makefile of ringsim. `make help` lists the targets; everything built goes into build/, but for the
# program itself, ./ringsim.
#
#   - Adding a file or a folder needs no edit here: the sources of sim/, viz/, gpu/ and cli/ are found
#     wherever they lie in their room, and so are the tests: test_*.c, cmd/*.sh, fuzz_*.c, bench_*.c.
#     Only what needs a library of its own is named below, as a folder: viz/canvas/, viz/window/,
#     gpu/cuda/, gpu/nccl/, gpu/mpi/, and in tests/ viz/canvas/, gpu/device/, hour/ and the emulated device.
#   - canvas and window become a module, ringsim-window.so, which the program loads when it opens a
#     window or draws a picture: who only counts does not wait for SDL2 and pango. gpu/mpi/ is
#     another, ringsim-mpi.so, which only the ranks of a real run load. CUDA's runtime is linked
#     statically, and NCCL loaded where a run asks for it: the program starts without either.
#   - The GPU's code is built once more for the tests, with tests/fake_cuda/, an emulated CUDA runtime,
#     in place of the real one: into $(B)/device/, by any C++ compiler, on machines without a GPU too.
#   - What the machine offers is detected once (tests/tools/detect) and kept in build/config.mk;
#     while something is missing, the next make looks again.
#   - Another build beside the usual one: `make B=build/other CC=clang SAN=address all`. It has its
#     own configuration, its program is build/other/ringsim, and it never touches ./ringsim.
#
#   CC=clang          another compiler             CURSES=0 CJSON=0 GETTEXT=0  do without a library
#   OPT=-O0           another optimisation level   MD4C=0 EXPAT=0 ZLIB=0 CUDA=0 NCCL=0 MPI=0 SDL=0  (=1: insist)
#   WERROR=1          warnings are errors          SAN=address | fuzzer        sanitizers (clang)
#   V=1               show the commands            APT=0                       never install anything

VERSION := 0.2.0
B ?= build
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 600
ifeq ($(origin CC),default)
CC := cc
endif
JOBS := $(or $(JOBS),$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
Q := $(if $(V),,@)
# tests/tools/profile takes the time of each recipe.
ifneq ($(PROFILE),)
SHELL := $(CURDIR)/tests/tools/profile
endif
export APT JOBS

# What `make check` runs, the quick ones first.
CHECKS := format text scripts headers po rooms warnings sanitizers switches fuzz packages browsers

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# These goals run other makes, or build nothing: they must work without a compiler.
RUNNERS := help demo test page check check-% fuzz docs layers po clean uninstall handout gradescope workflow \
           first-hour gpu-report deb dist monkey-browsers bench-page

.PHONY: FORCE all tests run-tests mutants wrong-answers benches bench bench-fidelity bench-gpu fuzzers install first-hour gpu-report \
        $(filter-out check-%,$(RUNNERS)) $(CHECKS:%=check-%)

# ---------------------------------------------------------------------------- what is built of what

PROGRAM := $(if $(filter build,$(B)),ringsim,$(B)/ringsim)
SOURCES := $(sort $(shell find sim viz gpu cli tests -name submissions -prune -o -name '*.c' -print -o -name '*.cu' -print))
# The sources below these folders; their objects; those for the emulated device.
below = $(filter $(1:%=%/%),$(SOURCES))
objects = $(patsubst %.c,$(B)/%.o,$(filter %.c,$1))
emulated = $(patsubst %,$(B)/device/%.o,$(basename $1))
# Those of some sources whose file name begins so: $(call named,test_,SOURCES).
named = $(foreach f,$2,$(if $(filter $1%,$(notdir $f)),$f))
IN_WINDOW := $(call below,viz/canvas viz/window)
IN_PAGE := $(call below,viz/web cli/web)
IN_CUDA := $(call below,gpu/cuda)
IN_NCCL := $(call below,gpu/nccl)
IN_MPI := $(call below,gpu/mpi)
IN_TESTS := $(filter-out $(call below,tests/fake_cuda tests/fake_nccl),$(call below,tests))
SIM := $(call objects,$(call below,sim))
VIZ := $(call objects,$(filter-out $(IN_WINDOW) $(IN_PAGE),$(call below,viz)))
CLI := $(call objects,$(filter-out $(IN_PAGE),$(call below,cli)))
ALL_TESTS := $(patsubst %.c,$(B)/%,$(call named,test_,$(IN_TESTS)))
ALL_BENCHES := $(patsubst %.c,$(B)/%,$(call named,bench_,$(IN_TESTS)))
FUZZERS := $(patsubst %.c,$(B)/%,$(call named,fuzz_,$(IN_TESTS)))
CATALOGUES := $(patsubst assets/po/%.po,$(B)/locale/%/LC_MESSAGES/ringsim.mo,$(wildcard assets/po/*.po))

# ------------------------------------------------------------------------------ what the machine has

ifneq ($(filter-out $(RUNNERS),$(or $(MAKECMDGOALS),all)),)
ifeq ($(filter-out all,$(MAKECMDGOALS)),)
MAKEFLAGS := $(MAKEFLAGS) $(PARALLEL)
endif
# The switches that the finding depends on; detect writes them back as CONFIG_OF.
SWITCHES := SAN=$(SAN) $(foreach s,CURSES CJSON MD4C EXPAT ZLIB GETTEXT CUDA NCCL MPI SDL NVCC,$s=$($s))
WANTED := $(strip CC=$(CC) $(SWITCHES))
NVCCS = $(shell command -v nvcc $(wildcard $(CUDA_HOME)/bin/nvcc /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc))
include $(B)/config.mk
ifneq ($(CONFIG_OF)$(MISSING)$(if $(NO_NVCC),$(NVCCS)),$(WANTED))
$(B)/config.mk: FORCE
endif
$(B)/config.mk: tests/tools/detect
	@tests/tools/detect $(B) 'CC=$(CC)' $(SWITCHES)

endif

# The window and its pictures, and what tries them, only where their libraries are.
GUI := $(if $(filter 1,$(HAVE_SDL)),$(call objects,$(IN_WINDOW)))
CUDA_PART := $(if $(filter 1,$(HAVE_CUDA)),$(call objects,$(IN_CUDA)) \
               $(patsubst %.cu,build/cuda/%.o,$(filter %.cu,$(IN_CUDA))))
NCCL_PART := $(if $(filter 1,$(HAVE_NCCL)),$(call objects,$(IN_NCCL)))
GPU := $(call objects,$(filter-out $(IN_CUDA) $(IN_NCCL) $(IN_MPI),$(call below,gpu))) $(CUDA_PART) $(NCCL_PART)
MPI_PART := $(if $(filter 1,$(HAVE_MPI)),$(call objects,$(IN_MPI)))
NEED_WINDOW := $(if $(GUI),,$(B)/tests/viz/canvas/% $(B)/tests/viz/window/% $(B)/tests/bench/bench_frame%)
NEED_CXX := $(if $(filter 1,$(HAVE_CXX)),,$(B)/tests/gpu/device/%)
TESTS := $(filter-out $(NEED_WINDOW) $(NEED_CXX),$(ALL_TESTS))
BENCHES := $(filter-out $(NEED_WINDOW),$(ALL_BENCHES))
# What drives a real window, or the one inside a process: plain programs, run by command tests.
DRIVERS := $(if $(GUI),$(patsubst %.c,$(B)/%,$(call below,tests/window)))
# What test programs share: every other C file beside them.
HELPERS := $(filter-out $(B)/tests/window/% $(B)/tests/web/% $(B)/tests/hour/% $(B)/tests/gpu/device/% $(NEED_WINDOW) $(ALL_TESTS:%=%.o) \
             $(ALL_BENCHES:%=%.o) $(FUZZERS:%=%.o),$(call objects,$(IN_TESTS)))
# The libraries in link order, each only once it has sources. The program without its main() is one
# too: tests, benchmarks and fuzz targets link what they need of it.
SIM_LIB := $(B)/libringsim.a
VIZ_LIB := $(if $(VIZ),$(B)/libringsim_viz.a)
CLI_LIB := $(if $(CLI),$(B)/libringsim_cli.a)
HELP_LIB := $(if $(HELPERS),$(B)/libtests.a)
GPU_LIB := $(B)/libringsim_gpu.a
# The emulated device, and what is built for it: gpu/ whole, and of cli/ what knows of GPUs.
ifeq ($(HAVE_CXX),1)
EMULATOR := $(call objects,$(call below,tests/fake_cuda))
DEVICE_GPU := $(call emulated,$(filter-out $(IN_MPI),$(call below,gpu)))
DEVICE_CLI := $(call emulated,$(shell grep -lE 'HAVE_(CUDA|NCCL)' $(call below,cli)))
DEVICE_NCCL := $(if $(call below,tests/fake_nccl),$(B)/device/libnccl.so.2)
DEVICE_LIBS := $(B)/device/libringsim_gpu.a $(B)/device/libemulator.a
DEVICE_PROGRAM := $(B)/device/ringsim $(DEVICE_NCCL)
DEVICE_TESTS := $(filter $(B)/tests/gpu/device/%,$(TESTS))
HOUR_PROGRAMS := bench_4 gpu_facts try_stop
# What those tests share.
DEVICE_HELP := $(filter-out $(DEVICE_TESTS:%=%.o),$(call objects,$(call below,tests/gpu/device)))
endif
LIBS := $(CLI_LIB) $(VIZ_LIB) $(GPU_LIB) $(SIM_LIB)
GUI_LIB := $(if $(GUI),$(B)/libringsim_gui.a)
MODULES_BUILT := $(if $(GUI),$(B)/ringsim-window.so) $(if $(MPI_PART),$(B)/ringsim-mpi.so)

ifneq ($(origin CONFIG_OF),undefined)
# Writes text to a file if it holds another one: what depends on it is then made again.
stamp = $(shell mkdir -p $(dir $1) && printf '%s' '$2' | cmp -s - $1 || printf '%s' '$2' > $1)
$(call stamp,$(B)/flags,$(VERSION) $(PREFIX) $(CC) $(OPT) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(WERROR) $(SAN) $(FOUND))
$(if $(CUDA_PART),$(call stamp,build/cuda/flags,$(NVCC) $(NVCC_FLAGS)))
$(call stamp,$(B)/sources,$(SIM) $(VIZ) $(GUI) $(GPU) $(MPI_PART) $(CLI) $(HELPERS) $(EMULATOR) $(DEVICE_GPU) $(DEVICE_CLI))
-include $(shell find build/cuda $(addprefix $(B)/,sim viz gpu cli tests device page) -name '*.d' 2>/dev/null)
endif

# ---------------------------------------------------------------------------------------- the flags

OPT ?= -O2
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 \
            -Wimplicit-fallthrough -Wvla -Wpointer-arith -Werror=format-security \
            $(if $(WERROR),-Werror)
# No contraction to fused multiply-add: the same bits on every machine. asserts stay in every build.
LANGUAGE := -std=c17 -ffp-contract=off -MMD -MP
ifeq ($(SAN),)
SAFETY := $(HARDEN_CFLAGS)
LINK_SAFETY := $(HARDEN_LDFLAGS)
# Hardening hides faults from the sanitizers; and they keep loops from being vectorised.
else
SAFETY := -DSANITIZED -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer \
          $(if $(filter fuzzer,$(SAN)),-fsanitize=fuzzer-no-link) -Wno-pass-failed
LINK_SAFETY := -fsanitize=address,undefined
endif
# Each room sees its own headers, by their path in it, and the public headers (ringsim*.h) of the rooms
# that it may include, by their name; sim/ gets no POSIX names, and neither does what is pure in viz/.
faces = $(addprefix -I,$(sort $1 $(patsubst %/,%,$(dir $(shell find $1 -name 'ringsim*.h')))))
SIM_FACES := $(call faces,sim)
VIZ_FACES := $(SIM_FACES) $(call faces,viz)
GPU_FACES := $(SIM_FACES) $(call faces,gpu)
ALL_FACES := $(VIZ_FACES) $(call faces,gpu) -Icli
ROOM_sim := $(SIM_FACES)
ROOM_viz := -D_GNU_SOURCE $(VIZ_FACES) $(CURSES_CFLAGS) $(MD4C_CFLAGS)
ROOM_viz_scene := $(VIZ_FACES)
ROOM_viz_stage := $(VIZ_FACES)
ROOM_viz_panels := $(VIZ_FACES)
ROOM_viz_story := $(VIZ_FACES)
ROOM_viz_canvas := -fPIC -D_GNU_SOURCE $(VIZ_FACES) $(PANGO_CFLAGS)
ROOM_viz_window := -fPIC -D_GNU_SOURCE $(VIZ_FACES) $(PANGO_CFLAGS) $(SDL_CFLAGS)
ROOM_gpu := -D_GNU_SOURCE $(GPU_FACES)
ROOM_gpu_mpi := -fPIC -D_GNU_SOURCE $(GPU_FACES) $(MPI_CFLAGS)
ROOM_gpu_cuda := -D_GNU_SOURCE $(GPU_FACES) $(CUDA_CFLAGS)
ROOM_gpu_nccl := -D_GNU_SOURCE $(GPU_FACES) $(NCCL_CFLAGS) $(CUDA_CFLAGS)
ROOM_cli := -D_GNU_SOURCE $(ALL_FACES) $(CJSON_CFLAGS) $(EXPAT_CFLAGS) $(ZLIB_CFLAGS) -pthread
ROOM_tests := -D_GNU_SOURCE $(ALL_FACES) -Itests \
              $(CJSON_CFLAGS) $(ZLIB_CFLAGS) $(CRITERION_CFLAGS) $(PANGO_CFLAGS) $(SDL_CFLAGS) -pthread
ROOM_tests_bench := $(ROOM_tests) $(CUDA_CFLAGS)
ROOM_tests_hour := $(ROOM_tests_bench)
# The emulated device's headers stand where CUDA's and NCCL's are for the program.
EMULATED := -Itests/fake_cuda -Itests/fake_cuda/include -Itests/fake_nccl -DHAVE_CUDA=1 $(if $(IN_NCCL),-DHAVE_NCCL=1)
ROOM_tests_fake_cuda := -fPIC -D_GNU_SOURCE -Itests/fake_cuda/include
ROOM_tests_fake_nccl := -fPIC -D_GNU_SOURCE $(SIM_FACES) -Itests/fake_cuda/include
DEFINES := -DRINGSIM_VERSION='"$(VERSION)"' -DRINGSIM_LOCALEDIR='"$(PREFIX)/share/locale"' \
           -DRINGSIM_MODULEDIR='"$(PREFIX)/lib/ringsim"' -DRINGSIM_LESSONDIR='"$(PREFIX)/share/ringsim/lessons"' \
           -DRINGSIM_ASSETDIR='"$(PREFIX)/share/ringsim/assets"' \
           $(if $(GUI),-DHAVE_SDL=1) $(if $(MPI_PART),-DHAVE_MPI=1) \
           $(if $(CUDA_PART),-DHAVE_CUDA=1) $(if $(NCCL_PART),-DHAVE_NCCL=1) \
           $(foreach s,CURSES CJSON MD4C EXPAT ZLIB GETTEXT,$(if $(filter 1,$(HAVE_$s)),-DHAVE_$s=1))
# What a source is compiled with: as its folder in the room says, or else the room.
folders = $(subst /, ,$(dir $1))
room = $(or $(ROOM_$(word 1,$(folders))_$(word 2,$(folders))),$(ROOM_$(word 1,$(folders))))
COMPILE = $(CC) $(LANGUAGE) $(OPT) -g $(WARNINGS) $(SAFETY) $(call room,$<) \
          $(if $(filter sim/%,$<),,$(DEFINES)) $(EMULATION) $(CPPFLAGS) $(CFLAGS)
# -fmad=false: the same bits as on the processor. Nothing of C++'s library is needed in the link.
COMPILE_CU = $(NVCC) $(NVCC_FLAGS) -std=c++17 -O3 -fmad=false -Wno-deprecated-gpu-targets \
             -Xcompiler -O2,-fno-exceptions,-fno-threadsafe-statics \
             -Xcompiler -fno-rtti,-fPIE,-Wall,-Wextra $(GPU_FACES)
COMPILE_CXX = $(CXX) -std=c++17 -ffp-contract=off -MMD -MP -O2 -g -Wall -Wextra -Wshadow $(if $(WERROR),-Werror) \
              -fno-exceptions -fno-rtti -fno-threadsafe-statics -fPIE -fno-omit-frame-pointer $(CXX_SAFETY) \
              -x c++ -include tests/fake_cuda/include/shim.h $(GPU_FACES) -Itests/fake_cuda/include
LINK = $(CC) $(OPT) -g $(SAFETY) $(LINK_SAFETY) $(CFLAGS) $(LDFLAGS)
LIBRARIES = $(CURSES_LIBS) $(CJSON_LIBS) $(MD4C_LIBS) $(EXPAT_LIBS) $(ZLIB_LIBS) $(if $(CUDA_PART),$(CUDA_LIBS)) -pthread -lm
GUI_LIBRARIES = $(SDL_LIBS) $(PANGO_LIBS)
# The modules take the rest of sim/, viz/ and gpu/ from the program, which therefore holds all of it
# and shows its names; what the linker must know of a program is wrong for a module.
comma := ,
SHOWN_LIBS = $(if $(strip $(MODULES_BUILT)),-Wl$(comma)--export-dynamic -Wl$(comma)--whole-archive \
               $(VIZ_LIB) $(GPU_LIB) $(SIM_LIB) -Wl$(comma)--no-whole-archive,$(VIZ_LIB) $(GPU_LIB) $(SIM_LIB))
LINK_MODULE = $(CC) -shared $(OPT) -g $(SAFETY) \
              $(filter-out -pie -Wl$(comma)-z$(comma)nodlopen,$(LINK_SAFETY)) $(CFLAGS) $(LDFLAGS)

# ---------------------------------------------------------------------------------------- the rules

all: $(filter build/cuda/%,$(CUDA_PART)) $(SIM_LIB) $(VIZ_LIB) $(GPU_LIB) $(if $(CLI),$(PROGRAM)) $(MODULES_BUILT) $(if $(filter 1,$(HAVE_GETTEXT)),$(CATALOGUES)) ## build what this machine can (the default)
	@$(if $(LEFT_OUT),cat $(B)/left-out,:)

# Where there is a compiler for it, the page is tested, too: not once more under sanitizers.
PAGE_TESTED := $(if $(filter tests run-tests,$(MAKECMDGOALS)),$(if $(SAN),,$(if $(shell tests/tools/need --have wasm && echo 1),\
                 $(B)/ringsim.html $(B)/page/suites.wasm)))
PTX := $(if $(SAN),,$(patsubst build/cuda/%.o,$(B)/%.ptx,$(filter build/cuda/gpu/%,$(CUDA_PART))))
tests: all $(TESTS) $(DRIVERS) $(DEVICE_PROGRAM) $(HOUR_PROGRAMS:%=$(B)/device/%) $(PTX) $(PAGE_TESTED) ## build the test programs, without running them
	@:
benches: all $(BENCHES)
	@:
fuzzers: $(FUZZERS)
	@:

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  $(notdir $(CC)) $<")
	$(Q)$(COMPILE) -c $< -o $@

# nvcc takes most of a minute, and makes the same for every build: they share it. The first half of that
# work alone gives the PTX, which tests read, and the warnings.
build/cuda/%.o: %.cu build/cuda/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  nvcc $<")
	$(Q)$(COMPILE_CU) --threads $(JOBS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.new && mv $@.new $@
$(B)/%.ptx: %.cu build/cuda/%.o $(B)/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  nvcc --ptx $<")
	$(Q)$(filter-out -gencode%,$(COMPILE_CU)) $(if $(WERROR),-Werror all-warnings) --ptx $< -o $@

# Once more, for the emulated device.
$(B)/device/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  $(notdir $(CC)) $< (emulated device)")
	$(Q)$(COMPILE) -c $< -o $@
$(B)/device/%.o: %.cu $(B)/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  $(notdir $(CXX)) $< (emulated device)")
	$(Q)$(COMPILE_CXX) -c $< -o $@
$(B)/device/%.o $(B)/tests/gpu/device/%.o: EMULATION = $(EMULATED)

define archive
	@rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)
endef
$(SIM_LIB): $(SIM) $(B)/sources
	$(archive)
$(B)/libringsim_viz.a: $(VIZ) $(B)/sources
	$(archive)
$(B)/libringsim_gui.a: $(GUI) $(B)/sources
	$(archive)
$(GPU_LIB): $(GPU) $(B)/sources
	$(archive)
$(B)/libringsim_cli.a: $(filter-out $(B)/cli/main.o,$(CLI)) $(B)/sources
	$(archive)
$(B)/libtests.a: $(HELPERS) $(B)/sources
	$(archive)

$(PROGRAM): $(B)/cli/main.o $(LIBS)
	$(if $(V),,@echo "  link $@")
	$(Q)$(LINK) $(B)/cli/main.o $(CLI_LIB) $(SHOWN_LIBS) $(LIBRARIES) -o $@

$(B)/ringsim-window.so: $(GUI) $(B)/sources
	$(if $(V),,@echo "  link $@")
	$(Q)$(LINK_MODULE) $(filter %.o,$^) $(GUI_LIBRARIES) -lm -o $@

$(B)/ringsim-mpi.so: $(MPI_PART) $(B)/sources
	$(if $(V),,@echo "  link $@")
	$(Q)$(LINK_MODULE) $(filter %.o,$^) $(MPI_LIBS) -lm -o $@

# The whole program on the emulated device. Its NCCL is loaded while it runs, and asks the device back.
$(B)/device/libringsim_gpu.a: $(DEVICE_GPU) $(B)/sources
	$(archive)
$(B)/device/libemulator.a: $(EMULATOR) $(B)/sources
	$(archive)
# Beside it, or beside its tests, lies its NCCL: not a real one, which would ask a real device.
DEVICE_LINK = -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../device' -Wl,--export-dynamic -Wl,--whole-archive $(DEVICE_LIBS) -Wl,--no-whole-archive
DEVICE_LIBRARIES = $(filter-out $(CUDA_LIBS),$(LIBRARIES)) -ldl
$(B)/device/ringsim: $(B)/cli/main.o $(DEVICE_CLI) $(CLI_LIB) $(VIZ_LIB) $(SIM_LIB) $(DEVICE_LIBS)
	$(if $(V),,@echo "  link $@")
	$(Q)$(LINK) $(B)/cli/main.o $(DEVICE_CLI) $(CLI_LIB) $(VIZ_LIB) $(DEVICE_LINK) $(SIM_LIB) $(DEVICE_LIBRARIES) -o $@
$(B)/device/libnccl.so.2: $(call objects,$(call below,tests/fake_nccl)) $(B)/sources
	@mkdir -p $(@D)
	$(if $(V),,@echo "  link $@")
	$(Q)$(LINK_MODULE) $(filter %.o,$^) -lm -o $@
$(DEVICE_TESTS): %: %.o $(DEVICE_HELP) $(DEVICE_CLI) $(HELP_LIB) $(CLI_LIB) $(VIZ_LIB) $(SIM_LIB) $(DEVICE_LIBS) $(DEVICE_NCCL)
	$(if $(V),,@echo "  link $@")
	$(Q)$(LINK) $(filter %.o,$^) $(HELP_LIB) $(CLI_LIB) $(VIZ_LIB) $(DEVICE_LINK) $(SIM_LIB) $(LINK_WITH) \
	  $(DEVICE_LIBRARIES) -o $@

# The page (viz/web/README.md): all that needs no process, no thread and no library, for wasm32, and the files that it
# brings along. Whatever is not defined there and not listed in viz/web/imports fails the link. No -O in the link:
# clang would run wasm-opt where there is one, and the page would have other bytes.
WASM_CC := clang --target=wasm32-wasi
PAGE_LEFT := $(call below,viz/window cli/verify sim/msccl sim/nccl) \
             $(filter-out cli/nccl/nccl_tests_%.c,$(call below,cli/nccl)) cli/run/dump.c cli/doctor/cmd_doctor.c \
             $(addprefix cli/base/,host.c memory.c place.c) \
             cli/systems/gil_run.c cli/lesson/reader.c cli/web/write_lessons.c cli/web/write_words.c viz/text/catalogue.c viz/window_loader.c \
             $(filter-out $(addprefix viz/canvas/,canvas.c changes.c hatch.c label.c shape.c styled.c),$(call below,viz/canvas)) \
             $(filter-out $(addprefix cli/sandbox/,answers.c first_phase.c interpreted.c keep_source.c learner.c sandbox_text.c),\
               $(call below,cli/sandbox)) \
             $(addprefix cli/grade/,batch.c report_machines.c) $(call below,cli/grade/jobs)
PAGE_SOURCES := $(filter-out $(PAGE_LEFT),$(call below,sim viz cli))
# Engines are to be fast, all else small.
PAGE_ENGINES := $(addsuffix /%,$(addprefix sim/,base check flows schedule time values))
PAGE_FLAGS = -std=c17 -msign-ext -mnontrapping-fptoint $(if $(filter $(PAGE_ENGINES),$<),-O2,-Oz) -ffp-contract=off -MMD -MP -ffunction-sections -fdata-sections -Wall -Wextra \
             -Wno-pass-failed $(if $(WERROR),-Werror) -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL -DHAVE_SDL=1 -DHAVE_GETTEXT=1 \
             -DRINGSIM_VERSION='"$(VERSION)"' -DRINGSIM_LOCALEDIR='"/locale"' -DRINGSIM_MODULEDIR='"/"' \
             -DRINGSIM_LESSONDIR='"/lessons"' -DRINGSIM_ASSETDIR='"/assets"' \
             -Iviz/web/include -Icli/web/include $(ALL_FACES)
$(B)/page/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  clang $< (page)")
	$(Q)$(WASM_CC) $(PAGE_FLAGS) $(if $(filter cli/%,$<),-include posix.h) $(if $(filter cli/main.c,$<),-Dmain=rc_main) -c $< -o $@
$(B)/page/ringsim.wasm: $(patsubst %.c,$(B)/page/%.o,$(PAGE_SOURCES)) viz/web/imports
	$(if $(V),,@echo "  link $@")
	$(Q)$(WASM_CC) -mexec-model=reactor -Wl,--error-limit=0 -Wl,-O2,--gc-sections,--strip-all,--compress-relocations,-z,stack-size=1048576 \
	  -Wl,--allow-undefined-file=viz/web/imports $(filter %.o,$^) -lc-printscan-long-double -lwasi-emulated-signal -o $@
$(B)/page/write_lessons $(B)/page/write_words: $(B)/page/%: $(B)/cli/web/%.o $(CLI_LIB) $(VIZ_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(Q)$(LINK) $^ $(LIBRARIES) -o $@
# Suites of what is seen, once more in WebAssembly, against the same goldens (tests/web/).
PAGE_SUITES := tests/viz/panels/test_scene_words.c tests/viz/stage/test_scene_sessions.c tests/viz/story/test_story_words.c
PAGE_TESTS := $(PAGE_SUITES) tests/web/run_suites.c \
              $(addprefix tests/support/,golden.c scene_words.c session.c stage_fixture.c story_fixture.c sums.c told.c view_fixture.c)
$(B)/page/tests/%.o: PAGE_FLAGS += -Itests/web/include -Itests
$(B)/page/suites.wasm: $(patsubst %.c,$(B)/page/%.o,$(filter-out cli/main.c cli/web/page_main.c,$(PAGE_SOURCES)) $(PAGE_TESTS)) viz/web/imports
	$(if $(V),,@echo "  link $@")
	$(Q)$(WASM_CC) -Wl,--gc-sections,-z,stack-size=1048576 -Wl,--allow-undefined-file=viz/web/imports $(filter %.o,$^) \
	  -lc-printscan-long-double -lwasi-emulated-signal -o $@
PAGE_FILES := $(wildcard assets/*.lay assets/machines/* lessons/[0-9]*/*) $(wildcard viz/web/*.js viz/web/*.css)
# Of the catalogues what the page can say.
$(B)/page/locale/%/LC_MESSAGES/ringsim.mo: assets/po/%.po
	@mkdir -p $(@D)
	$(Q)msggrep $(addprefix -N ,$(PAGE_SOURCES)) $< | msgfmt -o $@ -
$(B)/ringsim.html: $(B)/page/ringsim.wasm $(B)/page/write_lessons $(B)/page/write_words $(PAGE_FILES) tests/tools/pack-page \
                   $(if $(filter 1,$(HAVE_GETTEXT)),$(CATALOGUES:$(B)/%=$(B)/page/%))
	@tests/tools/pack-page $(B)

# The first hour on a GPU (tests/hour/README.md): its small programs, for a real GPU and for the emulated one,
# and the kernels once more with other numbers of loads in flight.
build/cuda/loads_%.o: gpu/cuda/kernels.cu build/cuda/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  nvcc $< ($* loads in flight)")
	$(Q)$(COMPILE_CU) -DRG_IN_FLIGHT=$* --threads $(JOBS) -c $< -o $@.new && mv $@.new $@
$(B)/device/loads_%.o: gpu/cuda/kernels.cu $(B)/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  $(notdir $(CXX)) $< ($* loads in flight, emulated device)")
	$(Q)$(COMPILE_CXX) -DRG_IN_FLIGHT=$* -c $< -o $@
HOUR_LINK = $(Q)$(LINK) $(filter %.o,$^) $(filter $(HELP_LIB),$^)
$(B)/hour/gpu_facts $(B)/hour/try_stop: $(B)/hour/%: $(B)/tests/hour/%.o $(GPU_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(HOUR_LINK) $(GPU_LIB) $(SIM_LIB) $(LIBRARIES) -o $@
$(B)/hour/bench_%: $(B)/tests/bench/bench_gpu.o build/cuda/loads_%.o $(HELP_LIB) $(GPU_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(HOUR_LINK) $(GPU_LIB) $(SIM_LIB) $(LIBRARIES) -o $@
$(B)/device/gpu_facts $(B)/device/try_stop: $(B)/device/%: $(B)/device/tests/hour/%.o $(DEVICE_LIBS) $(SIM_LIB)
	$(HOUR_LINK) $(DEVICE_LIBS) $(SIM_LIB) $(DEVICE_LIBRARIES) -o $@
$(B)/device/bench_%: $(B)/device/tests/bench/bench_gpu.o $(B)/device/loads_%.o $(HELP_LIB) $(DEVICE_LIBS) $(SIM_LIB)
	$(HOUR_LINK) $(DEVICE_LIBS) $(SIM_LIB) $(DEVICE_LIBRARIES) -o $@
# Those with 4 loads have the program's own kernels.
build/cuda/loads_4.o: build/cuda/gpu/cuda/kernels.o
	$(Q)cp $< $@
$(B)/device/loads_4.o: $(B)/device/gpu/cuda/kernels.o
	$(Q)cp $< $@
HOUR_LOADS := 2 4 8
HOUR_SCRIPTS := tests/hour/hour tests/hour/README.md
$(B)/first-hour: $(PROGRAM) $(HOUR_LOADS:%=$(B)/hour/bench_%) $(B)/hour/gpu_facts $(B)/hour/try_stop $(HOUR_SCRIPTS)
$(B)/first-hour-emulated: $(DEVICE_PROGRAM) $(HOUR_LOADS:%=$(B)/device/bench_%) $(B)/device/gpu_facts $(B)/device/try_stop $(HOUR_SCRIPTS)
$(B)/first-hour $(B)/first-hour-emulated:
	@rm -rf $@ && mkdir -p $@ && cp $^ $@

$(TESTS): LINK_WITH = $(CRITERION_LIBS)
# Its group stands before gpu's, all of which is linked where modules are built.
$(B)/tests/cli/verify/test_verify_run: LINK_WITH += $(if $(strip $(MODULES_BUILT)),-Wl$(comma)--allow-multiple-definition)
FAILING_TESTS := $(B)/tests/cli/base/test_failing_memory $(B)/tests/gpu/job/test_allocations $(B)/tests/viz/stage/test_scene_allocations \
    $(B)/tests/sim/hang/dumps/test_dumps_made $(B)/tests/sim/hang/dumps/test_ras_cut $(B)/tests/gpu/device/test_device_memory
$(FAILING_TESTS): LINK_WITH += -Wl$(comma)--wrap=rs_alloc
$(FUZZERS): LINK_WITH = -fsanitize=fuzzer
$(filter-out $(DEVICE_TESTS),$(TESTS)) $(BENCHES) $(FUZZERS) $(DRIVERS): %: %.o $(HELP_LIB) $(GUI_LIB) $(LIBS)
	$(if $(V),,@echo "  link $@")
	$(Q)$(LINK) $^ $(LINK_WITH) $(LIBRARIES) $(if $(GUI),$(GUI_LIBRARIES)) -o $@

$(B)/locale/%/LC_MESSAGES/ringsim.mo: assets/po/%.po
	@mkdir -p $(@D)
	$(Q)msgfmt -o $@ $<

.SECONDARY:

# ------------------------------------------------------------------------------- what people type

SUB = $(MAKE) --no-print-directory
BUILD = $(SUB) $(PARALLEL)
COMMAND_TESTS := $(wildcard tests/cmd/*.sh)

demo: ## install what the walk-through needs, build, and walk round the ring
	@tests/tools/need demo
	@$(BUILD) all
	./ringsim --gpus 5 --step

test: ## install what the tests need, build, and run them all
	@tests/tools/need test
	@$(BUILD) run-tests

page: ## one HTML file with all that needs no installation: build/ringsim.html; open it in a browser
	@if tests/tools/need page; then $(BUILD) $(B)/ringsim.html && ls -l $(B)/ringsim.html; else \
	  echo "ringsim: no page: skipped"; fi

# Command tests wait most and last longest: they begin first.
run-tests: tests benches ## build and run all tests, installing nothing
	@tests/tools/run-tests $(B) $(COMMAND_TESTS) $(filter-out $(LEFT_OUT),$(TESTS))

check: ## formatter, warnings, sanitizers, rooms, short fuzz runs, texts: all that CI demands
	@tests/tools/need check
	@failed=; for c in $(CHECKS); do echo "== check-$$c"; start=$$(date +%s); \
	  $(SUB) check-$$c || failed="$$failed $$c"; echo "== check-$$c took $$(($$(date +%s) - start)) s"; done; \
	if [ -n "$$failed" ]; then echo "make check: failed:$$failed"; exit 1; fi; echo "make check: all good"

check-format: ## clang-format has nothing to change
	@clang-format --dry-run -Werror $$(find sim viz gpu cli tests lessons -name '*.[ch]' -o -name '*.cu')

check-text: ## the tree explains itself: no pointer to what a reader cannot see
	@tests/tools/check-text

check-scripts: ## every script is a POSIX sh program
	@for f in tests/tools/* tests/hour/hour tests/hour/gpu-report tests/cmd/*.sh .ci/run lessons/handout lessons/package lessons/deliver/setup.sh \
	  lessons/deliver/run_autograder; do sh -n $$f || exit 1; done

check-headers: ## the public headers are whole in themselves, for C11 and for C++
	@for h in $$(find sim viz gpu -name 'ringsim*.h'); do \
	  clang -x c -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only $(SIM_FACES) $$h || exit 1; \
	  clang -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only $(SIM_FACES) $$h || exit 1; done

check-po: ## every sentence is translated, and no translation breaks a format
	@tests/tools/catalogue check

check-rooms: ## prove from includes and object files that the rooms keep apart
	@$(BUILD) all
	@tests/tools/check-rooms $(B)

# With WERROR=1 from the environment the usual build has proved it already, if gcc made it.
BY_GCC = $(if $(shell $(CC) -dM -E -x c /dev/null 2>/dev/null | grep __clang__),,$(WERROR))
check-warnings: ## gcc takes every file without a warning (clang: check-sanitizers)
	@$(BUILD) $(if $(BY_GCC),,B=build/gcc CC=gcc) WERROR=1 tests benches

# Not those that build, nor the lessons' commands, nor what goes on between MPI's processes or those
# of the emulated devices, nor how soon a signal ends what a sanitizer slows, nor the first hour, nor
# more and more pictures: other tests run the same code.
PICTURES_ENOUGH := %/test_gui_golden %/test_gui_words %/test_gui_film %/test_gui_lesson
NOT_SANITIZED := tests/cmd/build-% tests/cmd/lessons.sh tests/cmd/verify-mpi.sh tests/cmd/hour.sh \
                 tests/cmd/cancel.sh tests/cmd/device-nccl.sh
check-sanitizers: ## all tests again, built by clang with address and undefined-behaviour sanitizers
	@$(BUILD) B=build/sanitized CC=clang SAN=address OPT=-O1 WERROR=1 benches run-tests \
	  MONKEY_SECONDS=8 LEFT_OUT='$(PICTURES_ENOUGH)' COMMAND_TESTS='$(filter-out $(NOT_SANITIZED),$(COMMAND_TESTS))'

check-switches: ## a build with each library switched off still works
	@tests/tools/check-switches

check-packages: ## the package and the source archive: made, installed, run, removed
	@tests/tools/try-packages

check-browsers: ## the page in Chromium and Firefox: a session, and what is painted against the program's pictures
	@if tests/tools/need browsers; then $(BUILD) all && $(BUILD) $(B)/ringsim.html && tests/tools/try-browsers $(B); else \
	  echo "ringsim: no browsers: skipped"; fi

monkey-browsers: ## five minutes of random keys, clicks and fingers in each browser: SECONDS=300 SEED=1
	@tests/tools/need browsers && $(BUILD) $(B)/ringsim.html && for b in chromium firefox; do \
	  node --no-warnings tests/web/monkey.mjs $$b $(B)/ringsim.html /tmp $(or $(SECONDS),300) $(or $(SEED),1) || exit 1; done

bench-page: ## how soon and how smoothly the page moves in Chromium, against the program
	@tests/tools/need browsers && $(BUILD) all && $(BUILD) $(B)/ringsim.html && RINGSIM=$(CURDIR)/$(PROGRAM) \
	  node --no-warnings tests/web/speed.mjs $(B)/ringsim.html /tmp

check-fuzz: ## every fuzz target for 3 seconds
	@$(SUB) fuzz FUZZ_SECONDS=3

fuzz: ## run every fuzz target for FUZZ_SECONDS=600, with sanitizers
	@tests/tools/need fuzz
	@$(BUILD) B=build/fuzz CC=clang SAN=fuzzer OPT=-O1 WERROR=1 fuzzers
	@tests/tools/run-fuzz build/fuzz $(FUZZ_SECONDS) $(FUZZERS:build/%=build/fuzz/%)

wrong-answers: ## grade wrong answers and right ones with many seeds: SEEDS=20 LABS="03 06" GRADE=--interpret
	@$(BUILD) all && GRADE='$(GRADE)' RINGSIM=$(CURDIR)/$(PROGRAM) tests/tools/wrong-answers $(or $(SEEDS),20) $(LABS)

mutants: ## spoil code at random, do the suites notice? SEED=1 N=40 ROOM=sim LONGEST=90, or OF=result
	@SEED='$(SEED)' N='$(N)' ROOM='$(ROOM)' OF='$(OF)' LONGEST='$(LONGEST)' OUT='$(OUT)' CC='$(CC)' \
	  tests/tools/mutants $(TESTS:$(B)/%=build/%) $(filter-out tests/cmd/build-%,$(COMMAND_TESTS))

# A peer for bench_flows, where SimGrid is installed (Debian: libsimgrid-dev).
$(B)/tests/bench/simgrid_ring: tests/bench/simgrid_ring.cc
	@mkdir -p $(@D)
	@if pkg-config --exists simgrid 2>/dev/null; then \
	  $(if $(CXX),$(CXX),c++) -O2 -std=c++17 -o $@ $< $$(pkg-config --cflags --libs simgrid); fi

bench: ## measure: build the benchmarks as for a release, run one after another
	@$(BUILD) benches
	@$(BUILD) $(B)/tests/bench/simgrid_ring
	@for b in $(BENCHES); do echo "== $$b"; $$b || exit 1; done

TABLES ?= tests/data/nccl-tables
bench-fidelity: ## how near estimate comes to measured tables: constants fitted on all families but the one judged; TABLES=DIR
	@$(BUILD) $(B)/tests/bench/bench_fidelity
	@$(B)/tests/bench/bench_fidelity $(TABLES)

bench-gpu: ## measure the ladder of CUDA kernels beside the GPU's own copies; without a GPU it says so
	@$(BUILD) $(B)/tests/bench/bench_gpu
	@$(B)/tests/bench/bench_gpu

# Built without whatever a bare machine lacks: window, terminal, JSON, translations, MPI.
HOUR_BUILD = $(BUILD) $(if $(DEVICE),B=build/bare-emulated CUDA=0 NCCL=0,B=build/bare CUDA=1) SDL=0 CURSES=0 CJSON=0 \
               MD4C=0 EXPAT=0 ZLIB=0 GETTEXT=0 MPI=0
first-hour: ## a folder for a machine with a GPU and a driver: build/first-hour; DEVICE=emulated: for none
	@$(HOUR_BUILD) build/bare$(if $(DEVICE),-emulated)/first-hour$(if $(DEVICE),-emulated)
	@rm -rf build/first-hour$(if $(DEVICE),-emulated)
	@mv build/bare$(if $(DEVICE),-emulated/first-hour-emulated,/first-hour) build/
	@du -sh build/first-hour$(if $(DEVICE),-emulated)

gpu-report: ## what the hour's report says, as the READMEs' table: REPORT=FILE...
	@tests/hour/gpu-report $(REPORT)

docs: ## write the READMEs' outputs and pictures anew
	@$(BUILD) all
	@tests/tools/pictures assets
	@tests/tools/run-readme --update $(wildcard README*.md)

layers: ## write the tables of layers of known architectures anew (assets/*.lay)
	@for m in resnet50 gpt2; do tests/tools/layers $$m >assets/$$m.lay || exit 1; done

handout: ## the course for students, without solutions, and the key apart: DIR=...
	@lessons/handout '$(DIR)'

gradescope: ## a lab's autograder, to upload: LAB=05 OUT=lab05.zip [SECRET=file] [GRADE="--rung fill"]
	@GRADE='$(GRADE)' lessons/package gradescope '$(LAB)' '$(OUT)' $(if $(SECRET),'$(SECRET)')

workflow: ## a lab's workflow file for continuous integration: LAB=05 OUT=grade.yml [URL=...]
	@lessons/package workflow '$(LAB)' '$(OUT)' $(if $(URL),'$(URL)')

po: ## bring the translations' files up to date with the sources
	@tests/tools/catalogue update

MAN = $(DESTDIR)$(PREFIX)/share/man
LOCALE = $(DESTDIR)$(PREFIX)/share/locale
MODULES = $(DESTDIR)$(PREFIX)/lib/ringsim
SHARE = $(DESTDIR)$(PREFIX)/share/ringsim
# For desktops and shells: from:to. The page, where it was made.
ZSH_FOLDER ?= zsh/site-functions
FOR_DESKTOP = assets/desktop/ringsim.desktop:applications/ringsim.desktop \
              assets/desktop/ringsim.svg:icons/hicolor/scalable/apps/ringsim.svg \
              assets/desktop/ringsim.bash:bash-completion/completions/ringsim \
              assets/desktop/_ringsim:$(ZSH_FOLDER)/_ringsim
PAGE_THERE = $(firstword $(wildcard $(B)/ringsim.html build/ringsim.html))
install: all ## install program, window, man pages, languages, library: PREFIX, DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/ringsim
	$(if $(strip $(MODULES_BUILT)),install -d $(MODULES) && install -m 644 $(MODULES_BUILT) $(MODULES))
	install -m 644 $$(find sim -name 'ringsim*.h') $(DESTDIR)$(PREFIX)/include
	install -m 644 $(SIM_LIB) $(DESTDIR)$(PREFIX)/lib/libringsim.a
	@printf '%s\n' 'Name: ringsim' 'Description: collective schedules, checked, timed and executed' \
	  'Version: $(VERSION)' 'Cflags: -I$(PREFIX)/include' 'Libs: -L$(PREFIX)/lib -lringsim -lm' \
	  >$(DESTDIR)$(PREFIX)/lib/pkgconfig/ringsim.pc
	install -d $(MAN)/man1 $(MAN)/man5
	install -m 644 cli/man/ringsim.1 $(MAN)/man1/ringsim.1
	install -m 644 cli/man/ringsim-lay.5 cli/man/ringsim-machine.5 cli/man/ringsim-sched.5 cli/man/ringsim-trace.5 $(MAN)/man5
	install -d $(SHARE)/assets/machines
	install -m 644 assets/*.lay $(SHARE)/assets
	install -m 644 assets/machines/*.machine $(SHARE)/assets/machines
	$(foreach f,$(FOR_DESKTOP),install -D -m 644 $(subst :, $(DESTDIR)$(PREFIX)/share/,$f) &&) :
	$(if $(PAGE_THERE),install -m 644 $(PAGE_THERE) $(SHARE)/ringsim.html)
	@rm -rf $(SHARE)/lessons $(B)/handout && lessons/handout $(B)/handout >/dev/null && \
	  cp -R $(B)/handout/students $(SHARE)/lessons && chmod -R u=rwX,go=rX $(SHARE)/lessons
	@for m in $(if $(filter 1,$(HAVE_GETTEXT)),$(patsubst $(B)/locale/%,%,$(CATALOGUES))); do \
	  install -d $(LOCALE)/$${m%/*} && install -m 644 $(B)/locale/$$m $(LOCALE)/$$m || exit 1; done

uninstall: ## remove what install put there, with the same PREFIX and DESTDIR
	rm -f $(DESTDIR)$(PREFIX)/bin/ringsim $(addprefix $(DESTDIR)$(PREFIX)/include/,$(notdir $(shell find sim -name 'ringsim*.h'))) \
	  $(DESTDIR)$(PREFIX)/lib/libringsim.a $(DESTDIR)$(PREFIX)/lib/pkgconfig/ringsim.pc \
	  $(MODULES)/ringsim-window.so $(MODULES)/ringsim-mpi.so $(MAN)/man1/ringsim.1 \
	  $(MAN)/man5/ringsim-lay.5 $(MAN)/man5/ringsim-machine.5 $(MAN)/man5/ringsim-sched.5 $(MAN)/man5/ringsim-trace.5 \
	  $(patsubst $(B)/locale/%,$(LOCALE)/%,$(CATALOGUES))
	rm -f $(foreach f,$(FOR_DESKTOP),$(DESTDIR)$(PREFIX)/share/$(lastword $(subst :, ,$f))) $(SHARE)/ringsim.html
	rm -rf $(SHARE)/lessons $(SHARE)/assets
	@rmdir $(MODULES) $(SHARE) 2>/dev/null || true

deb: ## one package for Debian and its kin: build/ringsim_VERSION_ARCH.deb; with the page, if make page has made it
	@rm -rf build/deb/root
	@$(BUILD) B=build/deb PREFIX=/usr DESTDIR=$(CURDIR)/build/deb/root ZSH_FOLDER=zsh/vendor-completions install >build/deb.log || \
	  { tail -n 20 build/deb.log; exit 1; }
	@tests/tools/pack-deb build/deb/root $(VERSION) build

dist: ## the sources as an archive, which builds without git: build/ringsim-VERSION.tar.gz
	@mkdir -p build
	@git archive --prefix=ringsim-$(VERSION)/ HEAD >build/dist.tar && gzip -9n <build/dist.tar >build/ringsim-$(VERSION).tar.gz
	@rm build/dist.tar && ls -l build/ringsim-$(VERSION).tar.gz

clean: ## remove everything built
	rm -rf build ringsim

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile
	@echo "  switches: OPT=-O0 CC=clang V=1 APT=0 CURSES=0 ...; the head of the Makefile explains them"
