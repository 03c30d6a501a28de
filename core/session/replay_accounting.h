#pragma once

#include <memory>

#include "core/measure/recorded_measurer.h"
#include "core/session/clock.h"
#include "core/session/run_features.h"

namespace kernelscape::session {

/**
 * The virtual clock of a replay: the tuner's own CPU time, or none, plus the time of scheduled batches. The
 * search time of a batch passes when the batch is submitted; a resumed replay repeats all of it.
 */
class ReplayAccounting final : public SessionClock {
 public:
  /**
   * @param bill of the features; null: no row is billed
   * @param charged_seconds search time of earlier runs
   */
  ReplayAccounting(trial::SearchTime::Kind search_time, std::shared_ptr<FeatureBill> bill,
                   double charged_seconds);

  void start() override;
  double session_seconds() const override { return now_seconds_ + uncharged_search_seconds_; }
  void write(store::SessionStatus& status) const override;

  double search_begin() const override;
  /** Includes the cost of feature rows that another run computed. */
  double search_since(double begin) const override;
  void charge_search(double seconds) override { uncharged_search_seconds_ += seconds; }
  void charge_making(double seconds) override { uncharged_search_seconds_ = seconds; }
  /** Returns the search time since the last batch, which belongs to the next batch. */
  double uncharged_search_seconds() const { return uncharged_search_seconds_; }
  /**
   * Charges a submitted batch, or the rest of a batch, which continues that much later.
   * @param search_seconds search time of the batch
   */
  void charge_batch(double search_seconds);

  void begin_schedule();  ///< begins a new schedule now
  double schedule_seconds() const {
    return begin_.session_seconds;
  }  ///< session time at which the schedule began
  void pass(const measure::ReplaySchedule& schedule);  ///< advances the clock to the schedule's end

 private:
  trial::SearchTime::Kind search_time_;
  std::shared_ptr<FeatureBill> bill_;
  double earlier_search_seconds_;
  double now_seconds_ = 0;     ///< without `uncharged_search_seconds_`
  double search_seconds_ = 0;  ///< without `uncharged_search_seconds_`
  double uncharged_search_seconds_ = 0;
  double build_seconds_ = 0;
  double run_seconds_ = 0;

  /** Times when the schedule began. */
  struct Begin {
    double session_seconds = 0;
    double build_seconds = 0;
    double run_seconds = 0;
  };
  Begin begin_;
};

}  // namespace kernelscape::session
