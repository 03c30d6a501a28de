# Sourced by the scripts that build: which packages of Debian each needs, and how the presets are built. app/run, app/package,
# tests/run and .ci/run install missing packages; every other script names them and exits. Sets `root`, the folder of the source tree.
# shellcheck shell=bash disable=SC2034

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")

# The program: tools and libraries. The last line is the window's.
program_packages=(
  build-essential cmake ninja-build ccache
  libboost-dev libcli11-dev libdnnl-dev libeigen3-dev libfmt-dev libgecode-dev libhiredis-dev libnanoflann-dev
  libonnx-dev libprotobuf-dev libsqlite3-dev libssl-dev libxgboost-dev nlohmann-json3-dev ocl-icd-opencl-dev zlib1g-dev
  qt6-base-dev libqt6opengl6-dev qt6-charts-dev qt6-svg-dev qt6-wayland fonts-dejavu-core
)
# What draws icons is a package of its own since Debian 13.
if [[ $(sed -n 's/^VERSION_ID="\?\([0-9]*\).*/\1/p' /etc/os-release 2>/dev/null) != 12 ]]; then program_packages+=(qt6-svg-plugins); fi
# PoCL runs OpenCL kernels on the CPU; redis-server carries the tasks of fleets; libonnx-testdata has a case for each operator of
# models; the Python package has tests of its own.
test_packages=(mold libbenchmark-dev dbus-daemon desktop-file-utils appstream pocl-opencl-icd redis-server file
  libonnx-testdata python3-pytest python3-numpy)
# CPack asks what has libraries to depend on; the rest comes with build-essential.
package_packages=(file)
benchmark_packages=(libbenchmark-dev redis-server)
fuzz_packages=(clang-19 libclang-rt-19-dev)
check_packages=(clang-format-19 shellcheck doxygen)
tidy_packages=(clang-tidy-19)

# Compiled objects are kept in the tree as well, unless the user has a cache.
export CCACHE_DIR=${CCACHE_DIR:-$root/build/ccache}

# missing_packages PACKAGE...: prints those that are not installed, one per line.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null) || true
  for package in "$@"; do
    grep -qx -- "$package installed" <<<"$installed" || echo "$package"
  done
}

# can_query_packages PACKAGE...: false, after naming the packages, where the system has no apt-get to ask.
can_query_packages() {
  command -v apt-get dpkg-query >/dev/null && return
  echo "There is no apt-get here. These packages of Debian, or their equivalents, are needed: $*" >&2
  return 1
}

# install_packages PACKAGE...: for commands that promise to install what is missing; says which packages.
install_packages() {
  local missing as_root=()
  can_query_packages "$@" || return 0
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return 0; fi
  if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo "Packages are missing, and only root can install them. As root, run: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  # One unreachable source need not matter; a package that can't be found does.
  "${as_root[@]}" update >&2 || echo "apt-get update failed; trying with the lists that are here" >&2
  "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" >&2
}

# require_packages PACKAGE...: for all other commands, which leave the machine as it is. Where packages are missing it names
# them, prints the command that installs them, and exits with code 2.
require_packages() {
  local missing
  can_query_packages "$@" || return 0
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return 0; fi
  echo "These packages are missing: ${missing[*]}" >&2
  echo "Install them with: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 2
}

# configure PRESET [-DNAME=VALUE...]
configure() {
  local preset=$1
  shift
  cmake -S "$root" --preset "$preset" --log-level=NOTICE "$@" >&2
}

# build PRESET [TARGET...]: without targets everything.
build() {
  local preset=$1 target=()
  shift
  if (($# > 0)); then target=(--target "$@"); fi
  cmake --build "$root/build/$preset" --parallel "$(nproc)" "${target[@]}" >&2
}
