#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/simulation/fleet_simulation.h"

namespace kernelscape::simulation_tests {

/**
 * A fleet played as it is described, without a thought for speed: what is to happen lies in a heap of paper
 * that is looked through for what comes next, whoever serves has a queue, and workers and tasks are matched
 * by looking at all.
 */
class NaiveFleet {
 public:
  NaiveFleet(std::vector<simulation::TrialCost> costs, const simulation::SimulatedFleet& fleet)
      : costs_(std::move(costs)), fleet_(fleet), redis_(fleet.redis_servers) {}

  /** The shortest time between two things that happened: where it is nothing, their order is nobody's. */
  double closest_seconds() const { return closest_seconds_; }

  simulation::FleetOutcome run() {
    for (std::size_t index = 0; index < fleet_.workers; ++index) {
      const bool builder = index < fleet_.builders;
      workers_.push_back({.lives = base::Random(fleet_.seed).fork("worker " + std::to_string(index)),
                          .redis = (builder ? index : index - fleet_.builders) % redis_.size(),
                          .builds = fleet_.builders == 0 || builder,
                          .runs = fleet_.builders == 0 || !builder});
    }
    for (std::size_t index = 0; index < fleet_.sessions; ++index) {
      sessions_.push_back({.random = base::Random(fleet_.seed).fork("session " + std::to_string(index)),
                           .order = std::vector<std::size_t>(costs_.size())});
      std::iota(sessions_.back().order.begin(), sessions_.back().order.end(), std::size_t{0});
    }
    for (std::size_t worker = 0; worker < fleet_.workers; ++worker) begin_life(worker);
    for (std::size_t session = 0; session < fleet_.sessions; ++session) think(session);
    while (outcome_.trials < fleet_.sessions * fleet_.trials) step();
    outcome_.wall_seconds = now_;
    outcome_.controller_seconds = writer_.busy_seconds;
    for (const Redis& redis : redis_)
      outcome_.redis_seconds = std::max(outcome_.redis_seconds, redis.line.busy_seconds);
    return outcome_;
  }

 private:
  struct Line {
    std::deque<std::pair<double, std::function<void()>>> queue{};
    bool busy = false;
    double busy_seconds = 0;
  };
  struct Task {
    std::size_t session = 0;
    simulation::TrialCost cost;
    bool run = false;
    std::uint32_t deliveries = 0;
  };
  struct Redis {
    Line line;
    std::deque<Task> stream;  ///< builds and runs, the next one first
  };
  struct Worker {
    base::Random lives;
    std::size_t redis;
    bool builds;
    bool runs;
    int life = 0;
    bool idle = false;
    std::size_t idle_turn = 0;
    bool working = false;
    Task task{};
    double since = 0;
  };
  struct Session {
    base::Random random;
    std::vector<std::size_t> order;
    std::size_t proposed = 0;
    std::size_t missing = 0;
  };

  void after(double seconds, std::function<void()> what) {
    agenda_.emplace_back(now_ + seconds, std::move(what));
  }

  void step() {
    std::size_t next = 0;
    for (std::size_t place = 1; place < agenda_.size(); ++place)
      if (agenda_[place].first < agenda_[next].first) next = place;
    closest_seconds_ = std::min(closest_seconds_, agenda_[next].first - now_);
    now_ = agenda_[next].first;
    const std::function<void()> what = std::move(agenda_[next].second);
    agenda_.erase(agenda_.begin() + static_cast<std::ptrdiff_t>(next));
    what();
  }

  void serve(Line& line, double seconds, std::function<void()> then) {
    line.queue.emplace_back(seconds, std::move(then));
    line.busy_seconds += seconds;
    if (!line.busy) serve_next(line);
  }

  void serve_next(Line& line) {
    line.busy = !line.queue.empty();
    if (!line.busy) return;
    auto [seconds, then] = std::move(line.queue.front());
    line.queue.pop_front();
    after(seconds, [this, &line, done = std::move(then)] {
      done();
      serve_next(line);
    });
  }

  double way() const { return fleet_.queue_seconds / 4; }

  void think(std::size_t session) {
    const std::size_t count = std::min(fleet_.batch, fleet_.trials - sessions_[session].proposed);
    waiting_to_think_.emplace_back(session, static_cast<double>(count) * fleet_.search_seconds);
    outcome_.search_seconds += waiting_to_think_.back().second;
    think_next();
  }

  void think_next() {
    while (thinking_ < fleet_.search_threads && !waiting_to_think_.empty()) {
      const auto [session, seconds] = waiting_to_think_.front();
      waiting_to_think_.pop_front();
      ++thinking_;
      after(seconds, [this, session = session] {
        propose(session);
        --thinking_;
        think_next();
      });
    }
  }

  void propose(std::size_t index) {
    Session& session = sessions_[index];
    session.missing = std::min(fleet_.batch, fleet_.trials - session.proposed);
    for (std::size_t i = 0; i < session.missing; ++i) {
      const std::size_t place = session.proposed++ % costs_.size();
      if (place == 0) session.random.shuffle(std::span(session.order));
      send({.session = index, .cost = costs_[session.order[place]]}, fleet_.controller_task_seconds / 2);
    }
  }

  void send(const Task& task, double controller_seconds) {
    ++outcome_.tasks;
    serve(writer_, controller_seconds, [this, task] {
      after(way(), [this, task] {
        Redis& redis = redis_[task.session % redis_.size()];
        serve(redis.line, fleet_.redis_task_seconds / 2, [this, &redis, task] {
          redis.stream.push_back(task);
          match();
        });
      });
    });
  }

  void match() {
    for (Redis& redis : redis_)
      for (const bool runs : {true, false})
        while (match_one(redis, runs)) {
        }
  }

  bool match_one(Redis& redis, bool run) {
    const auto task = std::ranges::find(redis.stream, run, &Task::run);
    Worker* chosen = nullptr;
    for (Worker& worker : workers_)
      if (worker.idle && &redis_[worker.redis] == &redis && (run ? worker.runs : worker.builds) &&
          (chosen == nullptr || worker.idle_turn < chosen->idle_turn))
        chosen = &worker;
    if (task == redis.stream.end() || chosen == nullptr) return false;
    chosen->idle = false;
    chosen->working = true;
    chosen->task = *task;
    chosen->since = now_;
    ++chosen->task.deliveries;
    ++outcome_.deliveries;
    redis.stream.erase(task);
    const double seconds = run ? chosen->task.cost.run_seconds : chosen->task.cost.build_seconds;
    after(way() + seconds, [this, worker = chosen, life = chosen->life, seconds] {
      if (worker->life != life) return;
      worker->working = false;
      outcome_.work_seconds += seconds;
      after(way(), [this, worker, life, task = worker->task] { answer(*worker, life, task); });
    });
    return true;
  }

  void answer(Worker& worker, int life, const Task& task) {
    const bool brings_object = !task.run && task.cost.runs;
    const double transfer = brings_object ? fleet_.object_bytes / fleet_.redis_bytes_per_second : 0;
    serve(redis_[worker.redis].line, fleet_.redis_task_seconds / 2 + transfer, [this, &worker, life, task] {
      if (worker.life == life) be_idle(worker);
      after(way(), [this, task] { take(task, false); });
    });
  }

  void take(Task task, bool dead) {
    const double half = fleet_.controller_task_seconds / 2;
    if (!dead && !task.run && task.cost.runs) {
      task.run = true;
      task.deliveries = 0;
      send(task, 2 * half);
      return;
    }
    serve(writer_, half, [this, session = task.session, dead] {
      ++outcome_.trials;
      if (dead) ++outcome_.dead_letters;
      if (--sessions_[session].missing == 0 && sessions_[session].proposed < fleet_.trials) think(session);
    });
  }

  void be_idle(Worker& worker) {
    worker.idle = true;
    worker.idle_turn = turns_++;
    match();
  }

  void begin_life(std::size_t index) {
    if (fleet_.seconds_between_kills > 0)
      after(-std::log1p(-workers_[index].lives.uniform()) * fleet_.seconds_between_kills,
            [this, index] { end_life(index); });
    be_idle(workers_[index]);
  }

  void end_life(std::size_t index) {
    Worker& worker = workers_[index];
    ++worker.life;
    ++outcome_.kills;
    worker.idle = false;
    if (std::exchange(worker.working, false)) {
      double beat = worker.since;
      while (beat + fleet_.heartbeat_seconds <= now_) beat += fleet_.heartbeat_seconds;
      outcome_.lost_seconds += std::max(0.0, now_ - worker.since - way());
      after(beat + fleet_.lease_seconds - now_, [this, task = worker.task] {
        if (task.deliveries >= fleet_.max_deliveries) {
          after(way(), [this, task] { take(task, true); });
        } else {
          redis_[task.session % redis_.size()].stream.push_front(task);
          match();
        }
      });
    }
    after(fleet_.restart_seconds, [this, index] { begin_life(index); });
  }

  std::vector<simulation::TrialCost> costs_;
  simulation::SimulatedFleet fleet_;
  double now_ = 0;
  double closest_seconds_ = std::numeric_limits<double>::infinity();
  std::size_t turns_ = 0;
  std::vector<std::pair<double, std::function<void()>>> agenda_;
  Line writer_;
  std::vector<Redis> redis_;
  std::vector<Worker> workers_;
  std::vector<Session> sessions_;
  std::deque<std::pair<std::size_t, double>> waiting_to_think_;
  std::size_t thinking_ = 0;
  simulation::FleetOutcome outcome_;
};

}  // namespace kernelscape::simulation_tests
