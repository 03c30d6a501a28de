#include "core/session/session_run.h"

#include <algorithm>

#include "core/base/memory.h"
#include "core/base/numbers.h"
#include "core/session/steps.h"

namespace kernelscape {
namespace {

double charged_search(const std::vector<Store::StoredBatch>& batches) {
  double seconds = 0;
  for (const Store::StoredBatch& batch : batches) seconds += batch.search_seconds;
  return seconds;
}

}  // namespace

SessionRun::SessionRun(Store& store, SessionId id, const SessionSetup& setup, const SessionTools& tools,
                       BudgetPlan plan, const SessionStatus& earlier, std::vector<Store::StoredBatch> stored)
    : store_(store),
      id_(id),
      setup_(setup),
      tools_(tools),
      plan_(std::move(plan)),
      status_(earlier),
      stored_(std::move(stored)),
      charged_search_seconds_(charged_search(stored_)),
      accounting_(tools.clock, earlier, charged_search_seconds_) {}

Result<SessionOutcome> SessionRun::run() {
  const SessionStatus earlier = status_;
  Result<Replayed> replayed = guarded("preparing the session", [this] { return begin(); });
  if (!replayed || replayed->stopped) {
    // Nothing has happened yet: a resumed session stays what it was.
    if (!replayed && stored_.empty()) return std::unexpected(pause(replayed.error()));
    const Status unchanged = store_.update_status(id_, earlier);
    if (!replayed) return std::unexpected(replayed.error());
    TRY(unchanged);
    return SessionOutcome{id_, earlier, true};
  }
  stored_.clear();
  if (const Status surveyed = guarded("the survey of starts", [this] { return survey(); }); !surveyed)
    return std::unexpected(pause(surveyed.error()));
  status_.state = SessionState::Running;
  status_.state_reason.clear();
  accounting_.start();
  if (earlier.state != SessionState::Running) TRY(store_.update_status(id_, status_));
  const Result<Ending> ending =
      guarded("the session", [&] { return go_on(std::move(replayed->unfinished)); });
  if (!ending) return std::unexpected(pause(ending.error()));
  Result<SessionOutcome> outcome = guarded("ending the session", [&] { return finish(*ending); });
  if (!outcome) return std::unexpected(pause(outcome.error()));
  return outcome;
}

Result<SessionRun::Replayed> SessionRun::begin() {
  TRY(make_tuner());
  return replay();
}

/** Once in a session's life, and before its time begins. A survey that fails costs the comparison, not the
 * session. */
Status SessionRun::survey() {
  if (!tools_.surveyor || !status_.vendor_json.empty() || tools_.stop.level() > 0) return {};
  tools_.observer.phase_changed(SessionPhase::Surveying, status_);
  Result<Survey> measured = tools_.surveyor(tools_.stop);
  if (!measured) {
    if (tools_.stop.level() == 0)
      tools_.observer.message(
          {MessageKind::Problem, "there is nothing to compare with: " + describe(measured.error())});
    return {};
  }
  Baselines baselines;
  baselines.limits = measured->limits;
  baselines.vendor = std::move(measured->vendor);
  status_.vendor_json = baselines_to_json(baselines);
  return store_.update_status(id_, status_);
}

Status SessionRun::make_tuner() {
  state_on_error_ = SessionState::Failed;
  const double begin = tools_.clock();
  std::unique_ptr<Tuner> tuner = TRY(make_session_tuner(setup_, plan_.limit_at(0)));
  const double seconds = tools_.clock() - begin;
  state_on_error_ = SessionState::Interrupted;
  tuner_ = std::move(tuner);
  // Once: to the first batch, whose stored search it is part of.
  const bool charged = !stored_.empty() || accounting_.search_seconds() > 0;
  if (setup_.options.clock == BatchClock::Waves && !charged) accounting_.charge_before_start(seconds);
  return {};
}

Result<SessionRun::Ending> SessionRun::go_on(std::optional<Batch> batch) {
  for (;; batch.reset()) {
    if (!batch) {
      if (auto reason = budget_reached()) return Ending{SessionState::Done, std::move(*reason)};
      if (tools_.stop.level() > 0) return Ending{SessionState::Interrupted, "stopped by the user"};
      std::variant<Batch, Finished> proposed = TRY(propose());
      if (auto* finished = std::get_if<Finished>(&proposed))
        return Ending{SessionState::Done, finished->reason};
      batch = std::move(std::get<Batch>(proposed));
    }
    const BatchEnd end = TRY(measure(*batch));
    if (end == BatchEnd::Stopped) return Ending{SessionState::Interrupted, "stopped by the user"};
    if (end == BatchEnd::OutOfTime) return Ending{SessionState::Done, time_over(plan_.budget)};
    if (end == BatchEnd::OutOfTrials) return Ending{SessionState::Done, trials_over(plan_.budget)};
    TRY(observe(*batch));
  }
}

bool SessionRun::out_of_time() const {
  return plan_.budget.minutes > 0 && accounting_.session_seconds() >= budget_seconds(plan_.budget);
}

std::optional<std::string> SessionRun::budget_reached() const {
  const double gflops = gflops_of(flops(), status_.best_seconds);
  return kernelscape::budget_reached(plan_.budget,
                                     {proposed_, accounting_.session_seconds(), gflops, status_.best_trial});
}

Result<std::variant<Batch, Finished>> SessionRun::propose() {
  enter(SessionPhase::Searching);
  const std::int64_t request = plan_.batch_request(batches_, setup_.batch_size, proposed_);
  Result<Proposal> proposal =
      accounting_.search([&] { return tuner_->propose(static_cast<std::size_t>(request)); });
  state_on_error_ = SessionState::Failed;
  if (!proposal) return std::unexpected(proposal.error());
  if (auto* finished = std::get_if<Finished>(&*proposal)) {
    state_on_error_ = SessionState::Interrupted;
    return std::move(*finished);
  }
  Batch batch{batches_, proposed_, std::move(std::get<std::vector<Configuration>>(*proposal)), {}};
  const bool members =
      std::ranges::all_of(batch.candidates, [&](const auto& c) { return setup_.space.contains(c); });
  TRY(check_proposal(setup_, batch.candidates.size(), request, members));
  state_on_error_ = SessionState::Interrupted;
  batch.observed.resize(batch.candidates.size());
  const double uncharged = accounting_.search_seconds() - charged_search_seconds_;
  TRY(store_.append_batch(id_, batch.number, batch.candidates, uncharged));
  charged_search_seconds_ = accounting_.search_seconds();
  proposed_ += std::ssize(batch.candidates);
  ++batches_;
  return batch;
}

Status SessionRun::observe(const Batch& batch) {
  enter(SessionPhase::Searching);
  // What is only told costs nothing; sessions of before were charged it.
  const bool charged = setup_.options.clock == BatchClock::Batches;
  std::vector<StoredSeries> series = accounting_.search([&] {
    tuner_->observe(batch.observations());
    return charged ? series_of(batch) : std::vector<StoredSeries>();
  });
  if (!charged) series = series_of(batch);
  return series.empty() ? Status() : store_.append_series(id_, series);
}

std::vector<StoredSeries> SessionRun::series_of(const Batch& batch) const {
  std::vector<StoredSeries> all;
  for (std::size_t position = 0; position < batch.candidates.size(); ++position) {
    for (SeriesValue& value : tuner_->series(position)) {
      all.push_back(
          {batch.first_trial + static_cast<std::int64_t>(position), std::move(value.series), value.value});
    }
  }
  return all;
}

Error SessionRun::pause(Error error) {
  status_.state = state_on_error_;
  status_.state_reason = error.message;
  // The store may be what failed: the first error is the one to tell.
  if (store_.update_status(id_, status_now())) {
    [[maybe_unused]] const Status marked = store_.append_interruption(id_, status_.session_seconds, "fault");
  }
  return state_on_error_ == SessionState::Interrupted ? with_way_on(std::move(error), id_) : error;
}

void SessionRun::enter(SessionPhase phase) { tools_.observer.phase_changed(phase, status_now()); }

const SessionStatus& SessionRun::status_now() {
  accounting_.write(status_);
  return status_;
}

}  // namespace kernelscape
