#include "core/analysis/landscape/random_walk.h"

#include <fmt/format.h>

namespace kernelscape::analysis {
namespace {

constexpr double min_mass = 1e-12;

std::unexpected<Error> refuse(const std::string& reason, std::string hint) {
  return fail(ErrorCode::InvalidArgument, "random walk: " + reason, std::move(hint));
}

Status check_walk(const std::string& name, std::uint32_t count, std::uint32_t start, double q) {
  if (!(q >= 0 && q <= space::max_walk_rate))
    return refuse(fmt::format("the mutation rate {} is not between 0 and {}", q, space::max_walk_rate),
                  "the paper uses 0.5");
  if (start >= count)
    return refuse(fmt::format("knob \"{}\" has {} values, so there is no value {}", name, count, start),
                  "choose one of its values");
  return {};
}

/**
 * Computes the distribution if all values are neighbours of each other: from the two eigenvalues of W, 1 and
 * -1 / (n - 1).
 */
std::vector<double> complete_graph_distribution(std::uint32_t count, std::uint32_t start, double q) {
  if (count == 1) return {1};
  const auto n = static_cast<double>(count);
  const double other = (1 - (1 - q) / (1 + q / (n - 1))) / n;
  std::vector<double> distribution(count, other);
  distribution[start] = 1 - (n - 1) * other;
  return distribution;
}

}  // namespace

Result<KnobTopology> KnobTopology::make(const space::Knob& knob) {
  KnobTopology topology;
  topology.name_ = knob.name();
  topology.count_ = knob.count();
  topology.complete_ = knob.kind() == space::KnobKind::Categorical;
  if (topology.complete_) return topology;
  if (knob.count() > max_walk_values)
    return refuse(fmt::format("knob \"{}\" has {} values, over the limit of {}", knob.name(), knob.count(),
                              max_walk_values),
                  "restrict its values");
  for (std::uint32_t value = 0; value < knob.count(); ++value) {
    const std::vector<std::uint32_t> neighbours = knob.neighbours(value);
    topology.targets_.insert(topology.targets_.end(), neighbours.begin(), neighbours.end());
    topology.ends_.push_back(topology.targets_.size());
  }
  return topology;
}

std::span<const std::uint32_t> KnobTopology::listed(std::uint32_t value) const {
  const std::size_t first = value == 0 ? 0 : ends_[value - 1];
  return std::span(targets_).subspan(first, ends_[value] - first);
}

std::uint32_t KnobTopology::degree(std::uint32_t value) const {
  return complete_ ? count_ - 1 : static_cast<std::uint32_t>(listed(value).size());
}

std::vector<std::uint32_t> KnobTopology::neighbours(std::uint32_t value) const {
  if (!complete_) return {listed(value).begin(), listed(value).end()};
  std::vector<std::uint32_t> others;
  for (std::uint32_t other = 0; other < count_; ++other)
    if (other != value) others.push_back(other);
  return others;
}

std::vector<std::uint32_t> KnobTopology::distances_from(std::uint32_t start) const {
  std::vector<std::uint32_t> distances(count_, complete_ ? 1 : no_distance);
  distances[start] = 0;
  if (complete_) return distances;
  std::vector<std::uint32_t> found{start};
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const std::uint32_t neighbour : listed(found[next])) {
      if (distances[neighbour] != no_distance) continue;
      distances[neighbour] = distances[found[next]] + 1;
      found.push_back(neighbour);
    }
  }
  return distances;
}

/** Advances the whole walking probability by one step. */
std::vector<double> KnobTopology::stepped(const std::vector<double>& walking, double q) const {
  std::vector<double> next(walking.size());
  for (std::uint32_t value = 0; value < count_; ++value) {
    const std::span<const std::uint32_t> near = listed(value);
    if (near.empty()) next[value] += q * walking[value];
    const double each = near.empty() ? 0 : q * walking[value] / static_cast<double>(near.size());
    for (const std::uint32_t neighbour : near) next[neighbour] += each;
  }
  return next;
}

Result<std::vector<double>> KnobTopology::walk_from(std::uint32_t start, double q,
                                                    const KeepGoing& keep_going) const {
  TRY(check_walk(name_, count_, start, q));
  if (complete_) return complete_graph_distribution(count_, start, q);
  std::vector<double> stopped(count_);
  std::vector<double> walking(count_);
  walking[start] = 1;
  for (double mass = 1; mass >= min_mass && (!keep_going || keep_going()); mass *= q) {
    for (std::size_t value = 0; value < walking.size(); ++value) stopped[value] += (1 - q) * walking[value];
    walking = stepped(walking, q);
  }
  for (std::size_t value = 0; value < walking.size(); ++value) stopped[value] += walking[value];
  return stopped;
}

Result<std::vector<double>> walk_distribution(const space::Knob& knob, std::uint32_t start, double q) {
  // Checked before the lists are built, which takes longer.
  TRY(check_walk(knob.name(), knob.count(), start, q));
  const KnobTopology topology = TRY(KnobTopology::make(knob));
  return topology.walk_from(start, q);
}

Result<MutationDistribution> MutationDistribution::make(const space::SearchSpace& space,
                                                        const space::Configuration& start, double q) {
  if (start.indices.size() != space.knobs().size())
    return refuse(fmt::format("the configuration has {} values, but the space has {} knobs",
                              start.indices.size(), space.knobs().size()),
                  "choose a configuration of this space");
  MutationDistribution mutation;
  for (std::size_t knob = 0; knob < start.indices.size(); ++knob)
    mutation.knobs_.push_back(TRY(walk_distribution(space.knobs()[knob], start.indices[knob], q)));
  return mutation;
}

double MutationDistribution::probability(const space::Configuration& configuration) const {
  double product = 1;
  for (std::size_t knob = 0; knob < knobs_.size(); ++knob)
    product *= knobs_[knob][configuration.indices[knob]];
  return product;
}

}  // namespace kernelscape::analysis
