# Makefile of ringsim. `make help` lists the targets; everything built goes into build/, but for the
# program itself, ./ringsim. What is here builds the program; mk/ has the rest, a file a subject.
#
#   - Adding a file or a folder needs no edit here: the sources of sim/, viz/, gpu/ and cli/ are found
#     wherever they lie in their room, and so are the tests: test_*.c, cmd/*.sh, fuzz_*.c, bench_*.c.
#     Only what needs a library of its own is named below, as a folder: viz/canvas/, viz/window/,
#     gpu/cuda/, gpu/nccl/, gpu/mpi/, and in tests/ viz/canvas/, gpu/device/, hour/ and the emulated device.
#   - canvas and window become a module, ringsim-window.so, which the program loads when it opens a
#     window or draws a picture: who only counts does not wait for SDL2 and pango. gpu/mpi/ is
#     another, ringsim-mpi.so, which only the ranks of a real run load. CUDA's runtime is linked
#     statically, and NCCL loaded where a run asks for it: the program starts without either.
#   - What the machine offers is detected once (tests/tools/detect) and kept in build/config.mk; while
#     something is missing, the next make looks again. The code sees it in build/config.h, which only
#     those files include that ask: they alone are compiled anew when it changes.
#   - Another build beside the usual one: `make B=build/other CC=clang SAN=address all`. It has its
#     own configuration, its program is build/other/ringsim, and it never touches ./ringsim. With
#     SHARE=build it takes what build/ has compiled with the same flags, and compiles who asks.
#
#   CC=clang          another compiler             CURSES=0 CJSON=0 GETTEXT=0  do without a library
#   OPT=-O0           another optimisation level   MD4C=0 EXPAT=0 ZLIB=0 CUDA=0 NCCL=0 MPI=0 SDL=0  (=1: insist)
#   WERROR=1          warnings are errors          SAN=address                 sanitizers, and what fuzzing counts (clang)
#   V=1               show the commands            APT=0                       never install anything
#   GPUS=all          machine code for GPUs of every kind, not only for those that are here

VERSION := 0.2.0
B ?= build
SHARE ?= $(B)
OPT ?= -O2
PREFIX ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default)
CC := cc
endif
JOBS := $(or $(JOBS),$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
SUB = $(MAKE) --no-print-directory
BUILD = $(SUB) $(PARALLEL)
Q := $(if $(V),,@)
hash := \#
comma := ,
# tests/tools/profile takes the time of each recipe.
ifneq ($(PROFILE),)
SHELL := $(CURDIR)/tests/tools/profile
endif
export APT JOBS

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

# These goals run other makes, or build nothing: they must work without a compiler.
RUNNERS := help demo test page check check-% fuzz docs layers po clean uninstall handout gradescope workflow \
           first-hour gpu-report deb dist size monkey-browsers bench-page
.PHONY: FORCE all demo docs layers handout gradescope workflow po clean help

# ---------------------------------------------------------------------------- what is built of what

PROGRAM := $(if $(filter build,$(B)),ringsim,$(B)/ringsim)
SOURCES := $(sort $(shell find sim viz gpu cli tests -name submissions -prune -o -name '*.c' -print -o -name '*.cu' -print))
# Those that ask what the machine has.
ASKING := $(shell grep -rlF '$(hash)include "config.h"' --include='*.c' sim viz gpu cli tests)
# The sources below these folders; those of them whose file name begins so: $(call named,test_,SOURCES).
below = $(filter $(1:%=%/%),$(SOURCES))
named = $(foreach f,$2,$(if $(filter $(addsuffix %,$1),$(notdir $f)),$f))
# The objects of sources.
objects = $(patsubst %.c,$(B)/%.o,$(filter $(ASKING),$1)) $(patsubst %.c,$(SHARE)/%.o,$(filter-out $(ASKING) %.cu,$1))
IN_WINDOW := $(call below,viz/canvas viz/window)
IN_PAGE := $(call below,viz/web cli/web)
IN_CUDA := $(call below,gpu/cuda)
IN_NCCL := $(call below,gpu/nccl)
IN_MPI := $(call below,gpu/mpi)
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
$(B)/config.mk: tests/tools/detect tests/tools/tries
	@tests/tools/detect $(B) 'CC=$(CC)' $(SWITCHES)

endif

# Another build's objects serve where it has made them the same way.
FLAGS := $(strip $(CC) $(COMPILER) $(OPT) $(CFLAGS) $(CPPFLAGS) $(WERROR) $(SAN) $(HARDEN_CFLAGS))
ifneq ($(SHARE),$(B))
ifneq ($(shell cat $(SHARE)/flags 2>/dev/null),$(FLAGS))
override SHARE := $(B)
endif
endif
# Machine code for the GPUs of this machine, or for all that nvcc knows of (GPUS=all); each build shares it.
GPUS ?= here
KERNELS := build/cuda/$(GPUS)
# The window and its pictures, CUDA, NCCL and MPI, where they are.
GUI := $(if $(filter 1,$(HAVE_SDL)),$(call objects,$(IN_WINDOW)))
CUDA_PART := $(if $(filter 1,$(HAVE_CUDA)),$(call objects,$(IN_CUDA)) \
               $(patsubst %.cu,$(KERNELS)/%.o,$(filter %.cu,$(IN_CUDA))))
NCCL_PART := $(if $(filter 1,$(HAVE_NCCL)),$(call objects,$(IN_NCCL)))
MPI_PART := $(if $(filter 1,$(HAVE_MPI)),$(call objects,$(IN_MPI)))
# What the code is told, in config.h: $(call config,NAMES OF WHAT IS THERE,PREFIX).
config = $(foreach h,$1,'$(hash)define HAVE_$h 1') '$(hash)define RINGSIM_VERSION "$(VERSION)"' \
         $(foreach d,LOCALE:share/locale MODULE:lib/ringsim LESSON:share/ringsim/lessons ASSET:share/ringsim/assets,\
           '$(hash)define RINGSIM_$(firstword $(subst :, ,$d))DIR "$2/$(lastword $(subst :, ,$d))"')
OFFERED := $(foreach s,CURSES CJSON MD4C EXPAT ZLIB GETTEXT SDL MPI CUDA NCCL,$(if $(filter 1,$(HAVE_$s)),$s))

# ---------------------------------------------------------------------------------------- the flags

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
# that it may include, by their name; sim/ gets no POSIX names, and neither does what is pure in viz/.
faces = $(addprefix -I,$(sort $1 $(patsubst %/,%,$(dir $(shell find $1 -name 'ringsim*.h')))))
SIM_FACES := $(call faces,sim)
VIZ_FACES := $(SIM_FACES) $(call faces,viz)
GPU_FACES := $(SIM_FACES) $(call faces,gpu)
ALL_FACES := $(VIZ_FACES) $(call faces,gpu) -Icli
ROOM_sim := $(SIM_FACES)
ROOM_viz := -D_GNU_SOURCE $(VIZ_FACES)
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
ROOM_cli := -D_GNU_SOURCE $(ALL_FACES) -pthread
ROOM_tests := -D_GNU_SOURCE $(ALL_FACES) -Itests $(CRITERION_CFLAGS) $(PANGO_CFLAGS) $(SDL_CFLAGS) -pthread
# What a source is compiled with: as its folder in the room says, or else the room; who asks sees the libraries.
folders = $(subst /, ,$(dir $1))
room = $(or $(ROOM_$(word 1,$(folders))_$(word 2,$(folders))),$(ROOM_$(word 1,$(folders))))
LIBRARY_CFLAGS = $(CURSES_CFLAGS) $(CJSON_CFLAGS) $(MD4C_CFLAGS) $(EXPAT_CFLAGS) $(ZLIB_CFLAGS)
COMPILE = $(CC) $(LANGUAGE) $(SPENT) $(if $(SAN),-gline-tables-only,-g) $(WARNINGS) $(call room,$<) \
          $(if $(filter $(ASKING),$<),-I$(or $(CONFIG),$(B)) $(LIBRARY_CFLAGS)) $(EMULATION) $(CPPFLAGS) $(CFLAGS)
# -fmad=false: the same bits as on the processor. Nothing of C++'s library is needed in the link.
COMPILE_CU = $(NVCC) $(NVCC_FLAGS) $(NVCC_CODE_$(GPUS)) -std=c++17 -O3 -fmad=false -Wno-deprecated-gpu-targets \
             -Xcompiler -O2,-fno-exceptions,-fno-threadsafe-statics \
             -Xcompiler -fno-rtti,-fPIE,-Wall,-Wextra $(GPU_FACES)
LINK = $(CC) $(OPT) -g $(SAFETY) $(LINK_SAFETY) $(CFLAGS) $(LDFLAGS)
LIBRARIES = $(CURSES_LIBS) $(CJSON_LIBS) $(MD4C_LIBS) $(EXPAT_LIBS) $(ZLIB_LIBS) $(if $(CUDA_PART),$(CUDA_LIBS)) -pthread -lm
GUI_LIBRARIES = $(SDL_LIBS) $(PANGO_LIBS)
# The modules take the rest of sim/, viz/ and gpu/ from the program, which therefore holds all of it
# and shows its names; what the linker must know of a program is wrong for a module.
SHOWN_LIBS = $(if $(strip $(MODULES_BUILT)),-Wl$(comma)--export-dynamic -Wl$(comma)--whole-archive \
               $(VIZ_LIB) $(GPU_LIB) $(SIM_LIB) -Wl$(comma)--no-whole-archive,$(VIZ_LIB) $(GPU_LIB) $(SIM_LIB))
LINK_MODULE = $(CC) -shared $(OPT) -g $(SAFETY) \
              $(filter-out -pie -Wl$(comma)-z$(comma)nodlopen,$(LINK_SAFETY)) $(CFLAGS) $(LDFLAGS)

# What is kept of them in files: what depends on one is made again when it changes.
ifneq ($(origin CONFIG_OF),undefined)
# Writes words, a line each, to a file if it holds others.
stamp = $(shell mkdir -p $(dir $1) && printf '%s\n' $2 | cmp -s - $1 || printf '%s\n' $2 >$1)
$(call stamp,$(B)/flags,'$(FLAGS)')
$(call stamp,$(B)/config.h,$(call config,$(OFFERED),$(PREFIX)))
$(if $(CUDA_PART),$(call stamp,$(KERNELS)/flags,'$(NVCC) $(NVCC_FLAGS) $(NVCC_CODE_$(GPUS))'))
-include $(shell find $(KERNELS) $(foreach b,$(sort $(B) $(SHARE)),$(addprefix $b/,sim viz gpu cli tests device page)) -name '*.d' 2>/dev/null)
endif

# ---------------------------------------------------------------------------------------- the rules

# The libraries in link order, each only once it has sources. The program without its main() is one
# too: tests, benchmarks and fuzz targets link what they need of it.
SIM := $(call objects,$(call below,sim))
VIZ := $(call objects,$(filter-out $(IN_WINDOW) $(IN_PAGE),$(call below,viz)))
CLI := $(call objects,$(filter-out $(IN_PAGE),$(call below,cli)))
GPU := $(call objects,$(filter-out $(IN_CUDA) $(IN_NCCL) $(IN_MPI),$(call below,gpu))) $(CUDA_PART) $(NCCL_PART)
SIM_LIB := $(B)/libringsim.a
VIZ_LIB := $(if $(VIZ),$(B)/libringsim_viz.a)
CLI_LIB := $(if $(CLI),$(B)/libringsim_cli.a)
GPU_LIB := $(B)/libringsim_gpu.a
GUI_LIB := $(if $(GUI),$(B)/libringsim_gui.a)
LIBS := $(CLI_LIB) $(VIZ_LIB) $(GPU_LIB) $(SIM_LIB)
MODULES_BUILT := $(if $(GUI),$(B)/ringsim-window.so) $(if $(MPI_PART),$(B)/ringsim-mpi.so)
# A library is made again when its list of objects changes, and so is what is linked when its options do.
ifneq ($(origin CONFIG_OF),undefined)
$(call stamp,$(B)/objects,'$(strip $(SIM) $(VIZ) $(GUI) $(GPU) $(MPI_PART) $(CLI))')
$(call stamp,$(B)/links,'$(strip $(LINK) $(LIBRARIES) $(GUI_LIBRARIES))')
endif

all: $(filter $(KERNELS)/%,$(CUDA_PART)) $(SIM_LIB) $(VIZ_LIB) $(GPU_LIB) $(if $(CLI),$(PROGRAM)) $(MODULES_BUILT) $(if $(filter 1,$(HAVE_GETTEXT)),$(CATALOGUES)) ## build what this machine can (the default)
	@$(if $(LEFT_OUT),cat $(B)/left-out,:)

said = $(if $(V),,@echo "  $1")
define compile
	@mkdir -p $(@D)
	$(call said,$(notdir $(CC)) $<)
	$(Q)$(COMPILE) -c $< -o $@
endef
$(B)/%.o: %.c $(B)/flags
	$(compile)
ifneq ($(SHARE),$(B))
$(SHARE)/%.o: %.c $(SHARE)/flags
	$(compile)
endif

# nvcc takes seconds for each kind of GPU.
$(KERNELS)/%.o: %.cu $(KERNELS)/flags
	@mkdir -p $(@D)
	$(call said,nvcc $<)
	$(Q)$(COMPILE_CU) --threads $(JOBS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.new && mv $@.new $@

define archive
	@rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)
endef
$(SIM_LIB): $(SIM) $(B)/objects
	$(archive)
$(B)/libringsim_viz.a: $(VIZ) $(B)/objects
	$(archive)
$(B)/libringsim_gui.a: $(GUI) $(B)/objects
	$(archive)
$(GPU_LIB): $(GPU) $(B)/objects
	$(archive)
$(B)/libringsim_cli.a: $(filter-out $(B)/cli/main.o,$(CLI)) $(B)/objects
	$(archive)

$(PROGRAM): $(B)/cli/main.o $(LIBS) $(B)/links
	$(call said,link $@)
	$(Q)$(LINK) $(B)/cli/main.o $(CLI_LIB) $(SHOWN_LIBS) $(LIBRARIES) -o $@

$(B)/ringsim-window.so: $(GUI) $(B)/objects $(B)/links
	$(call said,link $@)
	$(Q)$(LINK_MODULE) $(filter %.o,$^) $(GUI_LIBRARIES) -lm -o $@

$(B)/ringsim-mpi.so: $(MPI_PART) $(B)/objects $(B)/links
	$(call said,link $@)
	$(Q)$(LINK_MODULE) $(filter %.o,$^) $(MPI_LIBS) -lm -o $@

$(B)/locale/%/LC_MESSAGES/ringsim.mo: assets/po/%.po
	@mkdir -p $(@D)
	$(Q)msgfmt -o $@ $<

include mk/device.mk mk/tests.mk mk/check.mk mk/hour.mk mk/page.mk mk/package.mk

# ------------------------------------------------------------------------------- what people type

demo: ## install what the walk-through needs, build, and walk round the ring
	@tests/tools/need demo
	@$(BUILD) all
	./ringsim --gpus 5 --step

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

clean: ## remove everything built
	rm -rf build ringsim

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  switches: OPT=-O0 CC=clang V=1 APT=0 CURSES=0 ...; the head of the Makefile explains them"
