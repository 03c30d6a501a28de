#include "core/tuner/climbing_tuner.h"

#include <algorithm>
#include <numeric>

#include "core/space/topology.h"

namespace kernelscape::tuner {
namespace {

/// Of a knob with more values, as many random ones are neighbours.
constexpr std::size_t max_values_of_knob = 1024;

/** Returns other values of a knob in random order: all, or some of very many. */
std::vector<std::uint32_t> other_values(const space::Knob& knob, std::uint32_t index, base::Random& random) {
  std::vector<std::uint32_t> values;
  if (knob.count() <= max_values_of_knob) {
    values.resize(knob.count());
    std::iota(values.begin(), values.end(), 0U);
  } else {
    for (std::size_t i = 0; i < max_values_of_knob; ++i)
      values.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
  }
  std::erase(values, index);
  random.shuffle(std::span(values));
  return values;
}

}  // namespace

SettingsOf<ClimbingSettings> ClimbingSettings::table(const std::string& source, bool adjacent,
                                                     bool first_move) {
  const std::pair<std::string, bool> hamming{"hamming", false};
  const std::pair<std::string, bool> next{"adjacent", true};
  const std::pair<std::string, bool> best{"best", false};
  const std::pair<std::string, bool> first{"first", true};
  using Choices = std::vector<std::pair<std::string, bool>>;
  return SettingsOf<ClimbingSettings>()
      .choice("neighbour", &ClimbingSettings::adjacent,
              adjacent ? Choices{next, hamming} : Choices{hamming, next},
              "neighbours of a configuration: any other value of one knob, or the next values of one knob, "
              "prime factors moved, items swapped",
              source + " (neighbor)")
      .choice("move", &ClimbingSettings::first_move, first_move ? Choices{first, best} : Choices{best, first},
              "moves to the best neighbour, or to the first better one", source + " (restart)");
}

ClimbingTuner::ClimbingTuner(const Context& context, ClimbingSettings settings)
    : MeasuredRounds(context), settings_(settings) {}

std::vector<space::Configuration> ClimbingTuner::start_round() {
  starts_ = true;
  at_optimum_ = false;
  return take_fresh(1);
}

std::vector<space::Configuration> ClimbingTuner::next_round() {
  if (!at_optimum_) return neighbourhood();
  at_optimum_ = false;
  const std::optional<space::Configuration> start = leave(current_);
  if (!start) return {};
  starts_ = true;
  return {*start};
}

void ClimbingTuner::finish_round(std::span<const trial::Observation> round) {
  const auto best = std::ranges::max_element(round, {}, &trial::Observation::fitness);
  const bool better = best != round.end() && best->fitness > current_.fitness;
  if (starts_ || better) current_ = *best;
  at_optimum_ = !starts_ && !better;
  starts_ = false;
}

bool ClimbingTuner::decides(const trial::Observation& observation) const {
  return settings_.first_move && !starts_ && observation.fitness > current_.fitness;
}

/** Returns the neighbours; the current configuration if there are none, so that the climb ends. */
std::vector<space::Configuration> ClimbingTuner::neighbourhood() {
  std::vector<space::Configuration> found;
  std::vector<std::size_t> knobs(space().knobs().size());
  std::iota(knobs.begin(), knobs.end(), std::size_t{0});
  random().shuffle(std::span(knobs));
  for (const std::size_t knob : knobs) {
    space::Configuration neighbour = current_.configuration;
    const std::uint32_t index = neighbour.indices[knob];
    std::vector<std::uint32_t> values;
    if (settings_.adjacent) {
      values = space().knobs()[knob].neighbours(index);
      random().shuffle(std::span(values));
    } else {
      values = other_values(space().knobs()[knob], index, random());
    }
    for (const std::uint32_t value : values) {
      neighbour.indices[knob] = value;
      found.push_back(neighbour);
    }
  }
  if (found.empty()) found.push_back(current_.configuration);
  return found;
}

}  // namespace kernelscape::tuner
