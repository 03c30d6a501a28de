#pragma once

#include <cstdint>

#include "core/base/int128.h"

namespace kernelscape::space {

/**
 * Limits the total number of table entries of the factorizations that the current thread creates during its
 * lifetime. Readers of files hold one, since a short text, or a task that it names, may specify tables that
 * exhaust the memory. It is per thread, since templates create knobs too. Tables count when they are created,
 * even if `Knob::restricted` keeps little of them, and against every allowance that is alive.
 */
class TableAllowance {
 public:
  explicit TableAllowance(std::uint64_t max_numbers);
  ~TableAllowance();
  TableAllowance(const TableAllowance&) = delete;
  TableAllowance& operator=(const TableAllowance&) = delete;

  std::uint64_t taken() const { return taken_; }  ///< table entries created so far

  /**
   * Reserves the entries of a table that is about to be created. Returns false, and reserves nothing, if an
   * allowance is exceeded.
   */
  static bool take(base::uint128 numbers);

 private:
  TableAllowance* around_;  ///< the enclosing allowance
  std::uint64_t max_;
  std::uint64_t taken_ = 0;
};

}  // namespace kernelscape::space
