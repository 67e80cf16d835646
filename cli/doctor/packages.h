/* packages.h: what a machine may lack, and the packages that bring it. One table for `ringsim doctor`, which knows
 * each THING, and for tests/tools/need and detect, which read these lines as they stand and know each TOOL, too.
 *
 *     THING(what the scripts call it, what doctor calls it, what it is for, apt, dnf, pacman, brew)
 *
 * A package after ? is not in every apt's lists. "": not packaged there.
 */
/* clang-format off */
THING(curses, "ncurses", N_("the walk-through on the terminal"), "libncurses-dev", "ncurses-devel", "ncurses", "ncurses")
THING(md4c, "md4c", N_("the course: ringsim lesson"), "libmd4c-dev", "md4c-devel", "md4c", "md4c")
THING(expat, "expat", N_("machines from NCCL's topology: --machine FILE.xml"), "libexpat1-dev", "expat-devel", "expat", "expat")
THING(zlib, "zlib", N_("hang: compressed dumps"), "zlib1g-dev", "zlib-devel", "zlib", "zlib")
THING(seccomp, "libseccomp", N_("to hold a learner's C: grade, --algo FILE.c"), "libseccomp-dev", "libseccomp-devel", "libseccomp", "")
THING(gettext, "gettext", N_("Chinese"), "gettext", "gettext", "gettext", "gettext")
THING(criterion, "Criterion", N_("the tests"), "libcriterion-dev", "criterion-devel", "criterion", "criterion")
THING(sdl, "SDL2", N_("the window and its pictures"), "libsdl2-dev pkg-config", "SDL2-devel pkgconf-pkg-config", "sdl2 pkgconf", "sdl2 pkg-config")
THING(pango, "pango", N_("the window's shapes and text (cairo, pango)"), "libpango1.0-dev fonts-noto-cjk", "pango-devel google-noto-sans-cjk-fonts", "pango noto-fonts-cjk", "pango font-noto-sans-cjk")
THING(ffmpeg, "ffmpeg", N_("films: --export FILE.mp4, FILE.gif"), "ffmpeg", "ffmpeg-free", "ffmpeg", "ffmpeg")
THING(mpi, "MPI", N_("real runs as CPU processes: verify --on mpi"), "libopenmpi-dev openmpi-bin", "openmpi-devel", "openmpi", "open-mpi")
/* for runs on GPUs, which not every machine has */
THING(driver, "driver", N_("the NVIDIA driver"), "nvidia-driver", "akmod-nvidia", "nvidia", "")
THING(cuda, "CUDA", N_("real runs on GPUs: verify --on cuda (the toolkit: nvcc)"), "?nvidia-cuda-toolkit", "cuda-toolkit", "cuda", "")
THING(nccl, "NCCL", N_("the vendor's library: verify --on nccl"), "?libnccl2 ?libnccl-dev", "libnccl libnccl-devel", "nccl", "")
/* to build, to test and to make the page */
TOOL(cc, "gcc libc6-dev", "gcc glibc-devel", "gcc", "gcc")
TOOL(cxx, "g++", "gcc-c++", "gcc", "gcc")
TOOL(venv, "python3-venv binutils", "python3 binutils", "python binutils", "python binutils")
TOOL(cjson, "libcjson-dev", "cjson-devel", "cjson", "cjson")
TOOL(clang, "clang ?libclang-rt-dev", "clang compiler-rt", "clang compiler-rt", "llvm")
TOOL(symbolizer, "llvm", "llvm", "llvm", "llvm")
TOOL(clang-format, "clang-format", "clang-tools-extra", "clang", "clang-format")
TOOL(wasm, "clang lld wasi-libc libclang-rt-dev-wasm32", "", "clang lld wasi-libc wasi-compiler-rt", "llvm lld wasi-libc wasi-runtimes")
TOOL(zopfli, "zopfli", "zopfli", "zopfli", "zopfli")
TOOL(node, "nodejs", "nodejs", "nodejs", "node")
TOOL(firefox, "firefox-esr", "firefox", "firefox", "firefox")
TOOL(chromium, "chromium", "chromium", "chromium", "chromium")
TOOL(fonts, "fonts-noto-cjk fontconfig", "google-noto-sans-cjk-fonts fontconfig", "noto-fonts-cjk fontconfig", "font-noto-sans-cjk fontconfig")
TOOL(xvfb, "xvfb xauth", "xorg-x11-server-Xvfb xorg-x11-xauth", "xorg-server-xvfb xorg-xauth", "")
TOOL(xdotool, "xdotool", "xdotool", "xdotool", "xdotool")
TOOL(tmux, "tmux", "tmux", "tmux", "tmux")
/* clang-format on */
