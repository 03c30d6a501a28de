#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/space/solver/gecode.h"

namespace kernelscape {

/** Whether Gecode has an integer of this value: they end at 2^31 - 2. */
inline bool representable(std::int64_t value) {
  return value >= Gecode::Int::Limits::min && value <= Gecode::Int::Limits::max;
}

/**
 * What Gecode's integer of a variable says of its value: the value itself, or where values pass Gecode's
 * integers, the place in an ascending list of all that there can be. Larger integers are larger values.
 */
class ValueCode {
 public:
  /** An integer is its own value. */
  ValueCode() = default;
  /** @param listed ascending; has to outlive all copies */
  explicit ValueCode(const std::vector<std::int64_t>& listed) : listed_(&listed) {}

  /** What an integer stands for. */
  std::int64_t value(int integer) const {
    return listed_ != nullptr ? (*listed_)[static_cast<std::size_t>(integer)] : integer;
  }

  /** The largest integer whose value is at most this one; one below all of them where there is none. */
  int at_most(std::int64_t value) const {
    if (listed_ == nullptr) return clamped(value);
    return static_cast<int>(std::ranges::upper_bound(*listed_, value) - listed_->begin()) - 1;
  }

  /** The smallest integer whose value is at least this one; one above all of them where there is none. */
  int at_least(std::int64_t value) const {
    if (listed_ == nullptr) return clamped(value);
    return static_cast<int>(std::ranges::lower_bound(*listed_, value) - listed_->begin());
  }

  /** The integer of exactly this value. */
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

}  // namespace kernelscape
