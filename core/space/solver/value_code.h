#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/space/solver/gecode.h"

namespace kernelscape::space {

/** Returns true if Gecode can represent the value: its integers end at 2^31 - 2. */
inline bool representable(std::int64_t value) {
  return value >= Gecode::Int::Limits::min && value <= Gecode::Int::Limits::max;
}

/**
 * Maps Gecode's integer of a variable to its value: the value itself, or, if values exceed Gecode's integers,
 * the position in an ascending list of all possible values. Larger integers mean larger values.
 */
class ValueCode {
 public:
  /** Maps every integer to itself. */
  ValueCode() = default;
  /** @param listed possible values, ascending; must outlive all copies */
  explicit ValueCode(const std::vector<std::int64_t>& listed) : listed_(&listed) {}

  /** Returns the value of an integer. */
  std::int64_t value(int integer) const {
    return listed_ != nullptr ? (*listed_)[static_cast<std::size_t>(integer)] : integer;
  }

  /** Returns the largest integer whose value is at most `value`; one below all integers if there is none. */
  int at_most(std::int64_t value) const {
    if (listed_ == nullptr) return clamped(value);
    return static_cast<int>(std::ranges::upper_bound(*listed_, value) - listed_->begin()) - 1;
  }

  /**
   * Returns the smallest integer whose value is at least `value`; one above all integers if there is none.
   */
  int at_least(std::int64_t value) const {
    if (listed_ == nullptr) return clamped(value);
    return static_cast<int>(std::ranges::lower_bound(*listed_, value) - listed_->begin());
  }

  /** Returns the integer of exactly this value, or nullopt if there is none. */
  std::optional<int> find(std::int64_t value) const {
    const int integer = at_most(value);
    if (listed_ == nullptr ? !representable(value) : integer < 0 || this->value(integer) != value)
      return std::nullopt;
    return integer;
  }

 private:
  static int clamped(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, std::int64_t{Gecode::Int::Limits::min} - 1,
                                                     std::int64_t{Gecode::Int::Limits::max} + 1));
  }

  const std::vector<std::int64_t>* listed_ = nullptr;
};

}  // namespace kernelscape::space
