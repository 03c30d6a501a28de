#include "ui/workspace/run_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/memory.h"
#include "core/exchange/stored_best.h"
#include "core/project/trust.h"
#include "core/session/project_preparation.h"

namespace kernelscape::workspace {
namespace {

constexpr double seconds_per_minute = 60;
constexpr std::chrono::milliseconds progress_interval{200};

double seconds_left(const RunView& view) {
  double left = -1;
  if (view.budget.trials > 0 && view.trials_per_second > 0) {
    const auto missing = std::max<std::int64_t>(0, view.budget.trials - view.status.trial_count);
    left = static_cast<double>(missing) / view.trials_per_second;
  }
  if (view.budget.minutes > 0) {
    const double time = std::max(0.0, view.budget.minutes * seconds_per_minute - view.status.session_seconds);
    left = left < 0 ? time : std::min(left, time);
  }
  return left;
}

/** Returns the name of the task, or "stencil" for a project file of that name. */
std::string shown_task(const session::TuningRequest& request) {
  const bool of_file = request.task.ends_with(".json");
  return of_file ? std::filesystem::path(request.task).stem().string() : request.task;
}

/** Returns the project of a run, or null if the run has no project or it can't be read. */
std::shared_ptr<const project::KernelProject> project_of(const store::Store& store,
                                                         const session::TuningRequest& request,
                                                         std::optional<store::SessionId> resumed) {
  if (!resumed) return session::requested_project(request, store).value_or(nullptr);
  const auto session = store.sessions().get(*resumed);
  if (!session || session->record.project_hash.empty()) return nullptr;
  return session::stored_project(store, session->record).value_or(nullptr);
}

}  // namespace

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::Queued:
      return "queued";
    case RunState::Preparing:
      return "preparing";
    case RunState::Waiting:
      return "waiting for the device";
    case RunState::Running:
      return "running";
    case RunState::Pausing:
      return "pausing";
    case RunState::Stopping:
      return "stopping";
    case RunState::Paused:
      return "paused";
    case RunState::Stopped:
      return "stopped";
    case RunState::Done:
      return "done";
    case RunState::Failed:
      return "failed";
  }
  return "unknown";
}

bool has_ended(RunState state) {
  return state == RunState::Paused || state == RunState::Stopped || state == RunState::Done ||
         state == RunState::Failed;
}

struct RunQueue::Run {
  RunView view;  ///< guarded by the queue's mutex
  session::TuningRequest request;
  std::optional<store::SessionId> resumed;
  std::optional<trial::Budget> raised;
  session::StopRequest stop;
  std::int64_t begin_trials = -1;
  double begin_seconds = 0;
};

/** Writes the events of the session into the run's view; called on the session's thread. */
class RunQueue::Observer final : public session::Observer {
 public:
  Observer(RunQueue& queue, Run& run) : queue_(queue), run_(run) {}

  void started(store::SessionId id, const store::SessionRecord&) override {
    {
      const std::scoped_lock lock(queue_.mutex_);
      run_.view.session = id;
      if (run_.stop.level() == 0) run_.view.state = RunState::Running;
    }
    const RunId run = run_.view.id;
    queue_.service_.deliver([queue = &queue_, run, id] { emit queue->session_started(run, id); });
    queue_.service_.announce();
  }
  void phase_changed(session::Phase phase, const store::SessionStatus& status) override {
    update([&](RunView& view) {
      view.phase = phase;
      view.status = status;
    });
  }
  void trial_finished(const trial::Trial&, const store::SessionStatus& status) override {
    set_status(status);
  }
  void progress(const measure::BatchProgress& batch, const store::SessionStatus& status) override {
    {
      const std::scoped_lock lock(queue_.mutex_);
      run_.view.batch = batch;
    }
    set_status(status);
  }
  void message(const session::Message& message) override {
    update([&](RunView& view) {
      view.messages.push_back(message);
      if (view.state == RunState::Preparing && message.kind == session::MessageKind::Waiting)
        view.state = RunState::Waiting;
    });
  }

 private:
  /**
   * Notifies the window only occasionally: the view is always current, and the final state is reported when
   * the run ends.
   */
  void set_status(const store::SessionStatus& status) {
    const auto now = std::chrono::steady_clock::now();
    const bool reported = now - last_notified_ < progress_interval;
    if (!reported) last_notified_ = now;
    update(!reported, [&](RunView& view) {
      view.status = status;
      if (run_.begin_trials < 0) {
        run_.begin_trials = status.trial_count - 1;
        run_.begin_seconds = 0;
        if (run_.resumed) run_.begin_seconds = status.session_seconds;
      }
      const double seconds = status.session_seconds - run_.begin_seconds;
      const auto trials = static_cast<double>(status.trial_count - run_.begin_trials);
      if (seconds > 0) view.trials_per_second = trials / seconds;
      view.seconds_left = seconds_left(view);
    });
  }

  template <typename Change>
  void update(Change change) {
    update(true, change);
  }
  template <typename Change>
  void update(bool notify, Change change) {
    {
      const std::scoped_lock lock(queue_.mutex_);
      change(run_.view);
    }
    if (notify) queue_.service_.announce();
  }

  RunQueue& queue_;
  Run& run_;
  std::chrono::steady_clock::time_point last_notified_;
};

namespace {

Result<analysis::BestResult> best_of_session(const store::Store& store, store::SessionId id) {
  return exchange::read_best(store, TRY(store.sessions().get(id)));
}

}  // namespace

RunQueue::RunQueue(std::filesystem::path database, session::Runner runner, QObject* parent)
    : QObject(parent),
      database_(std::move(database)),
      runner_(std::move(runner)),
      service_([this] { return run_next(); }) {
  connect(&service_, &Service::announced, this, &RunQueue::changed);
}

RunQueue::~RunQueue() { pause_all(); }

RunId RunQueue::start(const session::TuningRequest& request) {
  auto run = std::make_unique<Run>();
  run->request = request;
  run->view.title =
      request.name.empty() ? fmt::format("{} {}", shown_task(request), request.tuner) : request.name;
  run->view.budget = request.budget;
  return add(std::move(run));
}

RunId RunQueue::resume(store::SessionId session, std::optional<trial::Budget> budget) {
  auto run = std::make_unique<Run>();
  run->resumed = session;
  run->raised = budget;
  run->view.session = session;
  run->view.title = fmt::format("session {}", session);
  return add(std::move(run));
}

std::optional<RunId> RunQueue::again(RunId id) {
  auto run = std::make_unique<Run>();
  {
    const std::scoped_lock lock(mutex_);
    const Run* ended = find(id);
    if (ended == nullptr || !has_ended(ended->view.state)) return std::nullopt;
    run->request = ended->request;
    run->resumed = ended->resumed;
    run->raised = ended->raised;
    run->view.title = ended->view.title;
    run->view.budget = ended->view.budget;
    if (run->resumed) run->view.session = run->resumed;
  }
  return add(std::move(run));
}

RunId RunQueue::add(std::unique_ptr<Run> run) {
  RunId id = 0;
  {
    const std::scoped_lock lock(mutex_);
    id = run->view.id = next_id_++;
    runs_.push_back(std::move(run));
    queue_.push_back(id);
  }
  service_.wake();
  service_.announce();
  return id;
}

RunQueue::Run* RunQueue::find(RunId id) const {
  const auto found = std::ranges::find(runs_, id, [](const auto& run) { return run->view.id; });
  return found == runs_.end() ? nullptr : found->get();
}

void RunQueue::move_to_front(RunId id) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(queue_, id);
    if (found == queue_.end()) return;
    queue_.erase(found);
    queue_.push_front(id);
  }
  service_.announce();
}

void RunQueue::pause(RunId id) {
  {
    const std::scoped_lock lock(mutex_);
    Run* run = find(id);
    if (run == nullptr || has_ended(run->view.state) || active_ != id) return;
    if (run->view.state == RunState::Stopping) return;
    run->stop.stop_gracefully(session::StopReason::Paused);
    run->view.state = RunState::Pausing;
  }
  service_.announce();
}

void RunQueue::stop(RunId id) {
  {
    const std::scoped_lock lock(mutex_);
    Run* run = find(id);
    if (run == nullptr || has_ended(run->view.state)) return;
    if (std::erase(queue_, id) > 0) {
      run->view.state = RunState::Stopped;
    } else {
      if (run->view.state == RunState::Stopping) {
        run->stop.stop_at_once();
      } else {
        run->stop.stop_gracefully();
      }
      run->view.state = RunState::Stopping;
    }
  }
  service_.announce();
}

/** Empties the queue. @return the active run */
std::optional<RunId> RunQueue::discard_queued() {
  const std::scoped_lock lock(mutex_);
  for (const RunId id : std::exchange(queue_, {})) find(id)->view.state = RunState::Stopped;
  return active_;
}

void RunQueue::pause_all() {
  if (const std::optional<RunId> active = discard_queued()) pause(*active);
}

void RunQueue::stop_all() {
  const std::optional<RunId> active = discard_queued();
  // A second call of stop() would stop at once.
  if (active && run(*active)->state != RunState::Stopping) stop(*active);
}

std::vector<RunView> RunQueue::runs() const {
  const std::scoped_lock lock(mutex_);
  std::vector<RunView> views;
  for (const auto& run : runs_) views.push_back(run->view);
  return views;
}

std::optional<RunView> RunQueue::run(RunId id) const {
  const std::scoped_lock lock(mutex_);
  const Run* found = find(id);
  return found == nullptr ? std::nullopt : std::optional(found->view);
}

std::optional<RunView> RunQueue::active() const {
  const std::scoped_lock lock(mutex_);
  return active_ ? std::optional(find(*active_)->view) : std::nullopt;
}

std::size_t RunQueue::queued_count() const {
  const std::scoped_lock lock(mutex_);
  return queue_.size();
}

bool RunQueue::idle() const {
  const std::scoped_lock lock(mutex_);
  return !active_ && queue_.empty();
}

Service::Pause RunQueue::run_next() {
  Run* run = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (queue_.empty()) return {};
    active_ = queue_.front();
    queue_.pop_front();
    run = find(*active_);
  }
  const Status executed = base::guarded("the session", [&]() -> Status {
    execute(*run);
    return {};
  });
  if (!executed) fail_run(*run, executed.error());
  {
    const std::scoped_lock lock(mutex_);
    active_.reset();
  }
  service_.deliver([this, id = run->view.id] { emit run_ended(id); });
  service_.announce();
  return std::chrono::milliseconds(0);
}

Result<session::PreparedTuning> RunQueue::prepare(const Run& run, store::Store& store) const {
  if (!run.resumed) return session::prepare_tuning(run.request, store);
  Result<session::PreparedTuning> prepared = session::prepare_resume(store, *run.resumed);
  if (prepared && run.raised) prepared->setup.budget = *run.raised;
  return prepared;
}

void RunQueue::fail_run(Run& run, Error error) {
  {
    const std::scoped_lock lock(mutex_);
    run.view.error = std::move(error);
  }
  set_state(run, RunState::Failed);
}

/** Refuses a run; if only trust is missing, the window asks the user. */
void RunQueue::refuse_run(const store::Store& store, Run& run, const Error& error) {
  if (error.code == ErrorCode::Refused) {
    auto project = project_of(store, run.request, run.resumed);
    if (project != nullptr && !project::is_trusted(project::content_hash(*project))) {
      const std::scoped_lock lock(mutex_);
      run.view.untrusted = std::move(project);
    }
  }
  fail_run(run, error);
}

void RunQueue::execute(Run& run) {
  set_state(run, RunState::Preparing);
  Result<store::Store> store = store::Store::open(database_);
  if (!store) return fail_run(run, store.error());
  const Result<session::PreparedTuning> prepared = prepare(run, *store);
  if (!prepared) return refuse_run(*store, run, prepared.error());
  {
    const std::scoped_lock lock(mutex_);
    const session::Setup& setup = prepared->setup;
    run.view.budget = setup.budget;
    if (setup.real_measurements && !setup.options.build_only) run.view.device = setup.target.name;
    if (run.resumed || (setup.project != nullptr && setup.name.empty()))
      run.view.title = setup.name.empty() ? fmt::format("{} {}", setup.task.name, setup.tuner) : setup.name;
  }
  Observer observer(*this, run);
  const Result<session::Outcome> outcome = runner_(*store, *prepared, run.resumed, observer, run.stop);
  // A session that was stopped while its best trials were measured again is done.
  const bool done = outcome && outcome->status.state == store::SessionState::Done;
  const bool interrupted = !done && (outcome ? outcome->interrupted : run.stop.level() > 0);
  if (outcome) {
    // What cannot be read is reported when the session is shown.
    const analysis::BestResult best = best_of_session(*store, outcome->id).value_or(analysis::BestResult());
    const std::scoped_lock lock(mutex_);
    run.view.status = outcome->status;
    run.view.best = best;
  }
  const bool paused = run.stop.reason() == session::StopReason::Paused;
  if (interrupted) return set_state(run, paused ? RunState::Paused : RunState::Stopped);
  if (!outcome) return fail_run(run, outcome.error());
  set_state(run, RunState::Done);
}

void RunQueue::set_state(Run& run, RunState state) {
  {
    const std::scoped_lock lock(mutex_);
    run.view.state = state;
  }
  service_.announce();
}

}  // namespace kernelscape::workspace
