#include "core/project/exact_membership.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "core/space/saturating.h"

namespace kernelscape::project {
namespace {

using Kind = space::Expression::Kind;

std::optional<LoweredTruth> exact_in_range(const LoweredNumber& item, const PythonRange& range) {
  if (range.count == 0) return LoweredTruth{constant_expression(0), item.valid};
  const auto last =
      static_cast<std::int64_t>(base::int128{range.first} + base::int128{range.step} * (range.count - 1));
  std::vector<space::Expression> all{
      operation(Kind::LessEqual, constant_expression(std::min(range.first, last)), item.value),
      operation(Kind::LessEqual, item.value, constant_expression(std::max(range.first, last)))};
  if (range.step != 1 && range.step != -1) {
    if (range.step == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    // Compares remainders, since a difference could overflow.
    const std::int64_t step = std::abs(range.step);
    all.push_back(operation(Kind::Equal, operation(Kind::Modulo, item.value, constant_expression(step)),
                            constant_expression(space::floor_modulo(range.first, step))));
  }
  return LoweredTruth{and_expression(std::move(all)), item.valid};
}

}  // namespace

std::optional<LoweredTruth> exact_in(const LoweredNumber& item, const PythonObject& row) {
  constexpr std::size_t max_items = 256;
  if (row.range) return exact_in_range(item, *row.range);
  if (!row.items || row.items->size() > max_items) return std::nullopt;
  std::vector<space::Expression> equal;
  for (const PythonObject& one : *row.items) {
    // No other object equals a number.
    if (!python_real(one)) continue;
    ExactNumber value = exact_constant(one.value);
    if (!value || value->divisor) return std::nullopt;
    equal.push_back(operation(Kind::Equal, item.value, std::move(value->value)));
  }
  return LoweredTruth{or_expression(std::move(equal)), item.valid};
}

}  // namespace kernelscape::project
