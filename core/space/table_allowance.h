#pragma once

#include <cstdint>

#include "core/base/int128.h"

namespace kernelscape {

/**
 * While it lives, the factorizations that its thread makes have at most so many numbers in their tables
 * together. A file's reader holds one: a short text, or a task that it names, may say tables that take all
 * memory. It goes by the thread, since templates make knobs too. Tables count when they are made, also where
 * `Knob::restricted` leaves little of them, and with every allowance that lives.
 */
class TableAllowance {
 public:
  explicit TableAllowance(std::uint64_t most_numbers);
  ~TableAllowance();
  TableAllowance(const TableAllowance&) = delete;
  TableAllowance& operator=(const TableAllowance&) = delete;

  std::uint64_t taken() const { return taken_; }  ///< numbers of the tables that were made

  /** Takes the numbers of a table that is about to be made. False, and nothing is taken, where it may not be.
   */
  static bool take(uint128 numbers);

 private:
  TableAllowance* around_;  ///< the one that lived before
  std::uint64_t most_;
  std::uint64_t taken_ = 0;
};

}  // namespace kernelscape
