#include "core/space/cached_features.h"

#include <algorithm>
#include <tuple>

#include "core/base/thread_cpu_time.h"

namespace kernelscape::space {
namespace {

/// Places that a configuration of a larger space may have, one after the other.
constexpr std::size_t places_tried = 16;

std::size_t places_within(std::size_t max_bytes, std::size_t columns) {
  const std::size_t row_bytes = (columns + 1) * sizeof(float) + sizeof(base::uint128) + 1;
  return std::max<std::size_t>(1, max_bytes / row_bytes);
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

CachedFeatures::CachedFeatures(std::shared_ptr<const FeatureExtractor> features, SearchSpace space,
                               std::size_t max_bytes)
    : features_(std::move(features)),
      space_(std::move(space)),
      columns_(features_->names().size()),
      whole_(space_.size() <= places_within(max_bytes, columns_)),
      places_(whole_ ? static_cast<std::size_t>(space_.size()) : places_within(max_bytes, columns_)),
      states_(std::make_unique<std::atomic<Place>[]>(places_)),
      indices_(std::make_unique_for_overwrite<base::uint128[]>(places_)),
      compute_seconds_(std::make_unique_for_overwrite<float[]>(places_)),
      rows_(std::make_unique_for_overwrite<float[]>(places_ * columns_)) {}

std::size_t CachedFeatures::first_place(base::uint128 index) const {
  if (whole_) return static_cast<std::size_t>(index);
  const auto high = static_cast<std::uint64_t>(index >> 64);
  return static_cast<std::size_t>(mixed(static_cast<std::uint64_t>(index) ^ mixed(high)) % places_);
}

void CachedFeatures::write(const Configuration& configuration, std::span<float> row) const {
  std::ignore = write_kept(configuration, row);
}

std::optional<KeptRow> CachedFeatures::write_kept(const Configuration& configuration,
                                                  std::span<float> row) const {
  const base::uint128 index = space_.index_of(configuration);
  std::size_t place = first_place(index);
  const std::size_t tried = whole_ ? 1 : std::min(places_tried, places_);
  for (std::size_t i = 0; i < tried; ++i, place = place + 1 == places_ ? 0 : place + 1) {
    const Place state = states_[place].load(std::memory_order_acquire);
    if (state == Place::Ready && indices_[place] == index) {
      std::ranges::copy(row_at(place), row.begin());
      return KeptRow{place, false, compute_seconds_[place]};
    }
    if (state == Place::Ready) continue;
    if (state == Place::Empty) return compute_at(place, index, configuration, row);
    break;
  }
  features_->write(configuration, row);
  if (whole_) return KeptRow{place, true, 0};
  return std::nullopt;
}

/** Computes a row, and stores it with its computing time unless another thread is about to use the place. */
std::optional<KeptRow> CachedFeatures::compute_at(std::size_t place, base::uint128 index,
                                                  const Configuration& configuration,
                                                  std::span<float> row) const {
  const double begin = base::thread_cpu_seconds();
  features_->write(configuration, row);
  const double seconds = base::thread_cpu_seconds() - begin;
  Place expected = Place::Empty;
  if (states_[place].compare_exchange_strong(expected, Place::Written, std::memory_order_relaxed)) {
    indices_[place] = index;
    compute_seconds_[place] = static_cast<float>(seconds);
    std::ranges::copy(row, row_at(place).begin());
    states_[place].store(Place::Ready, std::memory_order_release);
  } else if (!whole_) {
    return std::nullopt;
  }
  return KeptRow{place, true, 0};
}

}  // namespace kernelscape::space
