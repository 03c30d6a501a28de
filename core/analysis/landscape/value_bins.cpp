#include "core/analysis/landscape/value_bins.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace kernelscape::analysis {
namespace {

double value_at(std::span<const double> values, std::int64_t row) {
  return values[static_cast<std::size_t>(row)];
}

}  // namespace

/** Returns the value's slot, or the free slot for it. */
std::size_t ValueBins::slot_of(double value) const {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // both zeros are one value
  std::size_t slot = (bits * golden) >> shift_;
  while (slot_bins_[slot] != no_bin && slot_values_[slot] != value)
    slot = (slot + 1) & (slot_bins_.size() - 1);
  return slot;
}

/** Numbers the values collected so far, in a table that is at most a quarter full. */
void ValueBins::fill_slots(std::size_t slots) {
  shift_ = 64 - std::countr_zero(slots);
  slot_values_.assign(slots, 0);
  slot_bins_.assign(slots, no_bin);
  for (std::size_t bin = 0; bin < low_.size(); ++bin) {
    const std::size_t slot = slot_of(low_[bin]);
    slot_values_[slot] = low_[bin];
    slot_bins_[slot] = static_cast<std::int32_t>(bin);
  }
}

/** Makes one bin per value; returns false if there are more than `most`. */
bool ValueBins::take_distinct(std::span<const double> values, std::span<const std::int64_t> rows,
                              std::size_t most) {
  constexpr std::size_t first_slots = 256;
  fill_slots(first_slots);
  for (const std::int64_t row : rows) {
    const double value = value_at(values, row);
    if (!std::isfinite(value)) continue;
    const std::size_t slot = slot_of(value);
    if (slot_bins_[slot] != no_bin) continue;
    if (low_.size() == most) {
      low_.clear();
      return false;
    }
    slot_values_[slot] = value;
    slot_bins_[slot] = static_cast<std::int32_t>(low_.size());
    low_.push_back(value);
    if (4 * low_.size() > slot_bins_.size()) fill_slots(2 * slot_bins_.size());
  }
  std::ranges::sort(low_);
  fill_slots(slot_bins_.size());
  high_ = low_;
  exact_ = true;
  return true;
}

ValueBins ValueBins::by_rank(std::span<const double> values, std::span<const std::int64_t> rows,
                             std::size_t most) {
  ValueBins bins;
  if (bins.take_distinct(values, rows, most)) return bins;
  std::vector<double> sorted;
  sorted.reserve(rows.size());
  for (const std::int64_t row : rows)
    if (std::isfinite(value_at(values, row))) sorted.push_back(value_at(values, row));
  std::ranges::sort(sorted);
  std::optional<std::size_t> last_share;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i] == sorted[i - 1]) continue;
    const std::size_t share = i * most / sorted.size();
    if (share != last_share) {
      bins.low_.push_back(sorted[i]);
      bins.high_.push_back(sorted[i]);
      last_share = share;
    }
    bins.high_.back() = sorted[i];
  }
  return bins;
}

ValueBins ValueBins::by_width(std::span<const double> values, std::span<const std::int64_t> rows,
                              std::size_t most, bool logarithmic) {
  ValueBins bins;
  if (bins.take_distinct(values, rows, most)) return bins;
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const std::int64_t row : rows) {
    const double value = value_at(values, row);
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  const bool ratios = logarithmic && least > 0;
  const auto edge = [&](std::size_t number) {
    const double share = static_cast<double>(number) / static_cast<double>(most);
    if (number == most) return greatest;
    if (!ratios) return std::lerp(least, greatest, share);
    return number == 0 ? least : std::exp2(std::lerp(std::log2(least), std::log2(greatest), share));
  };
  for (std::size_t bin = 0; bin < most; ++bin) {
    bins.low_.push_back(edge(bin));
    bins.high_.push_back(edge(bin + 1));
  }
  return bins;
}

std::int32_t ValueBins::find(double value) const {
  if (!std::isfinite(value) || low_.empty()) return no_bin;
  if (exact_) return slot_bins_[slot_of(value)];
  const auto above = std::ranges::upper_bound(low_, value) - low_.begin();
  return static_cast<std::int32_t>(std::max<std::ptrdiff_t>(above - 1, 0));
}

}  // namespace kernelscape::analysis
