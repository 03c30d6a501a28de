#include "core/analysis/random_walk.h"

#include <fmt/format.h>

namespace kernelscape {
namespace {

constexpr double least_mass = 1e-12;

std::unexpected<Error> refuse(std::string reason, std::string hint) {
  return fail(ErrorCode::InvalidArgument, "random walk: " + reason, std::move(hint));
}

Status check_walk(const Knob& knob, std::uint32_t start, double q) {
  if (!(q >= 0 && q <= most_walk_rate))
    return refuse(fmt::format("the mutation rate {} is not between 0 and {}", q, most_walk_rate),
                  "the paper takes 0.5");
  if (start >= knob.count())
    return refuse(
        fmt::format("knob \"{}\" has {} values, there is no value {}", knob.name(), knob.count(), start),
        "choose one of its values");
  if (knob.kind() != KnobKind::Categorical && knob.count() > most_walk_values)
    return refuse(fmt::format("knob \"{}\" has {} values, over the limit of {}", knob.name(), knob.count(),
                              most_walk_values),
                  "restrict its values");
  return {};
}

/** All values are each other's neighbours: by the two eigenvalues of W, 1 and -1 / (n - 1). */
std::vector<double> complete_graph_distribution(std::uint32_t count, std::uint32_t start, double q) {
  if (count == 1) return {1};
  const auto n = static_cast<double>(count);
  const double other = (1 - (1 - q) / (1 + q / (n - 1))) / n;
  std::vector<double> distribution(count, other);
  distribution[start] = 1 - (n - 1) * other;
  return distribution;
}

/** The neighbours of all values, one list after the other. */
struct NeighbourLists {
  std::vector<std::uint32_t> targets;
  std::vector<std::size_t> ends;  ///< of each value's list
};

NeighbourLists neighbour_lists(const Knob& knob) {
  NeighbourLists lists;
  for (std::uint32_t value = 0; value < knob.count(); ++value) {
    const std::vector<std::uint32_t> neighbours = knob.neighbours(value);
    lists.targets.insert(lists.targets.end(), neighbours.begin(), neighbours.end());
    lists.ends.push_back(lists.targets.size());
  }
  return lists;
}

/** One step of all that walks. */
std::vector<double> stepped(const NeighbourLists& lists, const std::vector<double>& walking, double q) {
  std::vector<double> next(walking.size());
  std::size_t first = 0;
  for (std::size_t value = 0; value < walking.size(); ++value) {
    const std::size_t last = lists.ends[value];
    if (first == last) next[value] += q * walking[value];
    const double each = first == last ? 0 : q * walking[value] / static_cast<double>(last - first);
    for (; first < last; ++first) next[lists.targets[first]] += each;
  }
  return next;
}

}  // namespace

Result<std::vector<double>> walk_distribution(const Knob& knob, std::uint32_t start, double q) {
  if (const Status checked = check_walk(knob, start, q); !checked) return std::unexpected(checked.error());
  if (knob.kind() == KnobKind::Categorical) return complete_graph_distribution(knob.count(), start, q);
  const NeighbourLists lists = neighbour_lists(knob);
  std::vector<double> stopped(knob.count());
  std::vector<double> walking(knob.count());
  walking[start] = 1;
  for (double mass = 1; mass >= least_mass; mass *= q) {
    for (std::size_t value = 0; value < walking.size(); ++value) stopped[value] += (1 - q) * walking[value];
    walking = stepped(lists, walking, q);
  }
  for (std::size_t value = 0; value < walking.size(); ++value) stopped[value] += walking[value];
  return stopped;
}

Result<MutationDistribution> MutationDistribution::make(const SearchSpace& space, const Configuration& start,
                                                        double q) {
  if (start.indices.size() != space.knobs().size())
    return refuse(fmt::format("the configuration has {} values where the space has {} knobs",
                              start.indices.size(), space.knobs().size()),
                  "choose a configuration of this space");
  MutationDistribution mutation;
  for (std::size_t knob = 0; knob < start.indices.size(); ++knob) {
    auto walk = walk_distribution(space.knobs()[knob], start.indices[knob], q);
    if (!walk) return std::unexpected(walk.error());
    mutation.knobs_.push_back(std::move(*walk));
  }
  return mutation;
}

double MutationDistribution::probability(const Configuration& configuration) const {
  double product = 1;
  for (std::size_t knob = 0; knob < knobs_.size(); ++knob)
    product *= knobs_[knob][configuration.indices[knob]];
  return product;
}

}  // namespace kernelscape
