#include "core/session/replayed_batches.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/session/steps.h"
#include "core/trial/observed_row.h"

namespace kernelscape::session {
namespace {

constexpr std::chrono::milliseconds report_interval{50};
constexpr std::size_t max_pending_trials = 65'536;

}  // namespace

ReplayedBatches::ReplayedBatches(RunningSession& session, ReplayAccounting& clock,
                                 const trial::Recording& recording)
    : session_(session),
      clock_(clock),
      recording_(recording),
      restricted_(session.setup.space.fingerprint() != recording.space().fingerprint()),
      scheduler_(recording, session.setup.options.clock),
      committed_(session.earlier.status) {}

/** Looks up the candidates' rows: a configuration with a row was recorded, and is therefore a member. */
bool ReplayedBatches::begin(const Batch& batch) {
  done_ = 0;
  rows_.clear();
  for (const space::Configuration& candidate : batch.candidates) {
    const std::optional<std::uint32_t> row = recording_.find(candidate);
    if (!row || (restricted_ && !session_.setup.space.contains(candidate))) return false;
    rows_.push_back(*row);
  }
  if (session_.setup.options.replay_samples) choose_samples();
  return true;
}

/** Which samples of each candidate are taken: a run knows the best of all runs before it. */
void ReplayedBatches::choose_samples() {
  samples_.clear();
  seen_.clear();
  double best_seconds = session_.status.best_trial >= 0 ? session_.status.best_seconds : 0;
  for (const std::uint32_t row : rows_) {
    const std::span<const double> samples = recording_.samples(row);
    const trial::ReplayedSamples& taken =
        samples_.emplace_back(trial::replayed_samples(samples, session_.setup.options, best_seconds));
    trial::Row& seen = seen_.emplace_back(recording_.trial_row(row, 0));
    trial::take_samples(seen, samples, taken);
    const bool timed = seen.category == trial::ErrorCategory::NoError && seen.median_seconds > 0;
    if (timed && (best_seconds == 0 || seen.median_seconds < best_seconds))
      best_seconds = seen.median_seconds;
  }
}

Result<bool> ReplayedBatches::take_stored(const Batch& batch, const store::StoredBatch& stored) {
  const std::span<const space::Configuration> proposed = std::span(batch.candidates).subspan(done_);
  const std::size_t count = std::min(proposed.size(), stored.candidates.size());
  TRY(compare_proposal(session_.id, session_.setup, batch.number, proposed.first(count), stored.candidates));
  clock_.charge_batch(stored.search_seconds);
  schedule();
  take(done_ + count);
  ++submitted_;
  return done_ == rows_.size();
}

/** Its rows are stored once it is scheduled. */
Status ReplayedBatches::store(const Batch& batch) {
  const trial::SearchTime& time = session_.setup.options.search_time;
  if (time.kind == trial::SearchTime::Kind::Constant)
    clock_.charge_search(static_cast<double>(batch.candidates.size()) * time.seconds_per_candidate);
  return {};
}

Result<BatchEnd> ReplayedBatches::measure(const Batch&) {
  const double search_seconds = clock_.uncharged_search_seconds();
  clock_.charge_batch(search_seconds);
  // Trials that continue a batch may have begun before the clock's last instant.
  if (session_.out_of_time() && !continues_in_batch()) return BatchEnd::OutOfTime;
  const std::size_t affordable = done_ + session_.affordable(rows_.size() - done_);
  if (affordable == done_) return BatchEnd::OutOfTrials;
  schedule();
  const std::size_t end = std::min(affordable, begun_in_time());
  if (end <= done_) return BatchEnd::OutOfTime;
  submit(end, search_seconds);
  if (end == rows_.size()) return BatchEnd::Complete;
  return end < affordable ? BatchEnd::OutOfTime : BatchEnd::OutOfTrials;
}

bool ReplayedBatches::continues_in_batch() const {
  return done_ > 0 && session_.setup.options.clock == trial::BatchClock::Waves;
}

/**
 * Schedules the candidates that were not submitted yet. A batch that was cut continues in its waves as if it
 * had not been cut; in older sessions its rest was submitted as a new batch.
 */
void ReplayedBatches::schedule() {
  if (continues_in_batch()) return;
  clock_.begin_schedule();
  scheduled_first_ = done_;
  schedule_.seconds_not_run.clear();
  for (const trial::ReplayedSamples& taken : std::span(samples_).subspan(std::min(done_, samples_.size())))
    schedule_.seconds_not_run.push_back(taken.seconds_not_run);
  scheduler_.schedule(std::span(rows_).subspan(done_), schedule_);
}

/** @return the position before which all trials have begun within the budget's minutes */
std::size_t ReplayedBatches::begun_in_time() const {
  const trial::Budget& budget = session_.plan.budget;
  if (budget.minutes <= 0) return rows_.size();
  return scheduled_first_ +
         measure::begun_before(schedule_, trial::budget_seconds(budget) - clock_.schedule_seconds());
}

/** Takes the scheduled candidates before `end`, and keeps them until they are stored. */
void ReplayedBatches::submit(std::size_t end, double search_seconds) {
  store::ReplayedBatch& batch = pending_.emplace_back();
  batch.batch = submitted_++;
  batch.first_trial = session_.status.trial_count;
  batch.search_seconds = search_seconds;
  const std::span<const std::uint32_t> rows = std::span(rows_).subspan(done_, end - done_);
  batch.rows.assign(rows.begin(), rows.end());
  for (std::size_t position = done_; position < end && !samples_.empty(); ++position)
    if (samples_[position].cut_short) batch.rows[position - done_] |= trial::replayed_cut_short;
  batch.finished_seconds.reserve(rows.size());
  for (std::size_t position = done_; position < end; ++position) {
    batch.finished_seconds.push_back(clock_.schedule_seconds() +
                                     schedule_.finished_seconds[position - scheduled_first_]);
  }
  pending_trials_ += rows.size();
  take(end);
}

/** Counts the scheduled trials before `end`, and advances the clock until their results are known. */
void ReplayedBatches::take(std::size_t end) {
  const bool whole = end == rows_.size() && done_ == scheduled_first_;
  if (!whole) scheduler_.cut(std::span(rows_).subspan(scheduled_first_), end - scheduled_first_, schedule_);
  clock_.pass(schedule_);
  store::SessionStatus& status = session_.status;
  for (; done_ < end; ++done_) {
    const std::int64_t number = status.trial_count++;
    if (recording_.category(rows_[done_]) != trial::ErrorCategory::NoError) {
      ++errors_;
      continue;
    }
    const double seconds = seen_seconds(done_);
    if (seconds <= 0 || (status.best_trial >= 0 && seconds >= status.best_seconds)) continue;
    status.best_trial = number;
    status.best_seconds = seconds;
  }
}

/** Returns the time by which the candidate is ranked. */
double ReplayedBatches::seen_seconds(std::size_t position) const {
  return seen_.empty() ? recording_.seconds(rows_[position]) : seen_[position].median_seconds;
}

std::span<const trial::Observation> ReplayedBatches::observations(Batch& batch) {
  const double flops = session_.flops();
  observations_.resize(rows_.size());
  for (std::size_t position = 0; position < rows_.size(); ++position) {
    const trial::Row row = seen_.empty() ? recording_.trial_row(rows_[position], 0) : seen_[position];
    observations_[position] = trial::observe_row(row, std::move(batch.candidates[position]), flops);
  }
  return observations_;
}

/** Stores and reports new trials, some times a second. */
Status ReplayedBatches::observed(const Batch& batch, std::vector<store::StoredSeries> series) {
  std::ranges::move(series, std::back_inserter(pending_series_));
  const auto now = std::chrono::steady_clock::now();
  const bool due = now - reported_ >= report_interval;
  if (!due && pending_trials_ < max_pending_trials) return {};
  TRY(flush());
  if (!due) return {};
  reported_ = now;
  session_.observer.batch_started(batch.number, rows_.size());
  notify_progress();
  return {};
}

void ReplayedBatches::notify_progress() {
  session_.observer.replay_progress(errors_, session_.status_now());
  session_.observer.progress({.finished = rows_.size()}, session_.status);
}

void ReplayedBatches::started() {
  started_ = true;
  session_.enter(Phase::Measuring);
  committed_ = session_.status;
}

Status ReplayedBatches::flush() {
  if (pending_.empty() && pending_series_.empty()) return {};
  TRY(session_.store.batches().append_replayed(session_.id, pending_, pending_series_,
                                               session_.status_now()));
  committed_ = session_.status;
  pending_.clear();
  pending_series_.clear();
  pending_trials_ = 0;
  return {};
}

void ReplayedBatches::settle() {
  // What was not stored is not counted.
  if (flush())
    session_.status_now();
  else
    session_.status = committed_;
}

}  // namespace kernelscape::session
