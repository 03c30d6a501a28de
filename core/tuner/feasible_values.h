#pragma once

#include <cstdint>
#include <vector>

#include "core/tuner/constrained_search.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {

/** Settings of the searches that draw the values of knobs from those of random solutions. */
struct GeneSettings {
  std::size_t feasible_samples = 1000;

  /** Returns the settings with their documentation. */
  static SettingsOf<GeneSettings> table() {
    return SettingsOf<GeneSettings>().add(
        "feasible_samples", &GeneSettings::feasible_samples, 1, 1'000'000, "random solutions",
        "number of random solutions; a mutation draws a knob's value from theirs", "Heron's artifact");
  }
};

/** The values of knobs that occur in random solutions of a space (feasible.json of Heron's artifact). */
class FeasibleValues {
 public:
  /** @param samples number of random solutions */
  explicit FeasibleValues(std::size_t samples) : samples_(samples) {}

  /** Draws the solutions if they were not drawn yet. */
  Status draw(const BreedingTools& tools);

  /** Returns the values of a knob, ascending; empty if no solution was found. */
  const std::vector<std::uint32_t>& of(std::size_t knob) const { return values_[knob]; }
  /** Returns the number of knobs with values; 0 before the first draw. */
  std::size_t knobs() const { return values_.size(); }

  /** Gives one random knob a random feasible value, which may be its present one. */
  void change_one(space::Configuration& configuration, base::Random& random) const;

 private:
  std::size_t samples_;
  std::vector<std::vector<std::uint32_t>> values_;  ///< by knob
};

}  // namespace kernelscape::tuner
