#include "core/session/measured_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/analysis/best_result.h"
#include "core/session/collect_results.h"
#include "core/session/graceful_end.h"
#include "core/session/steps.h"
#include "core/session/time_limits.h"
#include "core/store/stored_speeds.h"
#include "core/trial/observed_row.h"

namespace kernelscape::session {
namespace {

/** Returns true if the status has more than the best trial by own samples. */
bool was_surveyed(const store::SessionStatus& status) {
  if (status.vendor_json.empty()) return false;
  const Result<trial::Baselines> baselines = trial::baselines_from_json(status.vendor_json);
  if (!baselines || !baselines->measured_best) return true;
  trial::Baselines without_survey;
  without_survey.measured_best = baselines->measured_best;
  return *baselines != without_survey;
}

}  // namespace

bool MeasuredBatches::begin(const Batch& batch) {
  rows_.assign(batch.candidates.size(), std::nullopt);
  return std::ranges::all_of(
      batch.candidates, [this](const auto& candidate) { return session_.setup.space.contains(candidate); });
}

Result<bool> MeasuredBatches::take_stored(const Batch& batch, const store::StoredBatch& stored) {
  if (stored.batch != batch.number)
    return resume_mismatch(session_.id, fmt::format("trials of batch {} are missing", batch.number));
  TRY(compare_proposal(session_.id, session_.setup, batch.number, batch.candidates, stored.candidates));
  if (stored.batch == 0) TRY(load_stored());
  std::vector<std::pair<std::size_t, const StoredTrials::Entry*>> arrived;  // positions, in order of arrival
  for (std::size_t position = 0; position < batch.candidates.size(); ++position) {
    const StoredTrials::Entry* entry = stored_.find(batch.first_trial + static_cast<std::int64_t>(position));
    if (entry == nullptr || rows_[position]) continue;
    const store::ArrivedRow& row = entry->row;
    if (row.configuration != batch.candidates[position]) {
      return resume_mismatch(session_.id,
                             fmt::format("trial {} has another configuration than its batch", row.number));
    }
    arrived.emplace_back(position, entry);
    TRY(take_stored_failure(row));
    best_.add({row.number, row.category == trial::ErrorCategory::NoError ? row.median_seconds : 0,
               row.configuration});
  }
  std::ranges::sort(arrived, {}, [](const auto& item) { return item.second->arrival; });
  for (const auto& [position, row] : arrived) add_row(position, row->row);
  return missing().empty();
}

void MeasuredBatches::add_row(std::size_t position, const trial::Row& row) {
  rows_[position] = BatchRow{row, machines_.tracks().rows()};
  machines_.add(row);
}

Status MeasuredBatches::take_stored_failure(const store::ArrivedRow& row) {
  const bool has_message =
      failures_.needs_message() && row.category != trial::ErrorCategory::NoError && row.message != 0;
  const std::string message = has_message ? TRY(session_.store.trials().message(row.message)) : std::string();
  failures_.add(row.configuration, row.category, message);
  return {};
}

Status MeasuredBatches::load_stored() {
  machines_.set_usual_probe(TRY(session_.store.sessions().get(session_.id)).record.usual_probe);
  for (const std::string& worker : TRY(session_.store.trials().workers(session_.id)))
    machines_.worker_number(worker);
  return stored_.load(session_.store, session_.id);
}

void MeasuredBatches::started() {
  stored_.release();
  machines_.skip_ended_phases();
}

/** Runs once per session. A failed survey loses the baselines, not the session. */
Status MeasuredBatches::survey() {
  store::SessionStatus& status = session_.status;
  if (session_.stop.level() == 0) TRY(machines_.find_usual_probe());
  if (!tools_.surveyor || was_surveyed(status) || session_.stop.level() > 0) return {};
  session_.observer.phase_changed(Phase::Surveying, status);
  Result<Survey> measured = tools_.surveyor(session_.stop);
  if (!measured) {
    if (session_.stop.level() == 0)
      session_.observer.message(
          {MessageKind::Problem, "there are no baselines: " + describe(measured.error())});
    return {};
  }
  trial::Baselines baselines = trial::baselines_from_json(status.vendor_json).value_or(trial::Baselines());
  baselines.limits = measured->limits;
  baselines.vendor = std::move(measured->vendor);
  status.vendor_json = trial::baselines_to_json(baselines);
  return session_.store.sessions().update_status(session_.id, status);
}

Status MeasuredBatches::store(const Batch& batch) {
  TRY(session_.store.batches().append(session_.id, batch.number, batch.candidates,
                                      accounting_.uncharged_search_seconds()));
  accounting_.charge_batch();
  return {};
}

std::vector<std::size_t> MeasuredBatches::missing() const {
  std::vector<std::size_t> positions;
  for (std::size_t position = 0; position < rows_.size(); ++position) {
    if (!rows_[position]) positions.push_back(position);
  }
  return positions;
}

Result<BatchEnd> MeasuredBatches::measure(const Batch& batch) {
  if (session_.out_of_time()) return BatchEnd::OutOfTime;
  if (session_.stop.level() > 0) return BatchEnd::Stopped;
  std::vector<std::size_t> positions = missing();
  // A limit of trials may have been given in the middle of a batch.
  positions.resize(session_.affordable(positions.size()));
  if (positions.empty()) return BatchEnd::OutOfTrials;
  session_.observer.batch_started(batch.number, positions.size());
  session_.enter(Phase::Measuring);
  Result<BatchEnd> end = measure_missing(batch, positions);
  if (!end || *end == BatchEnd::Stopped || *end == BatchEnd::OutOfTime) {
    tools_.measurer.abort();
    accounting_.charge(tools_.measurer.take_busy_times());
  } else if (machines_.report_phases(/*at_end=*/false)) {
    confirmation_.confirm_uncertain();
  }
  return end;
}

Result<BatchEnd> MeasuredBatches::measure_missing(const Batch& batch,
                                                  const std::vector<std::size_t>& positions) {
  std::vector<space::Configuration> configurations;
  std::vector<std::int64_t> numbers;
  for (const std::size_t position : positions) {
    configurations.push_back(batch.candidates[position]);
    numbers.push_back(batch.first_trial + static_cast<std::int64_t>(position));
  }
  session_.observer.trials_submitted(numbers);
  tools_.measurer.set_best_seconds(machines_.device_best_seconds());
  accounting_.begin_measuring();
  TRY(tools_.measurer.submit(configurations));
  GracefulEnd graceful_end(tools_.measurer, session_.setup.options.run_timeout_seconds + max_ending_seconds);
  for (std::size_t remaining = positions.size(); remaining > 0;) {
    std::vector<measure::Completed> completed = TRY(collect_results(session_, tools_.measurer, accounting_));
    const std::size_t count = completed.size();
    TRY(commit(batch, positions, std::move(completed)));
    remaining -= count;
    const measure::BatchProgress progress = tools_.measurer.progress();
    machines_.show_waiting(progress);
    // When a trial has just ended, the next kernel is loaded and checked, and not timed yet.
    if (count > 0 || progress.waiting) machines_.read_conditions(progress);
    session_.observer.progress(progress, session_.status_now());
    if (remaining == 0) break;
    if (session_.stop.level() > 1) return BatchEnd::Stopped;
    const bool stopped = session_.stop.level() > 0;
    if (graceful_end.reached(stopped || session_.out_of_time(), progress.running, count,
                             accounting_.session_seconds())) {
      return stopped ? BatchEnd::Stopped : BatchEnd::OutOfTime;
    }
  }
  return missing().empty() ? BatchEnd::Complete : BatchEnd::OutOfTrials;
}

Result<std::vector<trial::Trial>> MeasuredBatches::add_results(const Batch& batch,
                                                               const std::vector<std::size_t>& positions,
                                                               std::vector<measure::Completed> completed) {
  std::vector<trial::Trial> trials;
  for (measure::Completed& item : completed) {
    if (item.position >= positions.size() || rows_[positions[item.position]]) {
      return fail(ErrorCode::Internal,
                  fmt::format("candidate {} of a batch was measured twice", item.position));
    }
    const std::size_t position = positions[item.position];
    const std::int64_t number = batch.first_trial + static_cast<std::int64_t>(position);
    trials.push_back({number, batch.number, static_cast<std::int32_t>(position), batch.candidates[position],
                      std::move(item.measurement), accounting_.session_seconds()});
    const trial::Trial& trial = trials.back();
    const std::uint16_t worker = machines_.worker_number(trial.measurement.worker);
    machines_.add_conditions(worker, item.conditions);
    add_row(position, trial::make_row(trial, 0, 0, worker));
    // By its own samples: in a slow phase a kernel is at least as fast as measured.
    const double seconds = trial.measurement.valid() ? trial.measurement.ranking_seconds() : 0;
    best_.add({trial.number, seconds, trial.configuration});
  }
  return trials;
}

Status MeasuredBatches::commit(const Batch& batch, const std::vector<std::size_t>& positions,
                               std::vector<measure::Completed> completed) {
  if (completed.empty()) return {};
  const std::vector<trial::Trial> trials = TRY(add_results(batch, positions, std::move(completed)));
  const store::SessionStatus before = session_.status;
  session_.status.trial_count += std::ssize(trials);
  session_.set_best(best_);
  if (Status stored = session_.store.trials().append(session_.id, trials, session_.status_now()); !stored) {
    // Trials that were not stored are not counted: the final status must match the stored trials.
    session_.status = before;
    return stored;
  }
  measured_ = true;
  tools_.measurer.set_best_seconds(machines_.device_best_seconds());
  for (const trial::Trial& trial : trials) {
    session_.observer.trial_finished(trial, session_.status);
    notify_failure(trial);
  }
  return {};
}

void MeasuredBatches::notify_failure(const trial::Trial& trial) {
  const trial::Measurement& measurement = trial.measurement;
  const std::optional<trial::FailureText> first =
      failures_.add(trial.configuration, measurement.category, measurement.message);
  // No user waits for the first success of a training sample or of a study's run.
  if (!first || session_.setup.trials_alone || session_.setup.study) return;
  session_.observer.message(
      {MessageKind::Failure, fmt::format("trial {} {}", trial.number, trial::describe(*first))});
}

/** The machine's speed is that which the readings up to the end of the batch show. */
std::span<const trial::Observation> MeasuredBatches::observations(Batch& batch) {
  observations_.clear();
  for (std::size_t position = 0; position < rows_.size(); ++position) {
    BatchRow& measured = rows_[position].value();
    measured.row.machine = machines_.tracks().of_row(measured.arrival);
    observations_.push_back(
        trial::observe_row(measured.row, std::move(batch.candidates[position]), session_.flops()));
  }
  return observations_;
}

Status MeasuredBatches::observed(const Batch&, std::vector<store::StoredSeries> series) {
  // A process that died between a batch's last trial and its series left these out.
  std::erase_if(series,
                [this](const store::StoredSeries& value) { return value.trial <= stored_.last_series(); });
  return series.empty() ? Status() : session_.store.series().append(session_.id, series);
}

Status MeasuredBatches::conclude(store::SessionState end) {
  machines_.report_phases(/*at_end=*/end == store::SessionState::Done);
  if (end == store::SessionState::Done && tools_.confirmer && session_.stop.level() == 0)
    TRY(confirmation_.confirm_best(measured_));
  // The next round of a session that continues would read all trials again.
  if (session_.setup.continues && end == store::SessionState::Done) return {};
  if (const Status stored = store_measured_best(); !stored)
    session_.observer.message({MessageKind::Problem,
                               "the best trial could not be stored for lists, which read "
                               "all trials instead: " +
                                   describe(stored.error())});
  return {};
}

/** The final status is written by the caller. */
Status MeasuredBatches::store_measured_best() {
  if (!machines_.tracks().usual().known() || session_.status.best_trial < 0) return {};
  Result<trial::Baselines> baselines = trial::baselines_from_json(session_.status.vendor_json);
  if (!baselines) return {};  // damaged ones are reported where they are shown
  const store::SessionRecord record = TRY(session_.store.sessions().get(session_.id)).record;
  const store::TrialsWithSpeeds read = TRY(store::read_trials(session_.store, record));
  const analysis::MeasuredBest best = analysis::best_measured(read.trials);
  if (!read.speeds || best.trial < 0) return {};
  baselines->measured_best = trial::StoredMeasuredBest{.trials = read.trials.size(),
                                                       .trial = best.trial,
                                                       .row = best.row,
                                                       .machine = best.machine,
                                                       .usual = read.speeds->usual};
  session_.status.vendor_json = trial::baselines_to_json(*baselines);
  return {};
}

}  // namespace kernelscape::session
