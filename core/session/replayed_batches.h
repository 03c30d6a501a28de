#pragma once

#include <chrono>
#include <vector>

#include "core/measure/recorded_measurer.h"
#include "core/session/batches.h"
#include "core/session/replay_accounting.h"
#include "core/trial/replayed_samples.h"

namespace kernelscape::session {

/**
 * Batches that are looked up in a recording and scheduled on the virtual clock. Many batches are stored
 * together; a batch that the budget cuts is stored in pieces. All batches of a resumed session are scheduled
 * again, so its status begins anew.
 */
class ReplayedBatches final : public Batches {
 public:
  /** @param session, clock, recording must outlive this object */
  ReplayedBatches(RunningSession& session, ReplayAccounting& clock, const trial::Recording& recording);

  bool begin(const Batch& batch) override;
  Result<bool> take_stored(const Batch& batch, const store::StoredBatch& stored) override;
  Status store(const Batch& batch) override;
  Result<BatchEnd> measure(const Batch& batch) override;
  std::span<const trial::Observation> observations(Batch& batch) override;
  /** Returns false while catching up: the series of stored batches are stored already. */
  bool takes_series() const override { return started_; }
  Status observed(const Batch& batch, std::vector<store::StoredSeries> series) override;
  void started() override;
  Status conclude(store::SessionState) override { return flush(); }
  void notify_progress() override;
  void settle() override;

 private:
  void choose_samples();
  double seen_seconds(std::size_t position) const;
  bool continues_in_batch() const;
  void schedule();
  std::size_t begun_in_time() const;
  void submit(std::size_t end, double search_seconds);
  void take(std::size_t end);
  Status flush();

  RunningSession& session_;
  ReplayAccounting& clock_;
  const trial::Recording& recording_;
  bool restricted_;  ///< the tuner's space has fewer members than the recording
  measure::ReplayClock scheduler_;
  bool started_ = false;
  std::int64_t errors_ = 0;
  std::int32_t submitted_ = 0;  ///< number of submitted pieces of batches

  // The batch in progress.
  std::vector<std::uint32_t> rows_;
  std::size_t done_ = 0;  ///< submitted candidates
  std::vector<trial::Observation> observations_;
  // Used if fewer samples are taken than were recorded (MeasureOptions::replay_samples); else empty.
  std::vector<trial::ReplayedSamples> samples_;  ///< by position
  std::vector<trial::Row> seen_;                 ///< by position: the rows with the samples of `samples_`
  measure::ReplaySchedule schedule_;
  std::size_t scheduled_first_ = 0;  ///< position of the first candidate of the schedule

  // Not stored yet.
  std::vector<store::ReplayedBatch> pending_;
  std::vector<store::StoredSeries> pending_series_;
  std::size_t pending_trials_ = 0;
  store::SessionStatus committed_;  ///< status after the last stored batches
  std::chrono::steady_clock::time_point reported_;
};

}  // namespace kernelscape::session
