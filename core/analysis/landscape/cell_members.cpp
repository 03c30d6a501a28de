#include "core/analysis/landscape/cell_members.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kernelscape::analysis {
namespace {

constexpr std::size_t members_between_questions = 4096;
constexpr std::size_t draws_per_member = 40;
constexpr std::size_t max_solved = 8;  // a solution takes about a millisecond

/** The values of a knob that a cell allows, ascending. */
struct AllowedValues {
  std::size_t knob = 0;
  std::vector<std::uint32_t> indices;
};

/** Returns the allowed values of one or two knobs; none if no value is in both bins. */
std::vector<AllowedValues> allowed_in_cell(const CellAxis& x, const CellAxis& y, std::size_t x_bin,
                                           std::size_t y_bin) {
  const auto in_bin = [](const CellAxis& axis, std::size_t index, std::size_t bin) {
    return axis.bin_of_index[index] == static_cast<std::int32_t>(bin);
  };
  const bool same_knob = x.knob == y.knob;
  AllowedValues along{x.knob, {}};
  for (std::uint32_t index = 0; index < x.bin_of_index.size(); ++index)
    if (in_bin(x, index, x_bin) && (!same_knob || in_bin(y, index, y_bin))) along.indices.push_back(index);
  if (same_knob) return {std::move(along)};
  AllowedValues up{y.knob, {}};
  for (std::uint32_t index = 0; index < y.bin_of_index.size(); ++index)
    if (in_bin(y, index, y_bin)) up.indices.push_back(index);
  return {std::move(along), std::move(up)};
}

space::Configuration draw_in_cell(const space::SearchSpace& space, const std::vector<AllowedValues>& allowed,
                                  base::Random& random) {
  space::Configuration drawn;
  for (const space::Knob& knob : space.knobs())
    drawn.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
  for (const AllowedValues& values : allowed)
    drawn.indices[values.knob] = values.indices[random.below(values.indices.size())];
  return drawn;
}

/**
 * Returns a space of the cell's configurations, or nullopt if constraints, which refer to texts and reals by
 * position, would change their meaning.
 */
std::optional<space::SearchSpace> cell_space(const space::SearchSpace& space,
                                             const std::vector<AllowedValues>& allowed) {
  if (space.explicit_members() != nullptr) return std::nullopt;
  std::vector<space::Knob> knobs = space.knobs();
  for (const AllowedValues& values : allowed) {
    Result<space::Knob> restricted = knobs[values.knob].restricted(values.indices);
    if (!restricted) return std::nullopt;
    for (std::uint32_t place = 0; place < restricted->count(); ++place)
      if (!std::ranges::equal(restricted->row(place), knobs[values.knob].row(values.indices[place])))
        return std::nullopt;
    knobs[values.knob] = std::move(*restricted);
  }
  Result<space::SearchSpace> made = space::SearchSpace::make(std::move(knobs), space.constraints());
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

void add_new(std::vector<space::Configuration>& members, space::Configuration member) {
  if (std::ranges::find(members, member) == members.end()) members.push_back(std::move(member));
}

void add_solved(std::vector<space::Configuration>& members, const space::SearchSpace& space,
                const std::vector<AllowedValues>& allowed, std::size_t most, base::Random& random) {
  const std::optional<space::SearchSpace> cell = cell_space(space, allowed);
  for (std::size_t count = 0; cell && count < most; ++count) {
    std::optional<space::Configuration> member = cell->random_member(random);
    if (!member) return;
    for (const AllowedValues& values : allowed)
      member->indices[values.knob] = values.indices[member->indices[values.knob]];
    add_new(members, std::move(*member));
  }
}

std::vector<space::Configuration> draw_members(const space::SearchSpace& space,
                                               const std::vector<AllowedValues>& allowed, std::size_t most,
                                               base::Random& random) {
  std::vector<space::Configuration> members;
  const bool reachable = std::ranges::none_of(allowed, [](const auto& a) { return a.indices.empty(); });
  if (!reachable) return members;
  for (std::size_t draw = 0; draw < draws_per_member * most && members.size() < most; ++draw) {
    space::Configuration drawn = draw_in_cell(space, allowed, random);
    if (space.contains(drawn)) add_new(members, std::move(drawn));
  }
  const std::size_t few = std::min(most, max_solved);
  if (space.has_restrictions() && members.size() < few)
    add_solved(members, space, allowed, few - members.size(), random);
  return members;
}

}  // namespace

CellAxis cell_axis(const space::SearchSpace& space, const TrialColumns& columns, std::size_t column,
                   const ValueBins& bins) {
  CellAxis axis{columns.columns()[column].knob.value(), bins.count(), {}};
  const std::uint32_t count = space.knobs()[axis.knob].count();
  for (std::uint32_t index = 0; index < count; ++index) {
    const double value = columns.value_of_index(column, index);
    const std::int32_t bin = bins.find(value);
    const auto place = static_cast<std::size_t>(bin);
    const bool inside = bin != ValueBins::no_bin && value >= bins.low(place) && value <= bins.high(place);
    axis.bin_of_index.push_back(inside ? bin : ValueBins::no_bin);
  }
  return axis;
}

std::optional<std::size_t> cell_of(const CellAxis& x, const CellAxis& y,
                                   const space::Configuration& configuration) {
  const std::int32_t x_bin = x.bin_of_index[configuration.indices[x.knob]];
  const std::int32_t y_bin = y.bin_of_index[configuration.indices[y.knob]];
  if (x_bin == ValueBins::no_bin || y_bin == ValueBins::no_bin) return std::nullopt;
  return static_cast<std::size_t>(y_bin) * x.bins + static_cast<std::size_t>(x_bin);
}

std::vector<std::vector<space::Configuration>> listed_cell_members(
    const std::vector<space::Configuration>& members, const CellAxis& x, const CellAxis& y, std::size_t most,
    base::Random random, const std::function<bool()>& keep_going) {
  std::vector<std::vector<space::Configuration>> cells(x.bins * y.bins);
  std::vector<std::uint64_t> seen(cells.size(), 0);
  for (std::size_t number = 0; number < members.size(); ++number) {
    if (number % members_between_questions == 0 && !keep_going()) return cells;
    const std::optional<std::size_t> cell = cell_of(x, y, members[number]);
    if (!cell) continue;
    std::vector<space::Configuration>& kept = cells[*cell];
    // Reservoir sampling: each of the members seen is kept with the same probability.
    const std::uint64_t place = random.below(++seen[*cell]);
    if (kept.size() < most) {
      kept.push_back(members[number]);
    } else if (place < most) {
      kept[place] = members[number];
    }
  }
  return cells;
}

std::vector<std::vector<space::Configuration>> drawn_cell_members(const space::SearchSpace& space,
                                                                  const CellAxis& x, const CellAxis& y,
                                                                  std::size_t most, base::Random random,
                                                                  const std::function<bool()>& keep_going) {
  std::vector<std::vector<space::Configuration>> cells(x.bins * y.bins);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (!keep_going()) return cells;
    cells[cell] = draw_members(space, allowed_in_cell(x, y, cell % x.bins, cell / x.bins), most, random);
  }
  return cells;
}

}  // namespace kernelscape::analysis
