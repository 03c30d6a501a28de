# Sourced by app/run, app/package, tests/run, .ci/run and the runners of benchmarks and fuzzers: the packages of Debian and how the
# presets are built. Sets `root`, the folder of the source tree.
# shellcheck shell=bash disable=SC2034

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")

# The program: tools and libraries. The last line is the window's.
program_packages=(
  build-essential cmake ninja-build ccache
  libboost-dev libcli11-dev libdnnl-dev libeigen3-dev libfmt-dev libgecode-dev libhiredis-dev libnanoflann-dev
  libonnx-dev libprotobuf-dev libsqlite3-dev libssl-dev libxgboost-dev nlohmann-json3-dev ocl-icd-opencl-dev zlib1g-dev
  qt6-base-dev libqt6opengl6-dev qt6-charts-dev qt6-svg-dev qt6-wayland fonts-dejavu-core
)
# PoCL runs OpenCL kernels on the CPU; redis-server carries the tasks of fleets.
test_packages=(mold libbenchmark-dev dbus-daemon desktop-file-utils appstream pocl-opencl-icd redis-server file)
# CPack asks what has libraries to depend on; the rest comes with build-essential.
package_packages=(file)
benchmark_packages=(libbenchmark-dev redis-server)
fuzz_packages=(clang-19 libclang-rt-19-dev)
check_packages=(clang-format-19 shellcheck doxygen)
tidy_packages=(clang-tidy-19)

# Compiled objects are kept in the tree as well, unless the user has a cache.
export CCACHE_DIR=${CCACHE_DIR:-$root/build/ccache}

# install_packages PACKAGE...: as far as they are missing.
install_packages() {
  local package missing=() as_root=()
  if ! command -v apt-get dpkg-query >/dev/null; then
    echo "No apt-get here; these packages of Debian are needed: $*" >&2
    return 0
  fi
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
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
