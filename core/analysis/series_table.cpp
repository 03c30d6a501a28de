#include "core/analysis/series_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kernelscape::analysis {
namespace {

constexpr std::int64_t values_per_chunk = 1024;

}  // namespace

struct SeriesColumn::Chunk {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled
  explicit Chunk(std::int64_t place) : index(place) { values.fill(std::numeric_limits<double>::quiet_NaN()); }

  std::int64_t index;  ///< index of the chunk, counted in chunks
  std::array<double, values_per_chunk> values;
};

SeriesColumn::Chunk* SeriesColumn::find_chunk(std::int64_t index) const {
  if (!chunks_ || chunks_->empty()) return nullptr;
  // A chunk is at its own index unless chunks before it are missing.
  const auto last = static_cast<std::int64_t>(chunks_->size()) - 1;
  Chunk* guess = (*chunks_)[static_cast<std::size_t>(std::min(index, last))].get();
  if (guess->index == index) return guess;
  const auto found =
      std::ranges::lower_bound(*chunks_, index, {}, [](const auto& chunk) { return chunk->index; });
  return found != chunks_->end() && (*found)->index == index ? found->get() : nullptr;
}

double SeriesColumn::at(std::int64_t trial) const {
  // The writer may have added values beyond the end, which do not belong to the snapshot.
  if (trial < 0 || trial >= end_) return std::numeric_limits<double>::quiet_NaN();
  const Chunk* chunk = find_chunk(trial / values_per_chunk);
  return chunk != nullptr ? chunk->values[static_cast<std::size_t>(trial % values_per_chunk)]
                          : std::numeric_limits<double>::quiet_NaN();
}

const std::vector<SeriesColumn>& SeriesSnapshot::columns() const {
  static const std::vector<SeriesColumn> none;
  return columns_ ? *columns_ : none;
}

const SeriesColumn* SeriesSnapshot::find(std::string_view name) const {
  const auto found = std::ranges::find(columns(), name, &SeriesColumn::name);
  return found != columns().end() ? &*found : nullptr;
}

std::int64_t SeriesSnapshot::value_count() const {
  std::int64_t count = 0;
  for (const SeriesColumn& column : columns()) count += column.count();
  return count;
}

std::int64_t SeriesSnapshot::end() const {
  std::int64_t end = 0;
  for (const SeriesColumn& column : columns()) end = std::max(end, column.end());
  return end;
}

SeriesColumn* SeriesTable::column_of(std::string_view name) {
  const auto place = std::ranges::lower_bound(columns_, name, {}, &SeriesColumn::name);
  if (place != columns_.end() && place->name() == name) return &*place;
  if (columns_.size() >= max_columns) return nullptr;
  SeriesColumn column;
  column.name_ = name;
  return &*columns_.insert(place, std::move(column));
}

/** Returns the chunk of the trial, or a copy of it if a snapshot may read the position that is written. */
SeriesColumn::Chunk& SeriesTable::writable_chunk(SeriesColumn& column, std::int64_t trial) {
  const std::int64_t index = trial / values_per_chunk;
  const SeriesColumn::Chunk* known = column.find_chunk(index);
  const bool shared = trial < column.end_;
  if (known == nullptr || shared) {
    SeriesColumn::ChunkList chunks = column.chunks_ ? *column.chunks_ : SeriesColumn::ChunkList();
    const auto place =
        std::ranges::lower_bound(chunks, index, {}, [](const auto& chunk) { return chunk->index; });
    if (known != nullptr) {
      *place = std::make_shared<SeriesColumn::Chunk>(*known);
    } else {
      chunks.insert(place, std::make_shared<SeriesColumn::Chunk>(index));
    }
    column.chunks_ = std::make_shared<const SeriesColumn::ChunkList>(std::move(chunks));
  }
  return *column.find_chunk(index);
}

void SeriesTable::set(std::int64_t trial, std::string_view name, double value) {
  if (trial < 0 || std::isnan(value)) return;
  SeriesColumn* column = column_of(name);
  if (column == nullptr) return;
  const bool known = !std::isnan(column->at(trial));
  if (known && column->at(trial) == value) return;
  writable_chunk(*column, trial).values[static_cast<std::size_t>(trial % values_per_chunk)] = value;
  column->end_ = std::max(column->end_, trial + 1);
  if (!known) ++column->count_;
}

SeriesSnapshot SeriesTable::snapshot() const {
  SeriesSnapshot snapshot;
  snapshot.columns_ = std::make_shared<const std::vector<SeriesColumn>>(columns_);
  return snapshot;
}

}  // namespace kernelscape::analysis
