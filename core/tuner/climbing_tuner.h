#pragma once

#include <optional>
#include <string>

#include "core/tuner/measured_rounds.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {

/** The settings of hill climbing. */
struct ClimbingSettings {
  bool adjacent = false;    ///< neighbours are one move of a knob's topology away, not any other value
  bool first_move = false;  ///< moves to the first better neighbour, not to the best one

  /** Returns the declared settings; the initial values of `defaults` are those of the tuner. */
  static SettingsOf<ClimbingSettings> table(const std::string& source, bool adjacent, bool first_move);
};

/**
 * Base of tuners that climb hills, as in Kernel Tuner: from a configuration to a better neighbour, in which
 * one knob differs, until there is none, and then from another start. Knobs, and the values of a knob, come
 * in random order. A better neighbour in a batch ends the neighbourhood if the first move is taken. Failed
 * neighbours are worse than all others, and those outside of the space are skipped.
 */
class ClimbingTuner : public MeasuredRounds {
 protected:
  ClimbingTuner(const Context& context, ClimbingSettings settings);

  /**
   * Returns the start of the next climb, a member, once `optimum` has no better neighbour; nullopt for an
   * unvisited random member.
   */
  virtual std::optional<space::Configuration> leave(const trial::Observation& optimum) = 0;

  std::vector<space::Configuration> start_round() override;
  std::vector<space::Configuration> next_round() override;
  void finish_round(std::span<const trial::Observation> round) override;
  bool decides(const trial::Observation& observation) const override;

 private:
  std::vector<space::Configuration> neighbourhood();

  ClimbingSettings settings_;
  trial::Observation current_;
  bool starts_ = true;       ///< the round is the start of a climb
  bool at_optimum_ = false;  ///< no neighbour was better
};

}  // namespace kernelscape::tuner
