#include "core/simulation/fleet_simulation.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/simulation/naive_fleet.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_simulation_test {
namespace {

/** Nothing but work takes time. */
simulation::SimulatedFleet free_fleet() {
  simulation::SimulatedFleet fleet;
  fleet.queue_seconds = fleet.redis_task_seconds = fleet.controller_task_seconds = fleet.search_seconds = 0;
  fleet.object_bytes = 0;
  return fleet;
}

std::vector<simulation::TrialCost> random_costs(base::Random& random, std::size_t count,
                                                double failing = 0.2) {
  std::vector<simulation::TrialCost> costs(count);
  for (simulation::TrialCost& cost : costs) {
    cost.build_seconds = 0.1 + 2 * random.uniform();
    cost.runs = !random.chance(failing);
    if (cost.runs) cost.run_seconds = 3 * random.uniform();
  }
  return costs;
}

/** A single worker's seconds for a list of costs. */
double work_of(const std::vector<simulation::TrialCost>& costs) {
  double seconds = 0;
  for (const simulation::TrialCost& cost : costs) seconds += cost.build_seconds + cost.run_seconds;
  return seconds;
}

double longest(const std::vector<simulation::TrialCost>& costs) {
  double seconds = 0;
  for (const simulation::TrialCost& cost : costs)
    seconds = std::max(seconds, cost.build_seconds + cost.run_seconds);
  return seconds;
}

/** Some load, with every cost of the list as often in each session. */
simulation::SimulatedFleet random_load(base::Random& random, std::size_t costs) {
  simulation::SimulatedFleet fleet = free_fleet();
  fleet.workers = 1 + random.below(12);
  fleet.sessions = 1 + random.below(5);
  fleet.batch = 1 + random.below(9);
  fleet.trials = costs * (1 + random.below(3));
  fleet.seed = random.bits();
  return fleet;
}

bool near(double left, double right) { return std::abs(left - right) <= 1e-9 * (1 + std::abs(right)); }

simulation::FleetOutcome simulated(const std::vector<simulation::TrialCost>& costs,
                                   const simulation::SimulatedFleet& fleet) {
  const Result<simulation::FleetOutcome> outcome = simulation::simulate_fleet(costs, fleet);
  return outcome ? *outcome : simulation::FleetOutcome{};
}

}  // namespace

class FleetSimulationTest : public QObject {
  Q_OBJECT

 private slots:
  void a_single_worker_takes_the_sum_of_all_costs() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 50; ++round) {
      const std::vector<simulation::TrialCost> costs = random_costs(random, 1 + random.below(20));
      simulation::SimulatedFleet fleet = random_load(random, costs.size());
      fleet.workers = 1;
      const simulation::FleetOutcome outcome = simulated(costs, fleet);
      const auto times = static_cast<double>(fleet.sessions * fleet.trials / costs.size());
      QVERIFY(near(outcome.wall_seconds, times * work_of(costs)));
      QVERIFY(near(outcome.efficiency(1), 1));
    }
  }

  void enough_workers_take_the_longest_trial() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 50; ++round) {
      const std::vector<simulation::TrialCost> costs = random_costs(random, 1 + random.below(20));
      simulation::SimulatedFleet fleet = random_load(random, costs.size());
      fleet.trials = fleet.batch = costs.size();
      fleet.workers = fleet.sessions * fleet.trials;
      QVERIFY(near(simulated(costs, fleet).wall_seconds, longest(costs)));
    }
  }

  /** One trial at a time passes everything there is, one after the other. */
  void what_is_between_costs_what_it_says() {
    simulation::SimulatedFleet fleet;
    fleet.sessions = fleet.batch = 1;
    fleet.trials = 7;
    const std::vector<simulation::TrialCost> costs{{0.5, 0.25}};
    const double task = fleet.queue_seconds + fleet.redis_task_seconds + fleet.controller_task_seconds;
    const double trial =
        fleet.search_seconds + 2 * task + fleet.object_bytes / fleet.redis_bytes_per_second + 0.75;
    const simulation::FleetOutcome outcome = simulated(costs, fleet);
    QVERIFY(near(outcome.wall_seconds, 7 * trial));
    QVERIFY(near(outcome.redis_seconds,
                 7 * (2 * fleet.redis_task_seconds + fleet.object_bytes / fleet.redis_bytes_per_second)));
    QVERIFY(near(outcome.controller_seconds, 14 * fleet.controller_task_seconds));
    // What does not build is one task, and brings no object.
    const simulation::FleetOutcome failing = simulated({{0.5, 0, false}}, fleet);
    QVERIFY(near(failing.wall_seconds, 7 * (fleet.search_seconds + task + 0.5)));
    QCOMPARE(failing.tasks, std::uint64_t{7});
  }

  /** No worker is free while a task waits: Graham's bounds. */
  void workers_are_never_idle_for_nothing() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 100; ++round) {
      const std::vector<simulation::TrialCost> costs = random_costs(random, 1 + random.below(40));
      simulation::SimulatedFleet fleet = random_load(random, costs.size());
      fleet.sessions = 1;
      fleet.trials = fleet.batch = costs.size();
      const double share = work_of(costs) / static_cast<double>(fleet.workers);
      const double wall = simulated(costs, fleet).wall_seconds;
      QVERIFY(wall >= std::max(share, longest(costs)) * (1 - 1e-9));
      QVERIFY(wall <= (share + longest(costs)) * (1 + 1e-9));
    }
  }

  /** Of builds alone: what waits for something else can be slower with more workers, as Graham showed. */
  void more_workers_and_shorter_ways_are_not_slower() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 30; ++round) {
      const std::vector<simulation::TrialCost> costs = random_costs(random, 5 + random.below(40), 1);
      simulation::SimulatedFleet fleet = random_load(random, costs.size());
      fleet.sessions = 1;
      fleet.trials = fleet.batch = costs.size();
      double before = std::numeric_limits<double>::infinity();
      for (fleet.workers = 1; fleet.workers <= 12; ++fleet.workers) {
        const double wall = simulated(costs, fleet).wall_seconds;
        QVERIFY(wall <= before * (1 + 1e-9));
        before = wall;
      }
      fleet.workers = 4;
      before = 0;
      for (const double queue_seconds : {0.0, 0.001, 0.05, 1.0}) {
        fleet.queue_seconds = queue_seconds;
        const double wall = simulated(costs, fleet).wall_seconds;
        QVERIFY(wall >= before);
        before = wall;
      }
    }
  }

  /** With kills too every trial ends once, and its costs count once. */
  void every_trial_ends_once() {
    base::Random random(testing::random_seed());
    std::uint64_t kills = 0;
    for (int round = 0; round < 50; ++round) {
      const std::vector<simulation::TrialCost> costs = random_costs(random, 1 + random.below(20));
      simulation::SimulatedFleet fleet = random_load(random, costs.size());
      fleet.seconds_between_kills = 5 + 50 * random.uniform();
      fleet.restart_seconds = 20 * random.uniform();
      fleet.lease_seconds = 0.5 + 5 * random.uniform();
      fleet.heartbeat_seconds = fleet.lease_seconds / 3;
      fleet.max_deliveries = 1'000'000;
      const simulation::FleetOutcome outcome = simulated(costs, fleet);
      const auto times = static_cast<double>(fleet.sessions * fleet.trials / costs.size());
      QCOMPARE(outcome.trials, std::uint64_t{fleet.sessions * fleet.trials});
      QCOMPARE(outcome.dead_letters, std::uint64_t{0});
      QVERIFY(near(outcome.work_seconds, times * work_of(costs)));
      QVERIFY(outcome.deliveries >= outcome.tasks);
      QVERIFY(outcome.deliveries - outcome.tasks <= outcome.kills);
      QVERIFY(outcome.deliveries > outcome.tasks || !(outcome.lost_seconds > 0));
      QVERIFY(outcome.efficiency(fleet.workers) <= 1 + 1e-9);
      kills += outcome.kills;
      // Where a task has one life only, each of them that was lost is a dead letter.
      fleet.max_deliveries = 1;
      const simulation::FleetOutcome once = simulated(costs, fleet);
      QCOMPARE(once.trials, outcome.trials);
      QCOMPARE(once.deliveries, once.tasks);
      QVERIFY(once.dead_letters <= once.kills);
    }
    QVERIFY(kills > 0);
  }

  /** Nothing has a scale of its own. */
  void twice_the_times_are_twice_the_wall() {
    base::Random random(testing::random_seed());
    std::vector<simulation::TrialCost> costs = random_costs(random, 30);
    simulation::SimulatedFleet fleet;
    fleet.workers = 5;
    fleet.sessions = 3;
    fleet.trials = 60;
    fleet.seconds_between_kills = 40;
    const simulation::FleetOutcome once = simulated(costs, fleet);
    for (simulation::TrialCost& cost : costs) {
      cost.build_seconds *= 2;
      cost.run_seconds *= 2;
    }
    for (double* seconds : {&fleet.queue_seconds, &fleet.redis_task_seconds, &fleet.object_bytes,
                            &fleet.controller_task_seconds, &fleet.search_seconds, &fleet.lease_seconds,
                            &fleet.heartbeat_seconds, &fleet.seconds_between_kills, &fleet.restart_seconds})
      *seconds *= 2;
    const simulation::FleetOutcome twice = simulated(costs, fleet);
    QCOMPARE(twice.wall_seconds, 2 * once.wall_seconds);
    QCOMPARE(twice.lost_seconds, 2 * once.lost_seconds);
    QCOMPARE(twice.kills, once.kills);
  }

  void the_seed_decides() {
    base::Random random(testing::random_seed());
    const std::vector<simulation::TrialCost> costs = random_costs(random, 30);
    simulation::SimulatedFleet fleet;
    fleet.workers = 7;
    fleet.sessions = 2;
    fleet.seconds_between_kills = 60;
    const simulation::FleetOutcome first = simulated(costs, fleet);
    QCOMPARE(simulated(costs, fleet), first);
    ++fleet.seed;
    QVERIFY(simulated(costs, fleet) != first);
  }

  /** Where Redis is the narrowest part, several carry as many times as much. */
  void several_redis_share_the_tasks() {
    simulation::SimulatedFleet fleet = free_fleet();
    fleet.workers = 64;
    fleet.sessions = 8;
    fleet.batch = fleet.trials = 50;
    fleet.redis_task_seconds = 0.01;
    const std::vector<simulation::TrialCost> costs{{0.001, 0.001}};
    for (const std::size_t servers : {1U, 2U, 4U}) {
      fleet.redis_servers = servers;
      const simulation::FleetOutcome outcome = simulated(costs, fleet);
      const double busy = 2 * 400 * fleet.redis_task_seconds / static_cast<double>(servers);
      QVERIFY(near(outcome.redis_seconds, busy));
      QVERIFY(outcome.wall_seconds >= busy * (1 - 1e-9));
      QVERIFY(outcome.wall_seconds < busy * 1.1);
    }
  }

  /** Builders and runners that do one thing each: the kind that has more to do decides. */
  void builders_and_runners_apart() {
    simulation::SimulatedFleet fleet = free_fleet();
    fleet.workers = 4;
    fleet.builders = 3;
    fleet.sessions = 1;
    fleet.batch = fleet.trials = 300;
    // Three builders feed one runner that is always busy but for the first build.
    QVERIFY(near(simulated({{1, 1}}, fleet).wall_seconds, 1 + 300));
    fleet.builders = 2;
    QVERIFY(near(simulated({{1, 0.5}}, fleet).wall_seconds, 150 + 0.5));
  }

  void as_a_naive_simulator_says() {
    base::Random random(testing::random_seed());
    int judged = 0;
    for (int round = 0; round < 400; ++round) {
      const std::vector<simulation::TrialCost> costs = random_costs(random, 1 + random.below(12));
      simulation::SimulatedFleet fleet = random_load(random, costs.size());
      fleet.trials = 1 + random.below(30);
      const auto some = [&](double most) { return most * (0.01 + random.uniform()); };
      fleet.queue_seconds = some(random.chance(0.5) ? 0.01 : 1);
      fleet.redis_task_seconds = some(random.chance(0.5) ? 0.01 : 0.5);
      fleet.controller_task_seconds = some(random.chance(0.5) ? 0.01 : 0.5);
      fleet.search_seconds = some(0.2);
      fleet.search_threads = 1 + random.below(3);
      fleet.object_bytes = some(random.chance(0.5) ? 1 : 1e9);
      fleet.redis_servers = 1 + random.below(3);
      fleet.workers = std::max<std::size_t>(fleet.workers, 2 * fleet.redis_servers);
      if (random.chance(0.5))
        fleet.builders = fleet.redis_servers + random.below(fleet.workers - 2 * fleet.redis_servers + 1);
      if (random.chance(0.6)) fleet.seconds_between_kills = 2 + some(40);
      fleet.restart_seconds = some(10);
      fleet.lease_seconds = some(5);
      fleet.heartbeat_seconds = fleet.lease_seconds * (0.1 + 0.9 * random.uniform());
      fleet.max_deliveries = static_cast<std::uint32_t>(1 + random.below(4));
      const simulation::FleetOutcome outcome = simulated(costs, fleet);
      simulation_tests::NaiveFleet naive_fleet(costs, fleet);
      const simulation::FleetOutcome naive = naive_fleet.run();
      // At the same moment the two need not take things in the same order, and what follows may differ.
      if (naive_fleet.closest_seconds() < 1e-9) continue;
      ++judged;
      QCOMPARE(outcome.trials, naive.trials);
      QCOMPARE(outcome.dead_letters, naive.dead_letters);
      QCOMPARE(outcome.tasks, naive.tasks);
      QCOMPARE(outcome.deliveries, naive.deliveries);
      QCOMPARE(outcome.kills, naive.kills);
      QVERIFY(near(outcome.wall_seconds, naive.wall_seconds));
      QVERIFY(near(outcome.work_seconds, naive.work_seconds));
      QVERIFY(near(outcome.lost_seconds, naive.lost_seconds));
      QVERIFY(near(outcome.controller_seconds, naive.controller_seconds));
      QVERIFY(near(outcome.redis_seconds, naive.redis_seconds));
      QVERIFY(near(outcome.search_seconds, naive.search_seconds));
    }
    qInfo("%d of 400 rounds judged", judged);
    QVERIFY(judged > 100);
  }

  void impossible_fleets_are_refused() {
    const auto refused = [](const std::function<void(simulation::SimulatedFleet&)>& change,
                            const std::vector<simulation::TrialCost>& costs = {{1, 1}}) {
      simulation::SimulatedFleet fleet;
      change(fleet);
      const Result<simulation::FleetOutcome> outcome = simulation::simulate_fleet(costs, fleet);
      return !outcome && outcome.error().code == ErrorCode::InvalidArgument;
    };
    QVERIFY(refused([](simulation::SimulatedFleet&) {}, {}));
    QVERIFY(refused([](simulation::SimulatedFleet&) {}, {{-1, 0}}));
    QVERIFY(refused([](simulation::SimulatedFleet&) {}, {{0, std::numeric_limits<double>::infinity()}}));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.workers = 0; }));
    QVERIFY(refused(
        [](simulation::SimulatedFleet& fleet) { fleet.workers = std::numeric_limits<std::size_t>::max(); }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.builders = fleet.workers; }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.builders = fleet.workers + 1; }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.redis_servers = fleet.workers + 1; }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.sessions = 0; }));
    QVERIFY(refused(
        [](simulation::SimulatedFleet& fleet) { fleet.trials = std::numeric_limits<std::size_t>::max(); }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.batch = 0; }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.max_deliveries = 0; }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.search_threads = 0; }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.queue_seconds = std::nan(""); }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.heartbeat_seconds = 0; }));
    // A worker that lives would lose its task, and one that dies would have lost it before.
    QVERIFY(refused(
        [](simulation::SimulatedFleet& fleet) { fleet.lease_seconds = 0.99 * fleet.heartbeat_seconds; }));
    QVERIFY(refused([](simulation::SimulatedFleet& fleet) { fleet.seconds_between_kills = 1e-6; }));
  }
};

KERNELSCAPE_PLAIN_TEST(FleetSimulationTest)

}  // namespace kernelscape::fleet_simulation_test
#include "fleet_simulation_test.moc"
