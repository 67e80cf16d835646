# What is installed, and as what it travels: install, uninstall, the Debian package, the wheel, the sources.

.PHONY: install uninstall deb dist wheel release
MAN = $(DESTDIR)$(PREFIX)/share/man
LOCALE = $(DESTDIR)$(PREFIX)/share/locale
MODULES = $(DESTDIR)$(PREFIX)/lib/ringsim
DATA = $(DESTDIR)$(PREFIX)/share/ringsim
# For desktops and shells: from:to. The page, where it was made.
ZSH_FOLDER ?= zsh/site-functions
FOR_DESKTOP = assets/desktop/ringsim.desktop:applications/ringsim.desktop \
              assets/desktop/ringsim.svg:icons/hicolor/scalable/apps/ringsim.svg \
              assets/desktop/ringsim.bash:bash-completion/completions/ringsim \
              assets/desktop/_ringsim:$(ZSH_FOLDER)/_ringsim
PAGE_THERE = $(firstword $(wildcard $(B)/ringsim.html build/ringsim.html))
# The manual page: what the program says of itself, and what stands beside it.
$(B)/ringsim.1: $(PROGRAM) cli/man/page cli/man/ringsim.text
	@cli/man/page $(abspath $(PROGRAM)) >$@.new && mv $@.new $@
.PHONY: man
man: $(B)/ringsim.1 ## the manual page: man build/ringsim.1

install: all $(B)/ringsim.1 ## install program, window, man pages, languages, libraries: PREFIX, DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/ringsim
	$(if $(strip $(MODULES_BUILT)),install -d $(MODULES) && install -m 644 $(MODULES_BUILT) $(MODULES))
	install -m 644 $$(find sim nccl -name 'ringsim*.h') $(DESTDIR)$(PREFIX)/include
	install -m 644 $(SIM_LIB) $(NCCL_LIB) $(DESTDIR)$(PREFIX)/lib
	@printf '%s\n' 'Name: ringsim' 'Description: collective schedules, checked, timed and executed' \
	  'Version: $(VERSION)' 'Cflags: -I$(PREFIX)/include' 'Libs: -L$(PREFIX)/lib -lringsim -lm' \
	  >$(DESTDIR)$(PREFIX)/lib/pkgconfig/ringsim.pc
	@printf '%s\n' 'Name: ringsim_nccl' 'Description: what NCCL and PyTorch say and decide, read and foretold' \
	  'Version: $(VERSION)' 'Requires: ringsim' 'Libs: -L$(PREFIX)/lib -lringsim_nccl $(strip $(EXPAT_LIBS) $(ZLIB_LIBS))' \
	  >$(DESTDIR)$(PREFIX)/lib/pkgconfig/ringsim_nccl.pc
	install -d $(MAN)/man1 $(MAN)/man5
	install -m 644 $(B)/ringsim.1 $(MAN)/man1/ringsim.1
	install -m 644 cli/man/ringsim-lay.5 cli/man/ringsim-machine.5 cli/man/ringsim-sched.5 cli/man/ringsim-trace.5 $(MAN)/man5
	install -d $(DATA)/assets/machines
	install -m 644 assets/*.lay $(DATA)/assets
	install -m 644 assets/machines/*.machine $(DATA)/assets/machines
	$(foreach f,$(FOR_DESKTOP),install -D -m 644 $(subst :, $(DESTDIR)$(PREFIX)/share/,$f) &&) :
	$(if $(PAGE_THERE),install -m 644 $(PAGE_THERE) $(DATA)/ringsim.html)
	@rm -rf $(DATA)/lessons $(B)/handout && lessons/handout $(B)/handout >/dev/null && \
	  cp -R $(B)/handout/students $(DATA)/lessons && chmod -R u=rwX,go=rX $(DATA)/lessons
	@for m in $(if $(filter 1,$(HAVE_GETTEXT)),$(patsubst $(B)/locale/%,%,$(CATALOGUES))); do \
	  install -d $(LOCALE)/$${m%/*} && install -m 644 $(B)/locale/$$m $(LOCALE)/$$m || exit 1; done

uninstall: ## remove what install put there, with the same PREFIX and DESTDIR
	rm -f $(DESTDIR)$(PREFIX)/bin/ringsim $(addprefix $(DESTDIR)$(PREFIX)/include/,$(notdir $(shell find sim nccl -name 'ringsim*.h'))) \
	  $(addprefix $(DESTDIR)$(PREFIX)/lib/,libringsim.a libringsim_nccl.a pkgconfig/ringsim.pc pkgconfig/ringsim_nccl.pc) \
	  $(MODULES)/ringsim-window.so $(MODULES)/ringsim-mpi.so $(MAN)/man1/ringsim.1 \
	  $(MAN)/man5/ringsim-lay.5 $(MAN)/man5/ringsim-machine.5 $(MAN)/man5/ringsim-sched.5 $(MAN)/man5/ringsim-trace.5 \
	  $(patsubst $(B)/locale/%,$(LOCALE)/%,$(CATALOGUES))
	rm -f $(foreach f,$(FOR_DESKTOP),$(DESTDIR)$(PREFIX)/share/$(lastword $(subst :, ,$f))) $(DATA)/ringsim.html
	rm -rf $(DATA)/lessons $(DATA)/assets
	@rmdir $(MODULES) $(DATA) 2>/dev/null || true

deb: ## one package for Debian and its kin: build/ringsim_VERSION_ARCH.deb; with the page, if make page has made it
	@rm -rf build/deb/root
	@$(BUILD) B=build/deb SHARE=build GPUS=all PREFIX=/usr DESTDIR=$(CURDIR)/build/deb/root ZSH_FOLDER=zsh/vendor-completions install >build/deb.log || \
	  { tail -n 20 build/deb.log; exit 1; }
	@tests/tools/pack-deb build/deb/root $(VERSION) build

# What a wheel may ask of a system is the C library: each library is linked whole where there is one to link, else left out.
static_lib = $(filter /%,$(shell $(CC) -print-file-name=lib$1.a))
link_whole = $(if $(call static_lib,$2),$1_LIBS='$(foreach l,$2 $3,$(call static_lib,$l))',$1=0)
wheel: ## a wheel for Python: build/ringsim-VERSION-py3-none-PLATFORM.whl; no window, MPI or CUDA
	@rm -rf build/wheel/root
	@$(BUILD) B=build/wheel SHARE=build SDL=0 MPI=0 CUDA=0 $(call link_whole,CURSES,ncursesw,tinfo) $(call link_whole,MD4C,md4c) \
	  $(call link_whole,EXPAT,expat) $(call link_whole,ZLIB,z) $(call link_whole,SECCOMP,seccomp) DESTDIR=$(CURDIR)/build/wheel/root install >build/wheel.log || \
	  { tail -n 20 build/wheel.log; exit 1; }
	@strip -D --strip-unneeded build/wheel/root$(PREFIX)/bin/ringsim
	@cli/python/pack build/wheel/root $(VERSION) build

dist: ## the sources as an archive, which builds without git: build/ringsim-VERSION.tar.gz
	@mkdir -p build
	@git archive --prefix=ringsim-$(VERSION)/ HEAD >build/dist.tar && gzip -9n <build/dist.tar >build/ringsim-$(VERSION).tar.gz
	@rm build/dist.tar && ls -l build/ringsim-$(VERSION).tar.gz

# The page first: the package and the wheel take it along.
RELEASE := build/release
release: ## page, package, wheel, sources, what changed, and checksums of all: build/release, the same bytes each time
	@tests/tools/need page && tests/tools/need test >/dev/null
	@$(BUILD) build/ringsim.html && $(BUILD) deb && $(BUILD) wheel && $(BUILD) dist
	@rm -rf $(RELEASE) && mkdir $(RELEASE)
	@cp build/ringsim.html build/ringsim_$(VERSION)_*.deb build/ringsim-$(VERSION)-py3-*.whl build/ringsim-$(VERSION).tar.gz $(RELEASE)
	@awk '/^## / { n++ } n == 1' CHANGELOG.md >$(RELEASE)/notes.md
	@cd $(RELEASE) && sha256sum * >SHA256SUMS && ls -l
