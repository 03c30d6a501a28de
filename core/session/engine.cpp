#include "core/session/engine.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/memory.h"
#include "core/session/started_tuner.h"
#include "core/session/steps.h"

namespace kernelscape::session {

Result<Outcome> Engine::run() {
  const Result<bool> begun = base::guarded("preparing the session", [this] { return begin(); });
  if (!begun || !*begun) return leave(begun);
  const Result<Ending> ending = base::guarded("the session", [this]() -> Result<Ending> {
    TRY(start());
    return keep_going();
  });
  if (!ending) return std::unexpected(pause(ending.error()));
  Result<Outcome> outcome = base::guarded("ending the session", [&] { return finish(*ending); });
  if (!outcome) return std::unexpected(pause(outcome.error()));
  return outcome;
}

Result<bool> Engine::begin() {
  // The tuner receives the trial limit of its first batch.
  if (session_.earlier.batches.empty()) TRY(raise_budget());
  was_kept_ = take_kept_tuner();
  if (!was_kept_) TRY(make_tuner());
  if (session_.earlier.catches_up) session_.enter(Phase::Replaying);
  return catch_up();
}

Status Engine::make_tuner() {
  state_on_error_ = store::SessionState::Failed;
  const double begin = session_.clock.search_begin();
  const Setup& setup = session_.setup;
  Result<std::unique_ptr<tuner::Tuner>> tuner = setup.starts.empty()
                                                    ? make_session_tuner(setup, session_.plan.limit_at(0))
                                                    : std::make_unique<StartedTuner>(setup.starts);
  const double seconds = session_.clock.search_since(begin);
  tuner_ = TRY(std::move(tuner));
  state_on_error_ = store::SessionState::Interrupted;
  // Once: to the first batch, whose stored search it is part of.
  if (session_.setup.options.clock == trial::BatchClock::Waves && session_.earlier.batches.empty())
    session_.clock.charge_making(seconds);
  return {};
}

bool Engine::take_kept_tuner() {
  if (kept_ == nullptr) return false;
  TunerCheckpoint kept = std::exchange(*kept_, {});
  const std::vector<store::StoredBatch>& stored = session_.earlier.batches;
  std::int64_t candidates = 0;
  for (const store::StoredBatch& batch : stored) candidates += std::ssize(batch.candidates);
  const bool same = kept.tuner && kept.session == session_.id && kept.batches == std::ssize(stored) &&
                    kept.candidates == candidates && session_.earlier.status.trial_count == candidates;
  if (same) tuner_ = std::move(kept.tuner);
  return same;
}

void Engine::keep_tuner() {
  if (kept_ != nullptr && observed_count_ == batch_count_)
    *kept_ = {session_.id, std::move(tuner_), batch_count_, proposed_};
}

/** Repeats the proposals and observations of the tuner, unless it has observed them. */
Result<bool> Engine::catch_up() {
  const std::vector<store::StoredBatch>& batches = session_.earlier.batches;
  for (auto stored = batches.begin(); stored != batches.end();) {
    if (session_.stop.level() > 0) return false;
    if (was_kept_) {
      take_batch(stored->candidates);
    } else if (TRY(propose())) {
      return resume_mismatch(
          session_.id, fmt::format("tuner {} ends at batch {}, which has {} candidates", session_.setup.tuner,
                                   batch_count_, stored->candidates.size()));
    }
    unfinished_ = true;
    for (; unfinished_ && stored != batches.end(); ++stored)
      unfinished_ = !TRY(batches_.take_stored(batch_, *stored));
    if (unfinished_) continue;
    if (was_kept_)
      ++observed_count_;
    else
      TRY(observe());
  }
  return true;
}

/** Nothing has happened yet, so a resumed session does not change. */
Result<Outcome> Engine::leave(const Result<bool>& begun) {
  if (!begun && !session_.earlier.catches_up) return std::unexpected(pause(begun.error()));
  const Status unchanged = session_.store.sessions().update_status(session_.id, session_.earlier.status);
  if (!begun) return std::unexpected(begun.error());
  TRY(unchanged);
  return Outcome{session_.id, session_.earlier.status, true};
}

Status Engine::start() {
  session_.earlier.batches = std::vector<store::StoredBatch>();
  TRY(base::guarded("the survey of starts", [this] { return batches_.survey(); }));
  session_.status.state = store::SessionState::Running;
  session_.status.state_reason.clear();
  session_.clock.start();
  TRY(raise_budget());
  batches_.started();
  if (session_.earlier.status.state == store::SessionState::Running) return {};
  return session_.store.sessions().update_status(session_.id, session_.status_now());
}

/** From here on: what is stored was proposed within the limits of then. */
Status Engine::raise_budget() {
  trial::BudgetPlan raised =
      TRY(kernelscape::trial::raise_budget(session_.plan, session_.setup.budget, batch_count_));
  if (raised != session_.plan)
    TRY(session_.store.sessions().update_budget(session_.id, trial::budget_plan_to_json(raised)));
  session_.plan = std::move(raised);
  return {};
}

Result<Engine::Ending> Engine::keep_going() {
  for (;; unfinished_ = false) {
    if (!unfinished_) {
      std::optional<Ending> ending = TRY(next_batch());
      if (ending) return std::move(*ending);
    }
    const BatchEnd end = TRY(batches_.measure(batch_));
    if (end != BatchEnd::Complete) return ending_within(end);
    batches_.searching();
    TRY(observe());
  }
}

Result<std::optional<Engine::Ending>> Engine::next_batch() {
  if (auto reason = budget_reached()) return Ending{store::SessionState::Done, std::move(*reason)};
  if (session_.stop.level() > 0) return stopped();
  batches_.searching();
  std::optional<std::string> finished = TRY(propose());
  if (finished) return Ending{store::SessionState::Done, std::move(*finished)};
  TRY(batches_.store(batch_));
  return std::nullopt;
}

std::optional<std::string> Engine::budget_reached() const {
  const store::SessionStatus& status = session_.status;
  const double gflops = session_.flops() > 0 ? trial::fitness_of(status.best_seconds, session_.flops()) : 0;
  return kernelscape::trial::budget_reached(
      session_.plan.budget, {proposed_, session_.clock.session_seconds(), gflops, status.best_trial,
                             batches_.identical_failures()});
}

Engine::Ending Engine::stopped() const {
  return {store::SessionState::Interrupted, std::string(stop_reason_text(session_.stop.reason()))};
}

Engine::Ending Engine::ending_within(BatchEnd end) const {
  if (end == BatchEnd::Stopped) return stopped();
  const trial::Budget& budget = session_.plan.budget;
  return {store::SessionState::Done,
          end == BatchEnd::OutOfTime ? trial::time_over(budget) : trial::trials_over(budget)};
}

Result<std::optional<std::string>> Engine::propose() {
  const Setup& setup = session_.setup;
  const std::int64_t request = session_.plan.batch_request(batch_count_, setup.batch_size, proposed_);
  if (request < 1) return resume_mismatch(session_.id, "it has more trials than its budget allowed");
  Result<tuner::Proposal> proposal = session_.clock.search([&]() -> Result<tuner::Proposal> {
    TRY(complete_started_tuner());
    return tuner_->propose(static_cast<std::size_t>(request));
  });
  // An error of the tuner itself fails the session.
  state_on_error_ = store::SessionState::Failed;
  if (!proposal) return std::unexpected(std::move(proposal).error());
  if (auto* finished = std::get_if<tuner::Finished>(&*proposal)) {
    state_on_error_ = store::SessionState::Interrupted;
    return std::move(finished->reason);
  }
  const bool members = take_batch(std::move(std::get<std::vector<space::Configuration>>(*proposal)));
  TRY(check_proposal(setup, batch_.candidates.size(), request, members));
  state_on_error_ = store::SessionState::Interrupted;
  return std::nullopt;
}

/** Uses the trial limit of the session's begin, so that a resumed session makes the same tuner. */
Status Engine::complete_started_tuner() {
  auto* started = dynamic_cast<StartedTuner*>(tuner_.get());
  if (started == nullptr || !started->needs_tuner()) return {};
  Setup setup = session_.setup;
  setup.history.insert(setup.history.end(), started->known().begin(), started->known().end());
  started->take(TRY(make_session_tuner(setup, session_.plan.limit_at(batch_count_))));
  return {};
}

bool Engine::take_batch(std::vector<space::Configuration> candidates) {
  batch_ = {batch_count_, proposed_, std::move(candidates)};
  proposed_ += std::ssize(batch_.candidates);
  ++batch_count_;
  return batches_.begin(batch_);
}

Status Engine::observe() {
  const std::span<const trial::Observation> observations = batches_.observations(batch_);
  // Observing stored trials is not charged; in older sessions it was.
  const bool charged = session_.setup.options.clock == trial::BatchClock::Batches;
  const bool wanted = batches_.takes_series();
  std::vector<store::StoredSeries> series = session_.clock.search([&] {
    tuner_->observe(observations);
    return charged && wanted ? series_of_batch() : std::vector<store::StoredSeries>();
  });
  if (!charged && wanted) series = series_of_batch();
  ++observed_count_;
  return batches_.observed(batch_, std::move(series));
}

std::vector<store::StoredSeries> Engine::series_of_batch() const {
  std::vector<store::StoredSeries> all;
  for (std::size_t position = 0; position < batch_.candidates.size(); ++position) {
    const std::int64_t trial = batch_.first_trial + static_cast<std::int64_t>(position);
    for (trial::SeriesValue& value : tuner_->series(position))
      all.push_back({trial, std::move(value.series), value.value});
  }
  return all;
}

Result<Outcome> Engine::finish(const Ending& ending) {
  store::SessionStatus& status = session_.status;
  TRY(batches_.conclude(ending.state));
  status.state = ending.state;
  status.state_reason = ending.reason;
  TRY(session_.store.sessions().update_status(session_.id, session_.status_now()));
  if (ending.state == store::SessionState::Interrupted)
    TRY(session_.store.interruptions().append(
        session_.id, status.session_seconds,
        session_.stop.reason() == StopReason::Paused ? "paused" : "stopped"));
  batches_.notify_progress();
  if (ending.state == store::SessionState::Done) keep_tuner();
  return Outcome{session_.id, status, session_.stop.level() > 0};
}

Error Engine::pause(Error error) {
  store::SessionStatus& status = session_.status;
  batches_.settle();
  status.state = state_on_error_;
  status.state_reason = error.message;
  // The store itself may have failed: report the first error.
  if (session_.store.sessions().update_status(session_.id, status)) {
    [[maybe_unused]] const Status marked =
        session_.store.interruptions().append(session_.id, status.session_seconds, "fault");
  }
  return state_on_error_ == store::SessionState::Interrupted ? with_resume_hint(std::move(error), session_.id)
                                                             : error;
}

}  // namespace kernelscape::session
