#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/tuner/tuner.h"

namespace kernelscape {

/**
 * Proposes configurations that were chosen before the session began (SessionSetup::starts), then what another
 * tuner proposes. That tuner is made once the starts were measured, with their trials in its history. A start
 * that it proposes itself is not measured twice: it gets the trial that is known.
 */
class StartedTuner final : public Tuner {
 public:
  /** @param starts distinct members, at least one */
  explicit StartedTuner(std::vector<Configuration> starts) : starts_(std::move(starts)) {}

  /** Returns true if all starts were measured and the tuner that continues is missing. */
  bool needs_tuner() const { return !own_ && known_.size() == starts_.size(); }
  /** The trials of the starts, in their order. */
  std::span<const Observation> known() const { return known_; }
  /** Takes the tuner that continues. */
  void take(std::unique_ptr<Tuner> tuner) { own_ = std::move(tuner); }

  Result<Proposal> propose(std::size_t n) override;
  void observe(std::span<const Observation> observations) override;
  std::vector<SeriesValue> series(std::size_t position) const override;

 private:
  const Observation* find_known(const Configuration& configuration) const;
  /** Notifies the own tuner of its last proposal: of what is known, and of what was measured of the others.
   */
  void notify(std::span<const Observation> measured);

  std::vector<Configuration> starts_;
  std::vector<Observation> known_;
  std::unique_ptr<Tuner> own_;              ///< null until the starts were measured
  std::vector<Configuration> own_batch_;    ///< its last proposal
  std::vector<std::size_t> own_positions_;  ///< in it, of what is measured
};

}  // namespace kernelscape
