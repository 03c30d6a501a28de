#include "core/study/layer_starts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/space/grid_coordinates.h"

namespace kernelscape::study {
namespace {

constexpr int middle_candidates = 64;

/** Returns the sum over the axes of the ratio of their lengths in octaves, or nullopt for different axes. */
std::optional<double> shape_distance(const task::Task& a, const task::Task& b) {
  if (!a.op || !b.op || a.op->axes.size() != b.op->axes.size()) return std::nullopt;
  double distance = 0;
  for (std::size_t axis = 0; axis < a.op->axes.size(); ++axis)
    distance += std::abs(std::log2(static_cast<double>(a.op->axes[axis].extent) /
                                   static_cast<double>(b.op->axes[axis].extent)));
  return distance;
}

double number_of(const space::KnobValue& value) {
  return std::visit(
      []([[maybe_unused]] const auto& held) -> double {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(held)>>) return static_cast<double>(held);
        return 0;
      },
      value);
}

double octaves(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : std::abs(a - b); }

/** Returns the index of the value with the smallest distance; of equal ones the first. */
std::uint32_t nearest(const space::Knob& knob, const auto& distance) {
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t index = 0; index < knob.count(); ++index) {
    const double now = distance(index);
    if (now >= least) continue;
    least = now;
    best = index;
  }
  return best;
}

std::optional<std::uint32_t> adapted_value(const space::Knob& from, std::uint32_t value,
                                           const space::Knob& to) {
  if (from.name() != to.name() || from.kind() != to.kind() || from.element_count() != to.element_count())
    return std::nullopt;
  switch (from.kind()) {
    case space::KnobKind::Factorization:
      // The first factor is the product divided by the other factors.
      return nearest(to, [&](std::uint32_t index) {
        double distance = 0;
        for (int part = from.element_count() > 1 ? 1 : 0; part < from.element_count(); ++part)
          distance += octaves(static_cast<double>(from.element(value, part)),
                              static_cast<double>(to.element(index, part)));
        return distance;
      });
    case space::KnobKind::Ordinal:
      return nearest(to, [&](std::uint32_t index) {
        return octaves(number_of(from.value(value)), number_of(to.value(index)));
      });
    case space::KnobKind::Categorical:
      for (std::uint32_t index = 0; index < to.count(); ++index)
        if (to.value(index) == from.value(value)) return index;
      return std::nullopt;
    case space::KnobKind::Permutation:
      if (from.items() != to.items() || from.partial() || to.partial()) return std::nullopt;
      return value;
  }
  return std::nullopt;
}

class StartChoice {
 public:
  StartChoice(const session::PreparedTuning& tuning, std::size_t count) : tuning_(tuning), count_(count) {}

  bool full() const { return starts_.size() >= count_; }
  /**
   * Returns false if the configuration is not a member, exceeds the target's limits, or was taken already.
   */
  bool add(const std::optional<space::Configuration>& start) {
    if (full() || !start || !fits(*start)) return false;
    if (std::ranges::find(starts_, *start) != starts_.end()) return false;
    starts_.push_back(*start);
    return true;
  }
  /**
   * Adds random members, those nearest to all others first: in the corners of a space, where one factor takes
   * the whole product, kernels are slow.
   */
  void add_middle() {
    if (full()) return;
    base::Random random = base::Random(tuning_.setup.seed).fork("starts");
    std::vector<space::Configuration> members = tuning_.setup.space.random_members(middle_candidates, random);
    std::erase_if(members, [&](const space::Configuration& member) { return !fits(member); });
    const space::GridCoordinates coordinates(tuning_.setup.space, tuning_.setup.space.explicit_members());
    std::vector<base::GridPoint> points;
    for (const space::Configuration& member : members) points.push_back(coordinates.of(member));
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < points.size(); ++i) {
      double distance = 0;
      for (const base::GridPoint& other : points)
        distance += space::grid_distance(coordinates.columns(), points[i], other);
      order.emplace_back(distance, i);
    }
    std::ranges::sort(order);
    for (const auto& [distance, i] : order) add(members[i]);
  }
  std::vector<space::Configuration> take() { return std::move(starts_); }

 private:
  bool fits(const space::Configuration& configuration) const {
    const schedule::ScheduledKernel* kernel = tuning_.family ? tuning_.family->scheduled() : nullptr;
    return tuning_.setup.space.contains(configuration) &&
           (kernel == nullptr || kernel->within_limits(configuration));
  }

  const session::PreparedTuning& tuning_;
  std::size_t count_;
  std::vector<space::Configuration> starts_;
};

/** Returns the fastest trial of a history, or nullopt if it has no valid trial of this space. */
std::optional<space::Configuration> best_of_history(const session::Setup& setup) {
  const trial::Observation* best = nullptr;
  for (const trial::Observation& trial : setup.history) {
    if (trial.fitness <= 0 || trial.configuration.indices.empty()) continue;
    if (best == nullptr || trial.fitness > best->fitness) best = &trial;
  }
  return best != nullptr ? std::optional(best->configuration) : std::nullopt;
}

/** A similar layer, with the distance of its shape from the requested one. */
struct AlikeLayer {
  double distance = 0;
  KnownLayer layer;
  store::SessionRecord record;
};

/** Returns layers of the same template, the nearest shape first. */
Result<std::vector<AlikeLayer>> alike_layers(const store::Store& store, const session::Setup& setup,
                                             std::span<const KnownLayer> known) {
  std::vector<AlikeLayer> alike;
  for (const KnownLayer& layer : known) {
    store::SessionRecord record = TRY(store.sessions().get(layer.session)).record;
    if (record.template_name != setup.template_name || record.template_version != setup.template_version)
      continue;
    const task::Task task = TRY(task::task_from_json(record.task_json));
    if (const std::optional<double> distance = shape_distance(task, setup.task))
      alike.push_back({*distance, layer, std::move(record)});
  }
  std::ranges::stable_sort(alike, {}, &AlikeLayer::distance);
  return alike;
}

/**
 * Returns the fastest of a layer's first trials, adapted to another space, or nullopt if there is none or it
 * cannot be adapted.
 */
Result<std::optional<space::Configuration>> adapted_best(const store::Store& store, const AlikeLayer& alike,
                                                         const space::SearchSpace& to) {
  std::optional<space::Configuration> best;
  double best_seconds = 0;
  for (const store::ArrivedRow& row : TRY(store.trials().rows(alike.layer.session))) {
    const bool valid = row.number < alike.layer.trials && row.category == trial::ErrorCategory::NoError &&
                       row.median_seconds > 0;
    if (!valid || (best && row.median_seconds >= best_seconds)) continue;
    best = row.configuration;
    best_seconds = row.median_seconds;
  }
  if (!best) return std::nullopt;
  return adapted_configuration(TRY(space::space_from_json(alike.record.space_json)), *best, to);
}

}  // namespace

std::optional<space::Configuration> adapted_configuration(const space::SearchSpace& from,
                                                          const space::Configuration& configuration,
                                                          const space::SearchSpace& to) {
  if (from.knobs().size() != to.knobs().size()) return std::nullopt;
  space::Configuration adapted;
  for (std::size_t knob = 0; knob < to.knobs().size(); ++knob) {
    const std::optional<std::uint32_t> value =
        adapted_value(from.knobs()[knob], configuration.indices[knob], to.knobs()[knob]);
    if (!value) return std::nullopt;
    adapted.indices.push_back(*value);
  }
  return adapted;
}

Result<std::vector<space::Configuration>> layer_starts(const store::Store& store,
                                                       const session::PreparedTuning& tuning,
                                                       std::span<const KnownLayer> known, std::size_t count) {
  StartChoice choice(tuning, count);
  choice.add(best_of_history(tuning.setup));
  for (const AlikeLayer& alike : TRY(alike_layers(store, tuning.setup, known)))
    if (choice.add(TRY(adapted_best(store, alike, tuning.setup.space)))) break;
  choice.add_middle();
  return choice.take();
}

}  // namespace kernelscape::study
