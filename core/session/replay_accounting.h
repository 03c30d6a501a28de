#pragma once

#include <memory>

#include "core/measure/recorded_measurer.h"
#include "core/session/run_features.h"
#include "core/session/session_clock.h"

namespace kernelscape {

/**
 * The virtual clock of a replay: the tuner's own CPU time, or none, and what scheduled batches take. The
 * search of a batch passes when it is submitted; a resumed replay goes through all of it again.
 */
class ReplayAccounting final : public SessionClock {
 public:
  /** @param bill of the features; null: no row is billed @param charged_seconds of search, by earlier runs */
  ReplayAccounting(SearchTime::Kind search_time, std::shared_ptr<FeatureBill> bill, double charged_seconds);

  void start() override;
  double session_seconds() const override { return now_seconds_ + uncharged_search_seconds_; }
  void write(SessionStatus& status) const override;

  double search_begin() const override;
  /** With what rows of features cost that another run had computed. */
  double search_since(double begin) const override;
  void charge_search(double seconds) override { uncharged_search_seconds_ += seconds; }
  void charge_making(double seconds) override { uncharged_search_seconds_ = seconds; }
  /** Of the search since the last batch: it belongs to the next one. */
  double uncharged_search_seconds() const { return uncharged_search_seconds_; }
  /** A batch is submitted, or the rest of one, which goes on so much later. @param search_seconds its own */
  void charge_batch(double search_seconds);

  void begin_schedule();  ///< what is scheduled from here on begins now
  double schedule_seconds() const { return begin_.session_seconds; }  ///< session time when it began
  void pass(const ReplaySchedule& schedule);                          ///< until its end

 private:
  SearchTime::Kind search_time_;
  std::shared_ptr<FeatureBill> bill_;
  double earlier_search_seconds_;
  double now_seconds_ = 0;     ///< without `uncharged_search_seconds_`
  double search_seconds_ = 0;  ///< without `uncharged_search_seconds_`
  double uncharged_search_seconds_ = 0;
  double build_seconds_ = 0;
  double run_seconds_ = 0;

  /** What was over when the schedule began. */
  struct Begin {
    double session_seconds = 0;
    double build_seconds = 0;
    double run_seconds = 0;
  };
  Begin begin_;
};

}  // namespace kernelscape
