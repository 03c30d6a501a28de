#include "core/space/cached_features.h"

#include <algorithm>

namespace kernelscape {
namespace {

/// Places that a configuration of a larger space may have, one after the other.
constexpr std::size_t places_tried = 16;

std::size_t places_within(std::size_t most_bytes, std::size_t columns) {
  const std::size_t row_bytes = columns * sizeof(float) + sizeof(uint128) + 1;
  return std::max<std::size_t>(1, most_bytes / row_bytes);
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

CachedFeatures::CachedFeatures(std::shared_ptr<const FeatureExtractor> features, SearchSpace space,
                               std::size_t most_bytes)
    : features_(std::move(features)),
      space_(std::move(space)),
      columns_(features_->names().size()),
      whole_(space_.size() <= places_within(most_bytes, columns_)),
      places_(whole_ ? static_cast<std::size_t>(space_.size()) : places_within(most_bytes, columns_)),
      states_(std::make_unique<std::atomic<Place>[]>(places_)),
      indices_(std::make_unique_for_overwrite<uint128[]>(places_)),
      rows_(std::make_unique_for_overwrite<float[]>(places_ * columns_)) {}

std::size_t CachedFeatures::first_place(uint128 index) const {
  if (whole_) return static_cast<std::size_t>(index);
  const auto high = static_cast<std::uint64_t>(index >> 64);
  return static_cast<std::size_t>(mixed(static_cast<std::uint64_t>(index) ^ mixed(high)) % places_);
}

void CachedFeatures::write(const Configuration& configuration, std::span<float> row) const {
  const uint128 index = space_.index_of(configuration);
  std::size_t place = first_place(index);
  const std::size_t tried = whole_ ? 1 : std::min(places_tried, places_);
  for (std::size_t i = 0; i < tried; ++i, place = place + 1 == places_ ? 0 : place + 1) {
    const Place state = states_[place].load(std::memory_order_acquire);
    if (state == Place::Ready && indices_[place] == index) {
      std::ranges::copy(row_at(place), row.begin());
      return;
    }
    if (state == Place::Ready) continue;
    features_->write(configuration, row);
    if (state == Place::Empty) keep(place, index, row);
    return;
  }
  features_->write(configuration, row);
}

void CachedFeatures::keep(std::size_t place, uint128 index, std::span<const float> row) const {
  Place expected = Place::Empty;
  if (!states_[place].compare_exchange_strong(expected, Place::Written, std::memory_order_relaxed)) return;
  indices_[place] = index;
  std::ranges::copy(row, row_at(place).begin());
  states_[place].store(Place::Ready, std::memory_order_release);
}

}  // namespace kernelscape
