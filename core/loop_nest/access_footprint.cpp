#include "core/loop_nest/access_footprint.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

namespace kernelscape::loop_nest {
namespace {

/** Variables in an index with a division are enumerated, up to this number of values. */
constexpr std::int64_t max_values_looked_at = 4096;

/** `count` offsets, `stride` elements apart. */
struct Progression {
  std::int64_t stride = 0;
  std::int64_t count = 1;
};

/**
 * Splits offsets, the first of which is 0, into progressions of progressions: 0 4 8 12 100 104 ... is four
 * offsets 4 apart, repeated for each hundred.
 */
void split_into_progressions(std::vector<std::int64_t> offsets, std::vector<Progression>& progressions) {
  while (offsets.size() > 1) {
    const std::int64_t stride = offsets[1];
    std::size_t run = 1;
    while (run < offsets.size() && offsets[run] == static_cast<std::int64_t>(run) * stride) ++run;
    if (stride != 0) progressions.push_back({std::abs(stride), static_cast<std::int64_t>(run)});
    std::vector<std::int64_t> starts;
    for (std::size_t i = 0; i < offsets.size(); i += run) starts.push_back(offsets[i]);
    offsets = std::move(starts);
  }
}

/** Adds the effect of one variable on an offset. */
void add_sweep(const IndexExpression& offset, const VariableSweep& sweep, std::vector<std::int64_t>& values,
               std::vector<Progression>& progressions) {
  if (sweep.values <= 1) return;
  if (const std::optional<std::int64_t> factor = offset.coefficient(sweep.variable)) {
    if (*factor != 0) progressions.push_back({std::abs(*factor * sweep.step), sweep.values});
    return;
  }
  if (!offset.depends_on(sweep.variable)) return;
  std::int64_t& value = values[static_cast<std::size_t>(sweep.variable)];
  const std::int64_t lowest = value;
  const std::int64_t first = offset.evaluate(values);
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < std::min(sweep.values, max_values_looked_at); ++i) {
    value = lowest + i * sweep.step;
    offsets.push_back(offset.evaluate(values) - first);
  }
  value = lowest;
  split_into_progressions(std::move(offsets), progressions);
}

/** Joins progressions: overlapping windows are one progression, as with strides 1 and 1, or 2 and 1. */
std::vector<Progression> joined_progressions(std::vector<Progression> progressions) {
  std::ranges::sort(progressions, {}, &Progression::stride);
  std::vector<Progression> joint;
  for (const Progression& next : progressions) {
    if (!joint.empty()) {
      Progression& last = joint.back();
      const std::int64_t times = next.stride / last.stride;
      if (next.stride % last.stride == 0 && times <= last.count) {
        last.count += times * (next.count - 1);
        continue;
      }
    }
    joint.push_back(next);
  }
  return joint;
}

/** Counts units from the innermost progression out. */
class UnitCount {
 public:
  UnitCount(double element_bytes, double unit_bytes, bool aligned, double first_byte)
      : element_bytes_(element_bytes),
        unit_bytes_(unit_bytes),
        aligned_(aligned),
        first_byte_(first_byte),
        extent_bytes_(element_bytes) {}

  void add(double stride_bytes, double count) {
    const double extent = stride_bytes * (count - 1) + extent_bytes_;
    const bool touches = stride_bytes <= std::max(extent_bytes_, unit_bytes_);
    if (touches && dense_) {
      units_ = units_of_run(extent);
    } else if (touches) {
      units_ = std::min(units_ * count, units_of_run(extent));
    } else {
      units_ *= count;
      dense_ = false;
    }
    extent_bytes_ = extent;
  }

  double units() const { return units_; }
  double extent_bytes() const { return extent_bytes_; }
  void start() { units_ = units_of_run(extent_bytes_); }

 private:
  double units_of_run(double bytes) const {
    if (!aligned_) return (bytes - element_bytes_) / unit_bytes_ + 1;
    const double from = std::fmod(first_byte_, unit_bytes_);
    return std::floor((from + bytes - 1) / unit_bytes_) + 1;
  }

  double element_bytes_;
  double unit_bytes_;
  bool aligned_;  ///< every run of elements has the same alignment to units as the first
  double first_byte_;
  double extent_bytes_;
  double units_ = 1;
  bool dense_ = true;  ///< no unit between the first and the last is skipped
};

/**
 * Returns true if the variables that do not run, and those with steps larger than a unit, move an access by
 * whole units.
 */
bool moves_by_units(const SweptAccess& access, const std::vector<Progression>& progressions,
                    std::int64_t element_bytes, std::int64_t unit_bytes) {
  for (const Progression& progression : progressions) {
    const std::int64_t bytes = progression.stride * element_bytes;
    if (bytes > unit_bytes && bytes % unit_bytes != 0) return false;
  }
  return std::ranges::all_of(access.offset.variables(), [&](int variable) {
    const bool runs =
        std::ranges::find(access.sweeps, variable, &VariableSweep::variable) != access.sweeps.end();
    const std::optional<std::int64_t> factor = access.offset.coefficient(variable);
    return runs || (factor && *factor * element_bytes % unit_bytes == 0);
  });
}

}  // namespace

Footprint footprint_of(const SweptAccess& access, const LoopNest& nest, std::int64_t element_bytes,
                       std::int64_t unit_bytes) {
  std::vector<std::int64_t> values;
  for (const Range& range : nest.ranges) values.push_back(range.low);
  std::vector<Progression> progressions;
  for (const VariableSweep& sweep : access.sweeps) add_sweep(access.offset, sweep, values, progressions);
  if (access.lanes > 1 && access.lane_stride != 0)
    progressions.push_back({std::abs(access.lane_stride), access.lanes});
  std::vector<std::int64_t> constants = access.constants;
  std::ranges::sort(constants);
  constants.erase(std::ranges::unique(constants).begin(), constants.end());
  const std::int64_t first = access.offset.evaluate(values) + constants.front();
  const std::int64_t least = constants.front();
  for (std::int64_t& constant : constants) constant -= least;
  split_into_progressions(std::move(constants), progressions);
  progressions = joined_progressions(std::move(progressions));

  const auto bytes = static_cast<double>(element_bytes);
  const double first_byte = static_cast<double>(first) * bytes;
  UnitCount count(bytes, static_cast<double>(unit_bytes),
                  moves_by_units(access, progressions, element_bytes, unit_bytes) && first >= 0, first_byte);
  count.start();
  for (const Progression& progression : progressions)
    count.add(static_cast<double>(progression.stride) * bytes, static_cast<double>(progression.count));
  Footprint footprint{count.units(), first_byte, first_byte + count.extent_bytes()};
  const Buffer& buffer = nest.buffers[static_cast<std::size_t>(access.buffer)];
  std::int64_t elements = buffer.layout.physical_count();
  if (buffer.scope != BufferScope::Global)
    elements =
        std::accumulate(buffer.extents.begin(), buffer.extents.end(), std::int64_t{1}, std::multiplies<>());
  const double whole = std::ceil(static_cast<double>(elements) * bytes / static_cast<double>(unit_bytes));
  // Padding is not read: an index that overhangs accesses nothing outside the buffer.
  if (whole > 0) footprint.units = std::min(footprint.units, whole);
  return footprint;
}

Footprint joined(const Footprint& a, const Footprint& b) {
  const double overlap = std::min(a.last_byte, b.last_byte) - std::max(a.first_byte, b.first_byte);
  const double shorter = std::min(a.last_byte - a.first_byte, b.last_byte - b.first_byte);
  const double share = shorter > 0 ? std::clamp(overlap / shorter, 0.0, 1.0) : 0;
  return {a.units + b.units - share * std::min(a.units, b.units), std::min(a.first_byte, b.first_byte),
          std::max(a.last_byte, b.last_byte)};
}

}  // namespace kernelscape::loop_nest
