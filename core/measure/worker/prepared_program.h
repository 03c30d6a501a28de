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

namespace kernelscape::measure {

/** Zeroed memory that a process shares with its forked children. */
class SharedBytes {
 public:
  static std::optional<SharedBytes> make(
      std::size_t bytes);  ///< returns nullopt if the memory is not available
  SharedBytes(SharedBytes&& other) noexcept;
  SharedBytes& operator=(SharedBytes&& other) noexcept;
  ~SharedBytes();

  std::span<std::byte> bytes() const { return {memory_, bytes_}; }  ///< all bytes of the memory
  void protect_read_only() const;                                   ///< makes later writes a fault (SIGSEGV)

 private:
  SharedBytes(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/** The arguments of a user's kernel, made once for all its trials, and the reference outputs. */
class PreparedProgram {
 public:
  /**
   * Makes the arguments. Returns Environment if there is not enough memory. The reference outputs must be
   * filled afterwards.
   */
  static Result<PreparedProgram> make(std::vector<project::ProgramArgument> arguments);

  const std::vector<project::ProgramArgument>& arguments() const {
    return arguments_;
  }  ///< in the order of the kernel's parameters
  /** Returns the contents of an argument before a run, on read-only pages; empty for Local. */
  std::span<const std::byte> contents(std::size_t argument) const { return contents_[argument].bytes(); }
  /**
   * Returns memory for the reference of an argument, to be filled once; empty if the argument is not
   * compared.
   */
  std::span<std::byte> right(std::size_t argument) const;
  /** Accepts the reference after it was filled. InvalidArgument names the first element that is NaN. */
  Status accept_right();

  /**
   * Compares argument `i` after a run with its reference: the problem, and the largest error of all elements.
   * @param intact true: nothing was written beyond the argument
   */
  OutputCheck check(std::size_t argument, std::span<const std::byte> actual, bool intact) const;

  /** Returns the bytes of all vectors that a kernel writes. */
  std::size_t written_bytes() const;

 private:
  PreparedProgram() = default;

  std::vector<project::ProgramArgument> arguments_;
  std::vector<PageBuffer> contents_;
  std::vector<std::optional<SharedBytes>> right_;
};

/** Returns true if a kernel may write to the argument: a vector that is not read-only. */
inline bool is_written(const project::ProgramArgument& argument) {
  return argument.memory == project::ArgumentMemory::Vector &&
         argument.access != project::ArgumentAccess::ReadOnly;
}

/** Merges the checks of several arguments: keeps the first problem and the largest error. */
void merge_check(OutputCheck& all, OutputCheck one);

}  // namespace kernelscape::measure
