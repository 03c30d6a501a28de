#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/worker/output_check.h"
#include "core/measure/worker/page_buffer.h"
#include "core/project/program_data.h"

namespace kernelscape {

/** Memory that a process shares with those it forks; zeroed. */
class SharedBytes {
 public:
  static std::optional<SharedBytes> make(std::size_t bytes);  ///< nothing where the memory can't be had
  SharedBytes(SharedBytes&& other) noexcept;
  SharedBytes& operator=(SharedBytes&& other) noexcept;
  ~SharedBytes();

  std::span<std::byte> bytes() const { return {memory_, bytes_}; }  ///< all of them
  void protect_read_only() const;  ///< a write is a fault (SIGSEGV) from now on

 private:
  SharedBytes(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/** What a user's kernel is given, made once for all its trials, and what its outputs have to be. */
class PreparedProgram {
 public:
  /** Environment where memory is short. The right answers are missing yet. */
  static Result<PreparedProgram> make(std::vector<ProgramArgument> arguments);

  const std::vector<ProgramArgument>& arguments() const { return arguments_; }  ///< in the kernel's order
  /** What an argument holds before a run, on read-only pages; empty for Local. */
  std::span<const std::byte> contents(std::size_t argument) const { return contents_[argument].bytes(); }
  /** Memory for what is right of an argument, to be filled once; empty where it is not compared. */
  std::span<std::byte> right(std::size_t argument) const;
  /** Takes what was filled for right: InvalidArgument names the first element that is no number. */
  Status accept_right();

  /** Of argument `i` what a kernel left: problem and largest error of all. @param intact nothing was written
   * beyond it */
  OutputCheck check(std::size_t argument, std::span<const std::byte> actual, bool intact) const;

  /** Bytes of all vectors that a kernel writes. */
  std::size_t written_bytes() const;

 private:
  PreparedProgram() = default;

  std::vector<ProgramArgument> arguments_;
  std::vector<PageBuffer> contents_;
  std::vector<std::optional<SharedBytes>> right_;
};

/** Whether a kernel may write to it: a vector that is not read-only. */
inline bool is_written(const ProgramArgument& argument) {
  return argument.memory == ArgumentMemory::Vector && argument.access != ArgumentAccess::ReadOnly;
}

/** One verdict of several arguments: the first problem, the largest error. */
void merge_check(OutputCheck& all, OutputCheck one);

}  // namespace kernelscape
