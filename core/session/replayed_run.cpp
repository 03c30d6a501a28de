#include "core/session/replayed_run.h"

#include <algorithm>

#include "core/base/thread_cpu_time.h"
#include "core/session/steps.h"
#include "core/trial/observed_row.h"

namespace kernelscape {
namespace {

constexpr std::chrono::milliseconds report_interval{50};
constexpr std::size_t most_pending_trials = 65'536;

}  // namespace

ReplayedRun::ReplayedRun(const ReplayTools& tools, SessionId id, const SessionSetup& setup, BudgetPlan plan)
    : ReplayedRun(tools, id, setup, std::move(plan), {}, {}) {
  caught_up_ = true;
}

ReplayedRun::ReplayedRun(const ReplayTools& tools, SessionId id, const SessionSetup& setup, BudgetPlan plan,
                         const SessionStatus& earlier, std::vector<StoredReplay> stored)
    : tools_(tools),
      id_(id),
      setup_(setup),
      restricted_(setup.space.fingerprint() != tools.recording.space().fingerprint()),
      plan_(std::move(plan)),
      earlier_(earlier),
      committed_(earlier),
      stored_(std::move(stored)),
      caught_up_(false),
      clock_(tools.recording, setup.options.clock) {}

Result<SessionOutcome> ReplayedRun::run() {
  const double begin = search_begin();
  Result<std::unique_ptr<Tuner>> tuner = make_session_tuner(setup_, plan_.limit_at(0));
  const double seconds = search_since(begin);
  if (in_waves()) uncharged_seconds_ = seconds;
  if (!tuner) {
    state_on_error_ = SessionState::Failed;
    return std::unexpected(pause(tuner.error()));
  }
  tuner_ = std::move(*tuner);
  tools_.observer.phase_changed(catching_up() ? SessionPhase::Replaying : SessionPhase::Measuring, status_);
  const Result<Ending> ending = go_on();
  if (!ending) return std::unexpected(pause(ending.error()));
  if (catching_up()) {
    // Stopped before anything happened: the session stays what it was.
    TRY(tools_.store.update_status(id_, earlier_));
    return SessionOutcome{id_, earlier_, true};
  }
  Result<SessionOutcome> outcome = finish(*ending);
  if (!outcome) return std::unexpected(pause(outcome.error()));
  return outcome;
}

Result<ReplayedRun::Ending> ReplayedRun::go_on() {
  for (;;) {
    if (catching_up() && stored_next_ == stored_.size()) TRY(catch_up());
    if (!catching_up()) {
      if (auto reason = end_reason()) return Ending{SessionState::Done, std::move(*reason)};
    }
    if (tools_.stop.level() > 0) return Ending{SessionState::Interrupted, "stopped by the user"};
    std::optional<std::string> finished = TRY(propose());
    if (finished) return Ending{SessionState::Done, std::move(*finished)};
    std::optional<Ending> ended = TRY(replay_batch());
    if (ended) return std::move(*ended);
    observe();
    TRY(report(false));
  }
}

/** What is stored is there again: a raised budget holds from here on. */
Status ReplayedRun::catch_up() {
  caught_up_ = true;
  // Search after the last stored batch was charged already. Where none was stored, the tuner was made anew.
  const double made_seconds = stored_.empty() ? uncharged_seconds_ : 0;
  if (setup_.options.search_time.kind == SearchTime::Kind::Measured)
    uncharged_seconds_ = std::max(made_seconds, earlier_.search_seconds - search_seconds_);
  stored_.clear();
  stored_next_ = 0;
  BudgetPlan raised = TRY(raise_budget(plan_, setup_.budget, batches_));
  if (raised != plan_) TRY(tools_.store.update_budget(id_, budget_plan_to_json(raised)));
  plan_ = std::move(raised);
  tools_.observer.phase_changed(SessionPhase::Measuring, status_now());
  committed_ = status_;
  return tools_.store.update_status(id_, status_);
}

std::optional<std::string> ReplayedRun::end_reason() const {
  const double gflops = setup_.task.flops() > 0 ? fitness_of(status_.best_seconds, setup_.task.flops()) : 0;
  return budget_reached(plan_.budget,
                        {proposed_, now_seconds_ + uncharged_seconds_, gflops, status_.best_trial});
}

Result<std::optional<std::string>> ReplayedRun::propose() {
  const std::int64_t request = plan_.batch_request(batches_, setup_.batch_size, proposed_);
  if (request < 1) return resume_mismatch(id_, "it has more trials than its budget allowed");
  const double begin = search_begin();
  Result<Proposal> proposal = tuner_->propose(static_cast<std::size_t>(request));
  uncharged_seconds_ += search_since(begin);
  if (!proposal) {
    state_on_error_ = SessionState::Failed;
    return std::unexpected(proposal.error());
  }
  if (auto* finished = std::get_if<Finished>(&*proposal)) {
    if (!catching_up()) return std::move(finished->reason);
    const Configuration next = tools_.recording.configuration(stored_[stored_next_].rows.at(0));
    return std::unexpected(compare_proposal(id_, setup_, batches_, *proposal, {&next, 1}).error());
  }
  candidates_ = std::move(std::get<std::vector<Configuration>>(*proposal));
  TRY(look_up(request));
  if (setup_.options.search_time.kind == SearchTime::Kind::Constant)
    uncharged_seconds_ +=
        static_cast<double>(candidates_.size()) * setup_.options.search_time.seconds_per_candidate;
  return std::nullopt;
}

/** The rows of the candidates: what is found was recorded, and so is a member. */
Status ReplayedRun::look_up(std::int64_t request) {
  rows_.clear();
  for (const Configuration& candidate : candidates_) {
    const std::optional<std::uint32_t> row = tools_.recording.find(candidate);
    if (!row || (restricted_ && !setup_.space.contains(candidate))) break;
    rows_.push_back(*row);
  }
  const Status sound =
      check_proposal(setup_, candidates_.size(), request, rows_.size() == candidates_.size());
  if (!sound) state_on_error_ = SessionState::Failed;
  return sound;
}

Result<std::optional<ReplayedRun::Ending>> ReplayedRun::replay_batch() {
  proposed_ += std::ssize(rows_);
  ++batches_;
  if (setup_.options.replay_samples) take_samples_of_batch();
  for (std::size_t done = 0; done < rows_.size();) {
    if (stored_next_ < stored_.size()) {
      done += TRY(take_stored(done));
      continue;
    }
    if (catching_up()) TRY(catch_up());
    if (auto ending = take_new(done)) return ending;
  }
  return std::nullopt;
}

/** Compares the candidates from `done` on with those that were submitted then. @return how many */
Result<std::size_t> ReplayedRun::take_stored(std::size_t done) {
  const StoredReplay& stored = stored_[stored_next_];
  const std::span<const std::uint32_t> proposed = std::span(rows_).subspan(done);
  if (stored.rows.size() > proposed.size() ||
      !std::ranges::equal(stored.rows, proposed.first(stored.rows.size()))) {
    std::vector<Configuration> configurations;
    for (const std::uint32_t row : stored.rows) configurations.push_back(tools_.recording.configuration(row));
    candidates_.erase(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(done));
    return std::unexpected(
        compare_proposal(id_, setup_, batches_ - 1, std::move(candidates_), configurations).error());
  }
  ++stored_next_;
  uncharged_seconds_ = 0;
  charge_search(stored.search_seconds);
  schedule(done);
  take(done, done + stored.rows.size());
  ++submitted_;
  return stored.rows.size();
}

/** Submits the candidates from `done` on. @return how the session ends where the budget cuts the batch */
std::optional<ReplayedRun::Ending> ReplayedRun::take_new(std::size_t& done) {
  const Budget& budget = plan_.budget;
  const double search_seconds = std::exchange(uncharged_seconds_, 0);
  charge_search(search_seconds);
  const Ending no_time{SessionState::Done, time_over(budget)};
  const Ending no_trials{SessionState::Done, trials_over(budget)};
  // What goes on within a batch may have begun before the clock's last instant.
  const bool timed_out = budget.minutes > 0 && now_seconds_ >= budget_seconds(budget);
  if (timed_out && !goes_on_in_batch(done)) return no_time;
  std::size_t affordable = rows_.size();
  if (budget.trials > 0) {
    const std::int64_t left = std::max<std::int64_t>(0, budget.trials - status_.trial_count);
    affordable = std::min(affordable, done + static_cast<std::size_t>(left));
  }
  if (affordable == done) return no_trials;
  schedule(done);
  std::size_t end = affordable;
  if (budget.minutes > 0) {
    const double left_seconds = budget_seconds(budget) - submission_.begin_seconds;
    end = std::min(end, submission_.first + begun_before(schedule_, left_seconds));
  }
  if (end <= done) return no_time;
  submit(done, end, search_seconds);
  done = end;
  if (done == rows_.size()) return std::nullopt;
  return end < affordable ? no_time : no_trials;
}

/** Takes the scheduled candidates from `done` to before `end`, and keeps them until they are stored. */
void ReplayedRun::submit(std::size_t done, std::size_t end, double search_seconds) {
  ReplayedBatch& batch = pending_.emplace_back();
  batch.batch = submitted_++;
  batch.first_trial = status_.trial_count;
  batch.search_seconds = search_seconds;
  const std::span<const std::uint32_t> rows = std::span(rows_).subspan(done, end - done);
  batch.rows.assign(rows.begin(), rows.end());
  for (std::size_t position = done; position < end && !samples_.empty(); ++position)
    if (samples_[position].cut_short) batch.rows[position - done] |= replayed_cut_short;
  batch.finished_seconds.reserve(rows.size());
  for (std::size_t position = done; position < end; ++position) {
    batch.finished_seconds.push_back(submission_.begin_seconds +
                                     schedule_.finished_seconds[position - submission_.first]);
  }
  pending_trials_ += rows.size();
  take(done, end);
}

void ReplayedRun::charge_search(double seconds) {
  search_seconds_ += seconds;
  now_seconds_ += seconds;
  submission_.begin_seconds += seconds;  // what goes on in its batch does so later
}

/**
 * Schedules the candidates from `done` on. A batch that was cut goes on in its waves as if it had not been;
 * in sessions of before what was left of it was submitted anew.
 */
void ReplayedRun::schedule(std::size_t done) {
  if (goes_on_in_batch(done)) return;
  submission_ = {done, now_seconds_, status_.build_seconds, status_.run_seconds};
  schedule_.seconds_not_run.clear();
  for (const ReplayedSamples& taken : std::span(samples_).subspan(std::min(done, samples_.size())))
    schedule_.seconds_not_run.push_back(taken.seconds_not_run);
  clock_.schedule(std::span(rows_).subspan(done), schedule_);
}

/** Counts scheduled trials from `done` to before `end`, and lets the clock go on until they are known. */
void ReplayedRun::take(std::size_t done, std::size_t end) {
  const bool whole = end == rows_.size() && done == submission_.first;
  if (!whole) clock_.cut(std::span(rows_).subspan(submission_.first), end - submission_.first, schedule_);
  now_seconds_ = submission_.begin_seconds + schedule_.end_seconds;
  status_.build_seconds = submission_.build_seconds + schedule_.build_seconds;
  status_.run_seconds = submission_.run_seconds + schedule_.run_seconds;
  for (std::size_t position = done; position < end; ++position) {
    const std::int64_t number = status_.trial_count++;
    if (tools_.recording.category(rows_[position]) != ErrorCategory::NoError) {
      ++errors_;
      continue;
    }
    const double seconds = seen_seconds(position);
    if (seconds <= 0 || (status_.best_trial >= 0 && seconds >= status_.best_seconds)) continue;
    status_.best_trial = number;
    status_.best_seconds = seconds;
  }
}

/** Which samples of each candidate are taken: a run knows the best of all runs before it. */
void ReplayedRun::take_samples_of_batch() {
  samples_.clear();
  seen_.clear();
  double best_seconds = status_.best_trial >= 0 ? status_.best_seconds : 0;
  for (const std::uint32_t row : rows_) {
    const std::span<const double> samples = tools_.recording.samples(row);
    const ReplayedSamples& taken =
        samples_.emplace_back(replayed_samples(samples, setup_.options, best_seconds));
    TrialRow& seen = seen_.emplace_back(tools_.recording.trial_row(row, 0));
    take_samples(seen, samples, taken);
    const bool timed = seen.category == ErrorCategory::NoError && seen.median_seconds > 0;
    if (timed && (best_seconds == 0 || seen.median_seconds < best_seconds))
      best_seconds = seen.median_seconds;
  }
}

/** What the candidate is ranked by. */
double ReplayedRun::seen_seconds(std::size_t position) const {
  return seen_.empty() ? tools_.recording.seconds(rows_[position]) : seen_[position].median_seconds;
}

void ReplayedRun::observe() {
  const double flops = setup_.task.flops();
  observations_.resize(rows_.size());
  for (std::size_t position = 0; position < rows_.size(); ++position) {
    const TrialRow row = seen_.empty() ? tools_.recording.trial_row(rows_[position], 0) : seen_[position];
    observations_[position] = observe_row(row, std::move(candidates_[position]), flops);
  }
  const double begin = search_begin();
  tuner_->observe(observations_);
  // What is only told costs nothing; sessions of before were charged it.
  if (in_waves()) uncharged_seconds_ += search_since(begin);
  // Series of stored batches were stored with them.
  for (std::size_t position = 0; position < rows_.size() && !catching_up(); ++position) {
    const std::int64_t number = proposed_ - std::ssize(rows_) + static_cast<std::int64_t>(position);
    for (SeriesValue& value : tuner_->series(position))
      pending_series_.push_back({number, std::move(value.series), value.value});
  }
  if (!in_waves()) uncharged_seconds_ += search_since(begin);
}

/** Stores and tells what is new, some times a second. */
Status ReplayedRun::report(bool at_once) {
  const auto now = std::chrono::steady_clock::now();
  if (!at_once && pending_trials_ < most_pending_trials && now - reported_ < report_interval) return {};
  TRY(flush());
  if (!at_once && now - reported_ < report_interval) return {};
  reported_ = now;
  if (!at_once) tools_.observer.batch_started(batches_ - 1, rows_.size());
  tools_.observer.replay_progress(errors_, status_now());
  tools_.observer.progress({.finished = rows_.size()}, status_now());
  return {};
}

Status ReplayedRun::flush() {
  if (pending_.empty() && pending_series_.empty()) return {};
  TRY(tools_.store.append_replayed(id_, pending_, pending_series_, status_now()));
  committed_ = status_;
  pending_.clear();
  pending_series_.clear();
  pending_trials_ = 0;
  return {};
}

Result<SessionOutcome> ReplayedRun::finish(const Ending& ending) {
  TRY(flush());
  status_.state = ending.state;
  status_.state_reason = ending.reason;
  TRY(tools_.store.update_status(id_, status_now()));
  if (ending.state == SessionState::Interrupted)
    TRY(tools_.store.append_interruption(id_, status_.session_seconds, "stopped"));
  TRY(report(true));
  return SessionOutcome{id_, status_, tools_.stop.level() > 0};
}

Error ReplayedRun::pause(Error error) {
  if (catching_up()) {
    // Nothing has happened yet: a resumed session stays what it was.
    [[maybe_unused]] const Status unchanged = tools_.store.update_status(id_, earlier_);
    return error;
  }
  // The store may be what failed: the first error is the one to tell, and what was not stored is not counted.
  if (flush())
    status_now();
  else
    status_ = committed_;
  status_.state = state_on_error_;
  status_.state_reason = error.message;
  if (tools_.store.update_status(id_, status_)) {
    [[maybe_unused]] const Status marked =
        tools_.store.append_interruption(id_, status_.session_seconds, "fault");
  }
  return state_on_error_ == SessionState::Interrupted ? with_way_on(std::move(error), id_) : error;
}

double ReplayedRun::search_begin() const {
  if (setup_.options.search_time.kind != SearchTime::Kind::Measured) return 0;
  if (tools_.feature_bill) tools_.feature_bill->open();
  return thread_cpu_seconds();
}

/** With what rows of features cost that another run had computed. */
double ReplayedRun::search_since(double begin) const {
  if (setup_.options.search_time.kind != SearchTime::Kind::Measured) return 0;
  const double seconds = thread_cpu_seconds() - begin;
  return tools_.feature_bill ? seconds + tools_.feature_bill->close() : seconds;
}

const SessionStatus& ReplayedRun::status_now() {
  status_.session_seconds = now_seconds_ + uncharged_seconds_;
  status_.search_seconds = search_seconds_ + uncharged_seconds_;
  return status_;
}

}  // namespace kernelscape
