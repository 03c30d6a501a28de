// Loaded into the program with LD_PRELOAD: makes calls that open, list or read files below some folders fail
// as on a failing disk, a share that is gone, or of a process that has ended. KERNELSCAPE_FAILING_READS is
// "SEED ONE_IN ERROR CALLS FOLDER...": of these calls (CALLS is all, or read: of files that are open) one in
// so many fails with the errno, by the seed and the number of the call.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Faults {
  std::uint64_t seed = 0;
  std::uint64_t one_in = 0;  ///< 0: none fails
  int error = EIO;
  bool reads_only = false;
  std::vector<std::string> folders;
};

const Faults& faults() {
  // Never destroyed: files are read until the process has ended.
  static const Faults& only = *[] {
    auto* read = new Faults;
    const char* text = std::getenv("KERNELSCAPE_FAILING_READS");
    std::istringstream words(text == nullptr ? "" : text);
    std::string failing;
    words >> read->seed >> read->one_in >> read->error >> failing;
    read->reads_only = failing == "read";
    for (std::string folder; words >> folder;) read->folders.push_back(folder);
    return read;
  }();
  return only;
}

/** splitmix64. */
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

std::atomic<std::uint64_t> calls = 0;

bool next_fails() {
  if (faults().one_in == 0 || mixed(faults().seed + ++calls) % faults().one_in != 0) return false;
  errno = faults().error;
  return true;
}

bool next_opening_fails() { return !faults().reads_only && next_fails(); }

bool is_watched(const char* path) {
  if (path == nullptr) return false;
  for (const std::string& folder : faults().folders)
    if (std::string_view(path).starts_with(folder)) return true;
  return false;
}

/** What a descriptor is open on. */
bool is_watched(int descriptor) {
  const int before = errno;
  std::array<char, 4096> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = readlink(link.c_str(), target.data(), target.size() - 1);
  errno = before;
  return size > 0 && is_watched(target.data());
}

template <typename Function>
Function* following(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

mode_t mode_of(int flags, std::va_list& more) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

}  // namespace

extern "C" {

#define FAILING_OPEN(name)                                                  \
  int name(const char* path, int flags, ...) {                              \
    std::va_list more;                                                      \
    va_start(more, flags);                                                  \
    const mode_t mode = mode_of(flags, more);                               \
    va_end(more);                                                           \
    if (is_watched(path) && next_opening_fails()) return -1;                \
    static auto* const real = following<int(const char*, int, ...)>(#name); \
    return real(path, flags, mode);                                         \
  }
FAILING_OPEN(open)
FAILING_OPEN(open64)

#define FAILING_OPENAT(name)                                                      \
  int name(int folder, const char* path, int flags, ...) {                        \
    std::va_list more;                                                            \
    va_start(more, flags);                                                        \
    const mode_t mode = mode_of(flags, more);                                     \
    va_end(more);                                                                 \
    const bool watched = is_watched(path) || (folder >= 0 && is_watched(folder)); \
    if (watched && next_opening_fails()) return -1;                               \
    static auto* const real = following<int(int, const char*, int, ...)>(#name);  \
    return real(folder, path, flags, mode);                                       \
  }
FAILING_OPENAT(openat)
FAILING_OPENAT(openat64)

#define FAILING_FOPEN(name)                                                      \
  FILE* name(const char* path, const char* mode) {                               \
    if (is_watched(path) && next_opening_fails()) return nullptr;                \
    static auto* const real = following<FILE*(const char*, const char*)>(#name); \
    return real(path, mode);                                                     \
  }
FAILING_FOPEN(fopen)
FAILING_FOPEN(fopen64)

DIR* opendir(const char* path) {
  if (is_watched(path) && next_opening_fails()) return nullptr;
  static auto* const real = following<DIR*(const char*)>("opendir");
  return real(path);
}

#define FAILING_READDIR(type, name)                                \
  type* name(DIR* folder) {                                        \
    if (is_watched(dirfd(folder)) && next_fails()) return nullptr; \
    static auto* const real = following<type*(DIR*)>(#name);       \
    return real(folder);                                           \
  }
FAILING_READDIR(dirent, readdir)
FAILING_READDIR(dirent64, readdir64)

ssize_t read(int descriptor, void* target, size_t bytes) {
  if (is_watched(descriptor) && next_fails()) return -1;
  static auto* const real = following<ssize_t(int, void*, size_t)>("read");
  return real(descriptor, target, bytes);
}

#define FAILING_PREAD(name, offset_type)                                                  \
  ssize_t name(int descriptor, void* target, size_t bytes, offset_type offset) {          \
    if (is_watched(descriptor) && next_fails()) return -1;                                \
    static auto* const real = following<ssize_t(int, void*, size_t, offset_type)>(#name); \
    return real(descriptor, target, bytes, offset);                                       \
  }
FAILING_PREAD(pread, off_t)
FAILING_PREAD(pread64, off64_t)

}  // extern "C"
