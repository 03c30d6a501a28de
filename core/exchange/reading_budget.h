#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/json_size.h"
#include "core/base/result.h"

namespace kernelscape {

/**
 * What reading a file may take. The defaults are ceilings for every machine, far above every log of the
 * papers and of the tuners' own data sets: 2 GiB of text, 64 levels, 33 million values held at once (what is
 * read entry by entry does not count), and 8 GiB of memory for what is kept of it all.
 */
struct ReadingBudget {
  std::uint64_t most_bytes = 2ULL << 30;         ///< of a file, and of its text
  std::size_t most_depth = 64;                   ///< of lists and objects; destroying deep ones takes stack
  std::uint64_t most_values = most_json_values;  ///< of JSON held at once, as JsonSize counts them
  std::uint64_t most_memory_bytes = 8ULL << 30;  ///< held at once: JSON, and what trials it became
  std::uint64_t most_token_bytes = 16ULL << 20;  ///< of a text, of a line, of space between two values
  std::size_t most_key_bytes = 64ULL << 10;      ///< of a key of an object
  std::size_t most_number_bytes = 1024;          ///< digits of a number

  /**
   * The same, with at most a quarter of the memory that this process may still take: storing what was read
   * takes as much again, twice.
   */
  static ReadingBudget of_this_machine();
};

/** Memory that reading a file holds, against its budget. */
class HeldMemory {
 public:
  explicit HeldMemory(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /** Counts bytes that are about to be held. False where the budget is exceeded. */
  bool take(std::uint64_t bytes) {
    held_bytes_ += bytes;
    return held_bytes_ <= most_bytes_;
  }
  /** Of what take() counted. */
  void give_back(std::uint64_t bytes) { held_bytes_ -= bytes; }

  std::uint64_t most_bytes() const { return most_bytes_; }  ///< the budget

 private:
  std::uint64_t most_bytes_;
  std::uint64_t held_bytes_ = 0;
};

/** Refused: what is held exceeds the budget. */
Error out_of_reading_memory(const HeldMemory& held);

}  // namespace kernelscape
