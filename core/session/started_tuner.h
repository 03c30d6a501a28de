#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/tuner/tuner.h"

namespace kernelscape::session {

/**
 * Proposes configurations that were chosen before the session began (Setup::starts), then the
 * proposals of another tuner. That tuner is made after the starts were measured, with their trials in its
 * history. If it proposes a start, the start is not measured again: the tuner receives the known trial.
 */
class StartedTuner final : public tuner::Tuner {
 public:
  /** @param starts distinct members, at least one */
  explicit StartedTuner(std::vector<space::Configuration> starts) : starts_(std::move(starts)) {}

  /** Returns true if all starts were measured and the tuner that continues is missing. */
  bool needs_tuner() const { return !own_ && known_.size() == starts_.size(); }
  /** Returns the trials of the starts, in the order of the starts. */
  std::span<const trial::Observation> known() const { return known_; }
  /** Sets the tuner that continues. */
  void take(std::unique_ptr<tuner::Tuner> tuner) { own_ = std::move(tuner); }

  Result<tuner::Proposal> propose(std::size_t n) override;
  void observe(std::span<const trial::Observation> observations) override;
  std::vector<trial::SeriesValue> series(std::size_t position) const override;

 private:
  const trial::Observation* find_known(const space::Configuration& configuration) const;
  /**
   * Notifies the continuing tuner of the results of its last proposal: the known trials and the measured
   * ones.
   */
  void notify(std::span<const trial::Observation> measured);

  std::vector<space::Configuration> starts_;
  std::vector<trial::Observation> known_;
  std::unique_ptr<tuner::Tuner> own_;            ///< null until the starts were measured
  std::vector<space::Configuration> own_batch_;  ///< last proposal of `own_`
  std::vector<std::size_t> own_positions_;       ///< positions in `own_batch_` of the measured candidates
};

}  // namespace kernelscape::session
