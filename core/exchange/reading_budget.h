#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/json_size.h"
#include "core/base/result.h"

namespace kernelscape::exchange {

/**
 * The limits for reading a file. The defaults are limits for every machine, far above every log of the papers
 * and of the tuners' own data sets: 2 GiB of text, 64 levels, 33 million values in memory at once (values
 * that are read entry by entry do not count), and 8 GiB of memory for everything that is kept.
 */
struct ReadingBudget {
  std::uint64_t max_bytes = 2ULL << 30;  ///< size of a file, and of its text
  std::size_t max_depth = 64;            ///< nesting of lists and objects; destroying deep ones takes
                                         ///< stack
  std::uint64_t max_values =
      base::max_json_values;                    ///< JSON values in memory at once, as JsonSize counts them
  std::uint64_t max_memory_bytes = 8ULL << 30;  ///< in memory at once: JSON, and the trials created from it
  std::uint64_t max_token_bytes = 16ULL << 20;  ///< size of a text, of a line, or of white space between two
                                                ///< values
  std::size_t max_key_bytes = 64ULL << 10;      ///< size of a key of an object
  std::size_t max_number_bytes = 1024;          ///< digits of a number

  /**
   * Returns the default budget with at most a quarter of the memory that this process may still allocate:
   * storing what was read takes the same amount twice again.
   */
  static ReadingBudget of_this_machine();
};

/** The memory that reading a file holds, compared with its budget. */
class HeldMemory {
 public:
  explicit HeldMemory(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /** Counts bytes before they are allocated. Returns false if the budget is exceeded. */
  bool take(std::uint64_t bytes) {
    held_bytes_ += bytes;
    return held_bytes_ <= max_bytes_;
  }
  /** Subtracts bytes that take() counted. */
  void release_bytes(std::uint64_t bytes) { held_bytes_ -= bytes; }

  std::uint64_t max_bytes() const { return max_bytes_; }  ///< the budget

 private:
  std::uint64_t max_bytes_;
  std::uint64_t held_bytes_ = 0;
};

/** Returns the Refused error for memory that exceeds the budget. */
Error out_of_reading_memory(const HeldMemory& held);

}  // namespace kernelscape::exchange
