#include "core/simulation/fleet_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "core/base/random.h"
#include "core/simulation/fleet_checks.h"

namespace kernelscape::simulation {
namespace {

/** Serves requests in the order of arrival, one after the other. */
class Server {
 public:
  /** @param now not before that of any earlier call. @return when the request is complete */
  double serve(double now, double seconds) {
    busy_seconds_ += seconds;
    free_seconds_ = std::max(free_seconds_, now) + seconds;
    return free_seconds_;
  }
  double busy_seconds() const { return busy_seconds_; }

 private:
  double free_seconds_ = 0;
  double busy_seconds_ = 0;
};

enum class Stage : std::uint8_t { Build, Run };

struct SimulatedTrial {
  std::size_t session = 0;
  TrialCost cost;
  Stage stage = Stage::Build;
  std::uint32_t deliveries = 0;  ///< deliveries of the stage's task
  bool dead = false;             ///< the stage's task is a dead letter

  double task_seconds() const { return stage == Stage::Build ? cost.build_seconds : cost.run_seconds; }
};

/** A tuner, and the costs of its trials. */
struct SimulatedSession {
  std::vector<std::uint32_t> order;  ///< order of the costs
  base::Random random;
  std::size_t proposed = 0;  ///< number of proposed trials
  std::size_t open = 0;      ///< trials of its batch that have not ended
};

struct SimulatedWorker {
  base::Random lives;
  std::size_t redis = 0;
  std::uint32_t life = 0;            ///< number of kills so far: events of an earlier life are ignored
  std::optional<std::size_t> trial;  ///< the trial whose task it has
  double delivered_seconds = 0;      ///< time at which Redis delivered that task
  bool waiting = false;              ///< waits for a task at Redis
};

struct Redis {
  Server server;
  std::deque<std::size_t> builds;  ///< trials whose task waits, the next one first
  std::deque<std::size_t> runs;
  std::deque<std::size_t>
      builders;  ///< waiting workers, the longest waiting first; all workers if each does both
  std::deque<std::size_t> runners;
};

enum class EventKind : std::uint8_t {
  Proposed,  ///< session: its next batch is known
  Arrived,   ///< trial: its task is at Redis
  Queued,    ///< trial: its task is in the stream
  Worked,    ///< worker: it has finished its task
  Answered,  ///< worker: its answer is at Redis
  Released,  ///< worker: Redis has received the answer, and the worker can take another task
  Received,  ///< trial: the answer, or the fact that there will be none, is at the controller
  Ended,     ///< trial: the controller has processed its last answer
  Killed,    ///< worker
  Started,   ///< worker: it takes tasks again
  Expired    ///< trial: the lease of its task has expired
};

struct Event {
  double seconds = 0;
  std::uint64_t order = 0;  ///< order of simultaneous events: that of their creation
  EventKind kind = EventKind::Proposed;
  std::uint32_t life = 0;  ///< life of the worker
  std::size_t subject = 0;
  std::size_t trial = 0;  ///< the trial that the worker has answered

  bool operator>(const Event& other) const {
    return std::pair(seconds, order) > std::pair(other.seconds, other.order);
  }
};

class Simulation {
 public:
  Simulation(std::span<const TrialCost> costs, const SimulatedFleet& fleet);
  FleetOutcome run();

 private:
  bool apart() const { return fleet_.builders > 0; }
  void add(double seconds, EventKind kind, std::size_t subject, std::uint32_t life = 0,
           std::size_t trial = 0);
  void handle(const Event& event);

  void search(std::size_t session);
  void propose(std::size_t session);
  TrialCost next_cost(SimulatedSession& session);
  void end_trial(std::size_t trial);

  void arrive(std::size_t trial);
  void queue(std::size_t trial, bool first);
  void receive(std::size_t trial);

  void start(std::size_t worker);
  void wait(std::size_t worker);
  std::deque<std::size_t>& waiting(std::size_t worker);
  void hand_out(Redis& redis);
  void deliver(std::deque<std::size_t>& tasks, std::deque<std::size_t>& workers);
  void finish(std::size_t worker);
  void answer(std::size_t worker, std::uint32_t life, std::size_t trial);
  void kill(std::size_t worker);
  void expire(std::size_t trial);

  std::span<const TrialCost> costs_;
  const SimulatedFleet& fleet_;
  double way_seconds_;
  double now_ = 0;
  std::uint64_t events_made_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Server writer_;
  std::vector<Redis> redis_;
  std::vector<double> search_free_seconds_;  ///< by thread
  std::vector<SimulatedSession> sessions_;
  std::vector<SimulatedTrial> trials_;
  std::vector<SimulatedWorker> workers_;
  FleetOutcome outcome_;
};

Simulation::Simulation(std::span<const TrialCost> costs, const SimulatedFleet& fleet)
    : costs_(costs),
      fleet_(fleet),
      way_seconds_(fleet.queue_seconds / 4),
      redis_(fleet.redis_servers),
      search_free_seconds_(fleet.search_threads) {
  const base::Random random(fleet.seed);
  for (std::size_t session = 0; session < fleet.sessions; ++session) {
    sessions_.push_back({.order = std::vector<std::uint32_t>(costs.size()),
                         .random = random.fork(fmt::format("session {}", session))});
    std::iota(sessions_.back().order.begin(), sessions_.back().order.end(), 0U);
  }
  for (std::size_t worker = 0; worker < fleet.workers; ++worker)
    workers_.push_back({.lives = random.fork(fmt::format("worker {}", worker)),
                        .redis = (worker < fleet.builders ? worker : worker - fleet.builders) % redis_.size(),
                        .trial = {}});
}

FleetOutcome Simulation::run() {
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) start(worker);
  for (std::size_t session = 0; session < sessions_.size(); ++session) search(session);
  const std::uint64_t all = std::uint64_t{fleet_.sessions} * fleet_.trials;
  while (outcome_.trials < all) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.seconds;
    handle(event);
  }
  outcome_.wall_seconds = now_;
  outcome_.controller_seconds = writer_.busy_seconds();
  for (const Redis& redis : redis_)
    outcome_.redis_seconds = std::max(outcome_.redis_seconds, redis.server.busy_seconds());
  return outcome_;
}

void Simulation::add(double seconds, EventKind kind, std::size_t subject, std::uint32_t life,
                     std::size_t trial) {
  events_.push({seconds, events_made_++, kind, life, subject, trial});
}

void Simulation::handle(const Event& event) {
  const std::size_t subject = event.subject;
  const bool about_worker = event.kind == EventKind::Worked || event.kind == EventKind::Released;
  if (about_worker && workers_[subject].life != event.life) return;
  switch (event.kind) {
    case EventKind::Proposed:
      return propose(subject);
    case EventKind::Arrived:
      return arrive(subject);
    case EventKind::Queued:
      return queue(subject, false);
    case EventKind::Worked:
      return finish(subject);
    case EventKind::Answered:
      return answer(subject, event.life, event.trial);
    case EventKind::Released:
      return wait(subject);
    case EventKind::Received:
      return receive(subject);
    case EventKind::Ended:
      return end_trial(subject);
    case EventKind::Killed:
      return kill(subject);
    case EventKind::Started:
      return start(subject);
    case EventKind::Expired:
      return expire(subject);
  }
}

// Sessions.

/** Computes the tuner's next batch, including its observation of the last one. */
void Simulation::search(std::size_t session) {
  const std::size_t candidates = std::min(fleet_.batch, fleet_.trials - sessions_[session].proposed);
  const double seconds = static_cast<double>(candidates) * fleet_.search_seconds;
  double& free_seconds = *std::ranges::min_element(search_free_seconds_);
  free_seconds = std::max(free_seconds, now_) + seconds;
  outcome_.search_seconds += seconds;
  add(free_seconds, EventKind::Proposed, session);
}

TrialCost Simulation::next_cost(SimulatedSession& session) {
  const std::size_t place = session.proposed++ % session.order.size();
  if (place == 0) session.random.shuffle(std::span(session.order));
  return costs_[session.order[place]];
}

void Simulation::propose(std::size_t session) {
  SimulatedSession& tuner = sessions_[session];
  tuner.open = std::min(fleet_.batch, fleet_.trials - tuner.proposed);
  for (std::size_t candidate = 0; candidate < tuner.open; ++candidate) {
    trials_.push_back({.session = session, .cost = next_cost(tuner)});
    ++outcome_.tasks;
    add(writer_.serve(now_, fleet_.controller_task_seconds / 2) + way_seconds_, EventKind::Arrived,
        trials_.size() - 1);
  }
}

void Simulation::end_trial(std::size_t trial) {
  ++outcome_.trials;
  if (trials_[trial].dead) ++outcome_.dead_letters;
  SimulatedSession& session = sessions_[trials_[trial].session];
  if (--session.open == 0 && session.proposed < fleet_.trials) search(trials_[trial].session);
}

// Tasks in transit.

void Simulation::arrive(std::size_t trial) {
  Redis& redis = redis_[trials_[trial].session % redis_.size()];
  add(redis.server.serve(now_, fleet_.redis_task_seconds / 2), EventKind::Queued, trial);
}

/** @param first the task was delivered before, and precedes all others */
void Simulation::queue(std::size_t trial, bool first) {
  Redis& redis = redis_[trials_[trial].session % redis_.size()];
  std::deque<std::size_t>& tasks = trials_[trial].stage == Stage::Build ? redis.builds : redis.runs;
  first ? tasks.push_front(trial) : tasks.push_back(trial);
  hand_out(redis);
}

/** Sends the task of a built kernel's run at once. */
void Simulation::receive(std::size_t trial) {
  SimulatedTrial& received = trials_[trial];
  const double half = fleet_.controller_task_seconds / 2;
  const double taken = writer_.serve(now_, half);
  if (received.dead || received.stage == Stage::Run || !received.cost.runs)
    return add(taken, EventKind::Ended, trial);
  received.stage = Stage::Run;
  received.deliveries = 0;
  ++outcome_.tasks;
  add(writer_.serve(now_, half) + way_seconds_, EventKind::Arrived, trial);
}

// Workers.

void Simulation::start(std::size_t worker) {
  if (fleet_.seconds_between_kills > 0) {
    const double lives = -std::log1p(-workers_[worker].lives.uniform()) * fleet_.seconds_between_kills;
    add(now_ + lives, EventKind::Killed, worker);
  }
  wait(worker);
}

void Simulation::wait(std::size_t worker) {
  workers_[worker].waiting = true;
  waiting(worker).push_back(worker);
  hand_out(redis_[workers_[worker].redis]);
}

std::deque<std::size_t>& Simulation::waiting(std::size_t worker) {
  Redis& redis = redis_[workers_[worker].redis];
  return apart() && worker >= fleet_.builders ? redis.runners : redis.builders;
}

void Simulation::hand_out(Redis& redis) {
  deliver(redis.runs, apart() ? redis.runners : redis.builders);
  deliver(redis.builds, redis.builders);
}

void Simulation::deliver(std::deque<std::size_t>& tasks, std::deque<std::size_t>& workers) {
  while (!tasks.empty() && !workers.empty()) {
    const std::size_t trial = tasks.front();
    SimulatedWorker& worker = workers_[workers.front()];
    worker.waiting = false;
    worker.trial = trial;
    worker.delivered_seconds = now_;
    ++trials_[trial].deliveries;
    ++outcome_.deliveries;
    add(now_ + way_seconds_ + trials_[trial].task_seconds(), EventKind::Worked, workers.front(), worker.life);
    tasks.pop_front();
    workers.pop_front();
  }
}

void Simulation::finish(std::size_t worker) {
  const std::size_t trial = *std::exchange(workers_[worker].trial, std::nullopt);
  outcome_.work_seconds += trials_[trial].task_seconds();
  add(now_ + way_seconds_, EventKind::Answered, worker, workers_[worker].life, trial);
}

/** Handles the answer even if the worker was killed after sending it. */
void Simulation::answer(std::size_t worker, std::uint32_t life, std::size_t trial) {
  double seconds = fleet_.redis_task_seconds / 2;
  if (trials_[trial].stage == Stage::Build && trials_[trial].cost.runs)
    seconds += fleet_.object_bytes / fleet_.redis_bytes_per_second;
  const double taken = redis_[workers_[worker].redis].server.serve(now_, seconds);
  add(taken, EventKind::Released, worker, life);
  add(taken + way_seconds_, EventKind::Received, trial);
}

void Simulation::kill(std::size_t worker) {
  SimulatedWorker& killed = workers_[worker];
  ++outcome_.kills;
  ++killed.life;
  if (std::exchange(killed.waiting, false)) std::erase(waiting(worker), worker);
  if (const std::optional<std::size_t> trial = std::exchange(killed.trial, std::nullopt)) {
    const double had_seconds = now_ - killed.delivered_seconds;
    outcome_.lost_seconds += std::max(0.0, had_seconds - way_seconds_);
    const double beats = std::floor(had_seconds / fleet_.heartbeat_seconds);
    add(killed.delivered_seconds + beats * fleet_.heartbeat_seconds + fleet_.lease_seconds,
        EventKind::Expired, *trial);
  }
  add(now_ + fleet_.restart_seconds, EventKind::Started, worker);
}

void Simulation::expire(std::size_t trial) {
  if (trials_[trial].deliveries < fleet_.max_deliveries) return queue(trial, true);
  trials_[trial].dead = true;
  add(now_ + way_seconds_, EventKind::Received, trial);
}

}  // namespace

std::vector<TrialCost> recorded_costs(const trial::Recording& recording) {
  std::vector<TrialCost> costs;
  costs.reserve(recording.size());
  for (std::uint32_t row = 0; row < recording.size(); ++row)
    costs.push_back(
        {recording.build_seconds(row), recording.run_seconds(row), !trial::ended_with_build(recording, row)});
  return costs;
}

Result<FleetOutcome> simulate_fleet(std::span<const TrialCost> costs, const SimulatedFleet& fleet) {
  TRY(check_fleet(costs, fleet));
  return Simulation(costs, fleet).run();
}

}  // namespace kernelscape::simulation
