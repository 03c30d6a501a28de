#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/codegen/kernel_source.h"

extern char** environ;

namespace kernelscape::testing {

struct CompilerRun {
  bool started = false;
  bool succeeded = false;
  std::string output;
};

/** Runs a compiler on `base`.c; what it says goes to `base`.log. */
inline CompilerRun run_compiler(const std::string& base, std::vector<std::string> command) {
  const std::string log = base + ".log";
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  CompilerRun run;
  run.started = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!run.started) return run;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  run.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  std::ifstream file(log);
  run.output.assign(std::istreambuf_iterator<char>(file), {});
  return run;
}

/** Source and shared object `base`.c and `base`.so; the compiler's words where it fails. */
inline std::string compile_shared(const std::string& base, const std::string& text,
                                  const std::vector<std::string>& flags = {}) {
  std::ofstream(base + ".c") << text;
  std::vector<std::string> command{"cc", "-O1", "-march=native"};
  command.insert(command.end(), flags.begin(), flags.end());
  for (const std::string& word :
       {std::string("-shared"), std::string("-fPIC"), std::string("-o"), base + ".so", base + ".c"})
    command.push_back(word);
  const CompilerRun run = run_compiler(base, command);
  if (!run.started) return "no compiler cc";
  return run.succeeded ? std::string() : run.output + " ";
}

/** Calls use(i) for 0, 1, ... in order, after prepare(i), which runs for two of them at a time. */
inline void pipelined(std::size_t count, const std::function<std::string(std::size_t)>& prepare,
                      const std::function<bool(std::size_t, const std::string&)>& use) {
  std::vector<std::future<std::string>> running;
  for (std::size_t i = 0; i < count; ++i) {
    while (running.size() < count && running.size() < i + 2)
      running.push_back(std::async(std::launch::async, prepare, running.size()));
    if (!use(i, running[i].get())) return;
  }
}

/** An element of f16 that takes values that the type has exactly: the bits of an f32 of another exponent. */
class HalfElement {
 public:
  explicit HalfElement(double value)
      : bits_(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(magnitude(value)) >> 13 |
                                         (std::signbit(value) ? 0x8000U : 0U))) {}
  explicit operator double() const {
    const auto size = std::bit_cast<float>(static_cast<std::uint32_t>(bits_ & 0x7fffU) << 13);
    return std::copysign(static_cast<double>(size) * 0x1p112, (bits_ & 0x8000U) != 0 ? -1.0 : 1.0);
  }

 private:
  static float magnitude(double value) { return static_cast<float>(std::fabs(value) * 0x1p-112); }

  std::uint16_t bits_;
};

/** An element of bf16 that takes values that the type has exactly: the upper half of an f32. */
class Bf16Element {
 public:
  explicit Bf16Element(double value)
      : bits_(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16)) {}
  explicit operator double() const {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16));
  }

 private:
  std::uint16_t bits_;
};

/** Elements that begin right behind, or end right before, memory that nobody may touch. */
class GuardedArray {
 public:
  /** @param element_type "f32", "f16", "bf16", "i32", "u8" or "i8" */
  GuardedArray(std::string_view element_type, std::size_t count, bool at_end)
      : type_(element_type),
        bytes_(count * (element_type.ends_with("32")   ? 4
                        : element_type.ends_with("16") ? 2
                                                       : 1)) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = std::max<std::size_t>(1, (bytes_ + page - 1) / page) * page;
    mapped_ = bytes + 2 * page;
    void* memory = mmap(nullptr, mapped_, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory");
    base_ = static_cast<char*>(memory);
    inside_ = {base_ + page, bytes};
    mprotect(inside_.data(), inside_.size(), PROT_READ | PROT_WRITE);
    std::ranges::fill(inside_, slack);
    data_ = at_end ? inside_.data() + (bytes - bytes_) : inside_.data();
  }
  GuardedArray(GuardedArray&& other) noexcept
      : type_(std::move(other.type_)),
        bytes_(other.bytes_),
        mapped_(other.mapped_),
        base_(std::exchange(other.base_, nullptr)),
        data_(other.data_),
        inside_(other.inside_) {}
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  GuardedArray& operator=(GuardedArray&&) = delete;
  ~GuardedArray() {
    if (base_ != nullptr) munmap(base_, mapped_);
  }

  void* data() const { return data_; }
  template <typename Element>
  std::span<Element> as() const {
    return {reinterpret_cast<Element*>(data_), bytes_ / sizeof(Element)};
  }
  /** Calls visit(elements) with a span of the array's type. */
  template <typename Visit>
  auto with_elements(const Visit& visit) const {
    if (type_ == "u8") return visit(as<std::uint8_t>());
    if (type_ == "i8") return visit(as<std::int8_t>());
    if (type_ == "i32") return visit(as<std::int32_t>());
    if (type_ == "f16") return visit(as<HalfElement>());
    if (type_ == "bf16") return visit(as<Bf16Element>());
    return visit(as<float>());
  }
  void make_read_only() const { mprotect(inside_.data(), inside_.size(), PROT_READ); }

  /** Nothing was written beside the elements. */
  bool clean() const {
    const auto untouched = [](char byte) { return byte == slack; };
    const auto before = static_cast<std::size_t>(data_ - inside_.data());
    return std::ranges::all_of(inside_.first(before), untouched) &&
           std::ranges::all_of(inside_.subspan(before + bytes_), untouched);
  }

 private:
  static constexpr char slack = 0x5a;

  std::string type_;
  std::size_t bytes_;
  std::size_t mapped_ = 0;
  char* base_ = nullptr;
  char* data_ = nullptr;
  std::span<char> inside_;
};

template <std::size_t>
using KernelPointer = void*;

/** Calls a kernel with as many pointers as it has arguments. */
template <std::size_t Count = 3>
void call_kernel(void* entry, int part, int parts, std::span<const GuardedArray> arguments) {
  constexpr std::size_t max_arguments = 11;
  if constexpr (Count <= max_arguments) {
    if (arguments.size() != Count) return call_kernel<Count + 1>(entry, part, parts, arguments);
    [&]<std::size_t... Number>(std::index_sequence<Number...>) {
      reinterpret_cast<void (*)(int, int, KernelPointer<Number>...)>(entry)(part, parts,
                                                                            arguments[Number].data()...);
    }(std::make_index_sequence<Count>());
  }
}

/** Runs all parts of a kernel in a process of its own, the last one first; says what went wrong. */
inline std::string run_kernel(const std::string& library, const std::string& entry,
                              std::span<const GuardedArray> arguments, int parts) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  void* const kernel = dlsym(handle, entry.c_str());
  std::string wrong = kernel == nullptr ? "the library lacks " + entry : "";
  if (kernel != nullptr) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      for (int part = parts; part-- > 0;) call_kernel(kernel, part, parts, arguments);
      _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
      wrong =
          fmt::format("the kernel ended with signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  dlclose(handle);
  if (wrong.empty() && !arguments[2].clean()) wrong = "the kernel wrote beside its output";
  return wrong;
}

}  // namespace kernelscape::testing
