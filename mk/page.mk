# The page (viz/web/README.md): all that needs no process, no thread and no library, for wasm32, and the files that it
# brings along. Whatever is not defined there and not listed in viz/web/imports fails the link. No -O in the link:
# clang would run wasm-opt where there is one, and the page would have other bytes.
ifneq ($(origin CONFIG_OF),undefined)
$(call stamp,$(B)/page/config.h,$(subst /share/ringsim,,$(subst /share/locale,/locale,$(call config,GETTEXT SDL,))))
endif
WASM_CC := clang --target=wasm32-wasi
PAGE_LEFT := $(call below,viz/window cli/verify) $(call below,nccl/msccl) \
             cli/run/dump.c cli/run/export_page.c cli/doctor/cmd_doctor.c \
             $(addprefix cli/base/,host.c memory.c place.c zip.c) \
             cli/gil/gil_run.c cli/lesson/reader.c cli/web/write_lessons.c cli/web/write_words.c viz/text/catalogue.c viz/window_loader.c \
             $(filter-out $(addprefix viz/canvas/,canvas.c changes.c hatch.c label.c shape.c),$(call below,viz/canvas)) \
             $(filter-out $(addprefix cli/sandbox/,answers.c defined.c first_phase.c interpreted.c learner.c sandbox_text.c),\
               $(call below,cli/sandbox)) \
             $(addprefix cli/grade/,batch.c collect.c report_machines.c) $(call below,cli/grade/jobs)
PAGE_SOURCES := $(filter-out $(PAGE_LEFT),$(call below,sim nccl viz cli))
# Engines are to be fast, all else small: there a loop's address is reckoned where it is used, not carried along.
PAGE_ENGINES := $(addsuffix /%,$(addprefix sim/,flows time))
PAGE_FLAGS = -std=c17 -msign-ext -mnontrapping-fptoint $(if $(filter $(PAGE_ENGINES),$<),-O2,-Oz -mllvm -disable-lsr) -ffp-contract=off -MMD -MP -ffunction-sections -fdata-sections -Wall -Wextra \
             -Wno-pass-failed $(if $(WERROR),-Werror) -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL \
             -I$(B)/page -Iviz/web/include -Icli/web/include $(ALL_FACES)
$(B)/page/%.o: %.c
	@mkdir -p $(@D)
	$(call said,clang $< (page))
	$(Q)$(WASM_CC) $(PAGE_FLAGS) $(if $(filter cli/%,$<),-include posix.h) $(if $(filter cli/main.c,$<),-Dmain=rc_main) -c $< -o $@
$(B)/page/ringsim.wasm: $(patsubst %.c,$(B)/page/%.o,$(PAGE_SOURCES)) viz/web/imports
	$(call said,link $@)
	$(Q)$(WASM_CC) -mexec-model=reactor -Wl,--error-limit=0 -Wl,-O2,--gc-sections,--strip-all,--wrap=calloc,--compress-relocations,-z,stack-size=1048576 \
	  -Wl,--allow-undefined-file=viz/web/imports $(filter %.o,$^) -lwasi-emulated-signal -o $@
$(B)/page/write_lessons $(B)/page/write_words: $(B)/page/%: $(B)/cli/web/%.o $(CLI_LIB) $(VIZ_LIB) $(NCCL_LIB) $(SIM_LIB)
	@mkdir -p $(@D)
	$(Q)$(LINK) $^ $(LIBRARIES) -o $@
# Suites of what is seen, once more in WebAssembly, against the same goldens (tests/web/).
PAGE_SUITES := tests/viz/panels/test_scene_words.c tests/viz/stage/test_scene_sessions.c tests/viz/story/test_story_words.c
PAGE_TESTS := $(PAGE_SUITES) tests/web/run_suites.c \
              $(addprefix tests/support/,differences.c golden.c scene_words.c session.c stage_fixture.c story_fixture.c told.c view_fixture.c)
$(B)/page/tests/%.o: PAGE_FLAGS += -Itests/web/include -Itests
$(B)/page/suites.wasm: $(patsubst %.c,$(B)/page/%.o,$(filter-out cli/main.c cli/web/page_main.c,$(PAGE_SOURCES)) $(PAGE_TESTS)) viz/web/imports
	$(call said,link $@)
	$(Q)$(WASM_CC) -Wl,--gc-sections,--wrap=calloc,-z,stack-size=1048576 -Wl,--allow-undefined-file=viz/web/imports $(filter %.o,$^) \
	  -lwasi-emulated-signal -o $@
PAGE_FILES := $(wildcard assets/*.lay assets/machines/* lessons/[0-9]*/*) $(wildcard viz/web/*.js viz/web/*.css)
# Of the catalogues what the page can say.
$(B)/page/locale/%/LC_MESSAGES/ringsim.mo: assets/po/%.po
	@mkdir -p $(@D)
	$(Q)msggrep $(addprefix -N ,$(PAGE_SOURCES) viz/web/page.js) $< | msgfmt -o $@ -
$(B)/ringsim.html: $(B)/page/ringsim.wasm $(B)/page/write_lessons $(B)/page/write_words $(PAGE_FILES) tests/tools/pack-page \
                   $(if $(filter 1,$(HAVE_GETTEXT)),$(CATALOGUES:$(B)/%=$(B)/page/%))
	@tests/tools/pack-page $(B)

.PHONY: page monkey-browsers bench-page
page: ## one HTML file with all that needs no installation: build/ringsim.html; open it in a browser
	@if tests/tools/need page; then $(BUILD) $(B)/ringsim.html && ls -l $(B)/ringsim.html; else \
	  echo "ringsim: no page: skipped"; fi

monkey-browsers: ## five minutes of random keys, clicks and fingers in each browser: SECONDS=300 SEED=1
	@tests/tools/need browsers && $(BUILD) $(B)/ringsim.html && for b in chromium firefox; do \
	  node --no-warnings tests/web/monkey.mjs $$b $(B)/ringsim.html /tmp $(or $(SECONDS),300) $(or $(SEED),1) || exit 1; done

bench-page: ## how soon and how smoothly the page moves in Chromium, against the program
	@tests/tools/need browsers && $(BUILD) all && $(BUILD) $(B)/ringsim.html && RINGSIM=$(CURDIR)/$(PROGRAM) \
	  node --no-warnings tests/web/speed.mjs $(B)/ringsim.html /tmp
