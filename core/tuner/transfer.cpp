#include "core/tuner/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"

namespace kernelscape::tuner {
namespace {

const space::Knob* knob_named(const space::SearchSpace& space, const std::string& name) {
  const auto found = std::ranges::find(space.knobs(), name, &space::Knob::name);
  return found == space.knobs().end() ? nullptr : &*found;
}

bool is_tuple(const space::Knob& knob) {
  return knob.kind() == space::KnobKind::Factorization || knob.kind() == space::KnobKind::Permutation;
}

/** Returns true if the elements of both knobs mean the same. */
bool comparable(const space::Knob& a, const space::Knob& b) {
  if (!is_tuple(a) && !is_tuple(b)) return true;
  return a.kind() == b.kind() && a.element_count() == b.element_count() && a.items() == b.items();
}

/** Returns the knob of the space that can be compared with another space's knob; null: there is none. */
const space::Knob* matching_knob(const space::SearchSpace& space, const space::Knob& other) {
  const space::Knob* knob = knob_named(space, other.name());
  return knob != nullptr && comparable(*knob, other) ? knob : nullptr;
}

/** Returns where an element stands among all that it may be, comparable between spaces; nullopt: a text. */
std::optional<double> place_of(const space::Knob& knob, std::uint32_t index, int element) {
  if (knob.kind() == space::KnobKind::Factorization) {
    if (knob.product() <= 1) return 0;
    return std::log(static_cast<double>(knob.element(index, element))) /
           std::log(static_cast<double>(knob.product()));
  }
  if (knob.kind() == space::KnobKind::Permutation) {
    const space::KnobRow order = knob.row(index);
    return static_cast<double>(std::ranges::find(order, element) - order.begin());
  }
  const space::KnobValue& value = knob.value(index);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  // As a logarithm, for zero and negative numbers too.
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return std::asinh(static_cast<double>(*integer));
  if (const auto* real = std::get_if<double>(&value)) return std::asinh(*real);
  return std::nullopt;
}

/** Returns the distance of an element of two knobs' values; infinite for different texts. */
double element_distance(const space::Knob& a, std::uint32_t index_a, const space::Knob& b,
                        std::uint32_t index_b, int element) {
  const std::optional<double> place_a = place_of(a, index_a, element);
  const std::optional<double> place_b = place_of(b, index_b, element);
  if (place_a && place_b) return std::abs(*place_a - *place_b);
  const bool equal = !place_a && !place_b && a.value(index_a) == b.value(index_b);
  return equal ? 0 : std::numeric_limits<double>::infinity();
}

/** Returns the source's trials that have a speed or failed, as points of its grid. */
std::vector<surrogate::GridObservation> points_of(const SourceTrials& source,
                                                  const space::GridCoordinates& coordinates) {
  std::vector<surrogate::GridObservation> points;
  for (const trial::Observation& trial : source.trials) {
    const bool valid = trial.category == trial::ErrorCategory::NoError;
    points.push_back({coordinates.of(trial.configuration), trial.fitness, valid, trial.spread});
  }
  return points;
}

/** Returns the level of the source's column that is nearest to a value of the space's knob. */
std::uint32_t nearest_level(const space::Knob& source, const space::GridCoordinates::Origin& origin,
                            const space::Knob& knob, std::uint32_t index, std::uint32_t otherwise) {
  double least = std::numeric_limits<double>::infinity();
  std::uint32_t nearest = otherwise;
  for (std::uint32_t level = 0; level < origin.indices.size(); ++level) {
    const double distance = element_distance(source, origin.indices[level], knob, index, origin.element);
    if (distance >= least) continue;
    least = distance;
    nearest = level;
  }
  return nearest;
}

/** Maps the columns of a source's grid to those of a space. */
class ColumnMapper {
 public:
  ColumnMapper(const space::SearchSpace& space, const space::GridCoordinates& coordinates)
      : space_(space), coordinates_(coordinates) {}

  /** @param typical level of the source's fastest trial */
  surrogate::MappedColumn map(const space::Knob& source, const space::GridCoordinates::Origin& origin,
                              std::uint32_t typical) const {
    surrogate::MappedColumn column{.constant = typical};
    const space::Knob* knob = matching_knob(space_, source);
    if (knob == nullptr) return column;
    const auto position = static_cast<std::size_t>(knob - space_.knobs().data());
    const auto& origins = coordinates_.origins();
    const auto target = std::ranges::find_if(origins, [&](const space::GridCoordinates::Origin& candidate) {
      return candidate.knob == position && candidate.element == origin.element;
    });
    if (target == origins.end()) {
      // The space has the knob, but no two members differ in it.
      if (knob->count() == 1) column.constant = nearest_level(source, origin, *knob, 0, typical);
      return column;
    }
    column.target = static_cast<std::size_t>(target - origins.begin());
    for (const std::uint32_t index : target->indices)
      column.levels.push_back(nearest_level(source, origin, *knob, index, typical));
    return column;
  }

 private:
  const space::SearchSpace& space_;
  const space::GridCoordinates& coordinates_;
};

/** Returns the value of a knob that is nearest to a value of a source's knob. */
std::optional<std::uint32_t> nearest_value(const space::Knob& knob, const space::Knob& source,
                                           std::uint32_t index) {
  if (knob == source) return index;
  double least = std::numeric_limits<double>::infinity();
  std::optional<std::uint32_t> nearest;
  for (std::uint32_t value = 0; value < knob.count(); ++value) {
    double distance = 0;
    for (int element = 0; element < knob.element_count(); ++element)
      distance += element_distance(knob, value, source, index, element);
    if (distance >= least) continue;
    least = distance;
    nearest = value;
  }
  return nearest;
}

/** Returns the source's valid trials, fastest first; those of equal speed in their order. */
std::vector<const trial::Observation*> fastest_first(const SourceTrials& source) {
  std::vector<const trial::Observation*> order;
  for (const trial::Observation& trial : source.trials)
    if (trial.fitness > 0) order.push_back(&trial);
  std::ranges::stable_sort(order, std::ranges::greater(), &trial::Observation::fitness);
  return order;
}

std::string knob_names(const space::SearchSpace& space) {
  std::vector<std::string> names;
  for (const space::Knob& knob : space.knobs()) names.push_back(knob.name());
  return base::join(names, ", ");
}

}  // namespace

Status check_source(const space::SearchSpace& space, const SourceTrials& source) {
  const bool common = std::ranges::any_of(
      source.space.knobs(), [&](const space::Knob& knob) { return matching_knob(space, knob) != nullptr; });
  if (!common) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} has no knob in common with this search space: its knobs are {}; this space "
                            "has {}",
                            source.name, knob_names(source.space), knob_names(space)),
                "learn from a session or a recorded space of the same kernel or template");
  }
  const auto valid =
      std::ranges::count_if(source.trials, [](const trial::Observation& trial) { return trial.fitness > 0; });
  if (valid >= min_source_trials) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} has {} valid trials with a speed, but learning from it needs at least {}",
                          source.name, valid, min_source_trials),
              "learn from a longer session");
}

std::shared_ptr<const surrogate::SourceModel> source_model(const space::SearchSpace& space,
                                                           const space::GridCoordinates& coordinates,
                                                           const SourceTrials& source,
                                                           const surrogate::SpaceModelOptions& options,
                                                           base::Random random) {
  std::vector<space::Configuration> measured;
  for (const trial::Observation& trial : source.trials) measured.push_back(trial.configuration);
  const space::GridCoordinates grid(source.space, &measured);
  const base::GridPoint typical = grid.of(fastest_first(source).front()->configuration);
  const ColumnMapper mapper(space, coordinates);
  std::vector<surrogate::MappedColumn> mapping;
  for (std::size_t column = 0; column < grid.columns().size(); ++column) {
    const space::GridCoordinates::Origin& origin = grid.origins()[column];
    mapping.push_back(mapper.map(source.space.knobs()[origin.knob], origin, typical[column]));
  }
  return std::make_shared<surrogate::SourceModel>(grid.columns(), std::move(mapping), options,
                                                  points_of(source, grid), std::move(random));
}

std::vector<space::Configuration> best_of_source(const space::SearchSpace& space, const SourceTrials& source,
                                                 std::size_t most) {
  std::vector<space::Configuration> best;
  std::set<space::Configuration> known;
  std::vector<std::size_t> positions;  // of the source's knob, by the space's knob
  for (const space::Knob& knob : space.knobs()) {
    const space::Knob* match = matching_knob(source.space, knob);
    if (match == nullptr) return best;
    positions.push_back(static_cast<std::size_t>(match - source.space.knobs().data()));
  }
  const std::vector<const trial::Observation*> order = fastest_first(source);
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
    space::Configuration member;
    for (std::size_t knob = 0; knob < positions.size(); ++knob) {
      const std::optional<std::uint32_t> value =
          nearest_value(space.knobs()[knob], source.space.knobs()[positions[knob]],
                        order[i]->configuration.indices[positions[knob]]);
      if (!value) break;
      member.indices.push_back(*value);
    }
    if (member.indices.size() != positions.size() || !space.contains(member)) continue;
    if (known.insert(member).second) best.push_back(std::move(member));
  }
  return best;
}

PredictedStarts::PredictedStarts(std::vector<space::Configuration> members,
                                 const space::GridCoordinates& coordinates)
    : columns_(coordinates.columns()) {
  for (space::Configuration& member : members) {
    base::GridPoint point = coordinates.of(member);
    candidates_.push_back({std::move(member), std::move(point), std::numeric_limits<double>::infinity()});
  }
}

std::optional<space::Configuration> PredictedStarts::next() {
  if (candidates_.empty()) return std::nullopt;
  const auto chosen = std::exchange(first_, false)
                          ? candidates_.begin()
                          : std::ranges::max_element(candidates_, {}, &Candidate::nearest);
  const Candidate taken = std::move(*chosen);
  candidates_.erase(chosen);
  for (Candidate& candidate : candidates_) {
    candidate.nearest =
        std::min(candidate.nearest, space::grid_distance(columns_, candidate.point, taken.point));
  }
  return taken.member;
}

}  // namespace kernelscape::tuner
