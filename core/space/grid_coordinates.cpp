#include "core/space/grid_coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace kernelscape::space {
namespace {

/** The knob's indices that members have, ascending. */
std::vector<std::uint32_t> used_indices(const Knob& knob, std::size_t position,
                                        const std::vector<Configuration>* members) {
  if (members == nullptr) {
    std::vector<std::uint32_t> all(knob.count());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::set<std::uint32_t> used;
  for (const Configuration& member : *members) used.insert(member.indices[position]);
  return {used.begin(), used.end()};
}

/** Where the item stands in a permutation. */
double position_of_item(const Knob& knob, std::uint32_t index, int item) {
  const KnobRow order = knob.row(index);
  return static_cast<double>(std::ranges::find(order, item) - order.begin());
}

/**
 * Returns the sort key of a level; nullopt for a text.
 * @param element of a factorization or permutation
 */
std::optional<double> number_of(const Knob& knob, std::uint32_t index, int element) {
  if (knob.kind() == KnobKind::Permutation) return position_of_item(knob, index, element);
  if (knob.kind() == KnobKind::Factorization) return static_cast<double>(knob.element(index, element));
  const KnobValue& value = knob.value(index);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::nullopt;
}

/** @param levels ascending, at least two */
std::vector<double> positions_of(const std::vector<double>& levels) {
  const bool logarithmic = levels.front() > 0;
  const auto exponent = [&](std::size_t level) {
    return std::log2(levels[level]) - std::log2(levels.front());
  };
  const std::size_t last = levels.size() - 1;
  std::vector<double> positions;
  for (std::size_t level = 0; level <= last; ++level) {
    positions.push_back(logarithmic ? exponent(level) / exponent(last)
                                    : static_cast<double>(level) / static_cast<double>(last));
  }
  return positions;
}

}  // namespace

GridCoordinates::GridCoordinates(SearchSpace space, const std::vector<Configuration>* members)
    : space_(std::move(space)) {
  for (std::size_t position = 0; position < space_.knobs().size(); ++position) {
    const Knob& knob = space_.knobs()[position];
    const std::vector<std::uint32_t> indices = used_indices(knob, position, members);
    const bool several = knob.kind() == KnobKind::Factorization || knob.kind() == KnobKind::Permutation;
    for (int element = 0; element < (several ? knob.element_count() : 1); ++element)
      add_column(position, element, indices);
  }
}

void GridCoordinates::add_column(std::size_t position, int element,
                                 const std::vector<std::uint32_t>& indices) {
  const Knob& knob = space_.knobs()[position];
  std::vector<double> keys(knob.count(), 0);
  base::GridColumn column;
  for (const std::uint32_t index : indices) {
    const std::optional<double> number = number_of(knob, index, element);
    if (!number) column.ordered = false;
    keys[index] = number.value_or(index);
  }
  // Texts among numbers: nothing orders them, so their places stand for all.
  if (!column.ordered) std::iota(keys.begin(), keys.end(), 0);

  std::map<double, std::uint32_t> levels;
  for (const std::uint32_t index : indices) levels.emplace(keys[index], 0);
  if (levels.size() < 2) return;
  std::vector<double> values;
  for (auto& [value, level] : levels) {
    level = static_cast<std::uint32_t>(values.size());
    values.push_back(value);
  }
  column.positions = positions_of(values);
  Source source{position, std::vector<std::uint32_t>(knob.count(), 0)};
  Origin origin{position, element, std::vector<std::uint32_t>(values.size(), 0)};
  for (const std::uint32_t index : indices) {
    source.levels[index] = levels.at(keys[index]);
    origin.indices[source.levels[index]] = index;
  }
  origins_.push_back(std::move(origin));
  columns_.push_back(std::move(column));
  sources_.push_back(std::move(source));
  switch (knob.kind()) {
    case KnobKind::Factorization:
      names_.push_back(fmt::format("{}[{}]", knob.name(), element));
      break;
    case KnobKind::Permutation:
      names_.push_back(fmt::format("{}[{}]", knob.name(), knob.items()[static_cast<std::size_t>(element)]));
      break;
    default:
      names_.push_back(knob.name());
  }
}

base::GridPoint GridCoordinates::of(const Configuration& configuration) const {
  base::GridPoint point;
  point.reserve(sources_.size());
  for (const Source& source : sources_) point.push_back(source.levels[configuration.indices[source.knob]]);
  return point;
}

double grid_distance(const std::vector<base::GridColumn>& columns, const base::GridPoint& a,
                     const base::GridPoint& b) {
  double sum = 0;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const base::GridColumn& grid = columns[column];
    const double unequal = a[column] == b[column] ? 0 : 1;
    sum += grid.ordered ? std::abs(grid.positions[a[column]] - grid.positions[b[column]]) : unequal;
  }
  return sum;
}

}  // namespace kernelscape::space
