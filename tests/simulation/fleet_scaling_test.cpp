#include "core/simulation/fleet_scaling.h"

#include <QTest>
#include <cmath>
#include <filesystem>

#include "core/trial/recording_builder.h"
#include "tests/test_program.h"
#include "tests/trial/random_recording.h"

namespace kernelscape::fleet_scaling_test {
namespace {

using namespace recording_test;

simulation::FleetScalingRequest layer_request() {
  simulation::FleetScalingRequest request;
  request.recording = *trial::Recording::open(std::filesystem::path(KERNELSCAPE_SOURCE_DIR) /
                                              "data/recorded/resnet18-C6-conv2d-nchwc.ksrec");
  return request;
}

}  // namespace

class FleetScalingTest : public QObject {
  Q_OBJECT

 private slots:
  /** What is over with its build is one task; all that ran, ran. */
  void costs_are_those_that_were_recorded() {
    const space::SearchSpace space = *space::SearchSpace::make({*space::Knob::ordinal(
        "k", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, std::int64_t{5}})});
    trial::RecordingBuilder builder(named_header("costs"), space);
    QVERIFY(builder.add(space::Configuration{{0}}, timed({0.5}, 1, 2)));
    trial::Measurement compile = failed(trial::ErrorCategory::CompileHost, "no");
    compile.build_seconds = 3;
    QVERIFY(builder.add(space::Configuration{{1}}, compile));
    trial::Measurement crash = failed(trial::ErrorCategory::RuntimeDevice, "no");
    crash.build_seconds = 4;
    QVERIFY(builder.add(space::Configuration{{2}}, crash));
    trial::Measurement loader = failed(trial::ErrorCategory::CompileDevice, "no");
    loader.build_seconds = 5;
    loader.run_seconds = 6;
    QVERIFY(builder.add(space::Configuration{{3}}, loader));
    QVERIFY(builder.add(space::Configuration{{4}}, failed(trial::ErrorCategory::InstantiationError, "no")));
    const std::vector<simulation::TrialCost> expected{
        {1, 2, true}, {3, 0, false}, {4, 0, true}, {5, 6, true}, {0, 0, false}};
    QCOMPARE(simulation::recorded_costs(**builder.build()), expected);
  }

  void sixty_four_sessions_keep_as_many_workers_busy() {
    simulation::FleetScalingRequest request = layer_request();
    request.workers = {1, 64};
    request.batches = {1, 500};
    const Result<simulation::FleetScaling> scaling = simulation::simulate_scaling(request);
    QVERIFY(scaling);
    QCOMPARE(scaling->recorded, std::size_t{768});
    QVERIFY(scaling->asked.efficiency() >= 0.9);
    QCOMPARE(scaling->by_workers.size(), std::size_t{4});
    QCOMPARE(scaling->by_workers.front().name, "64 sessions at once");
    QCOMPARE(scaling->by_workers.front().points.back().outcome, scaling->asked.outcome);
    for (const simulation::FleetCurve& curve : scaling->by_workers)
      QCOMPARE(curve.points.size(), std::size_t{2});
    // A session that proposes one candidate at a time can't keep more than one worker busy.
    QVERIFY(scaling->by_batch.back().points.front().efficiency() < 1.0 / 64);
    QVERIFY(scaling->by_batch.back().points.back().efficiency() > 0.3);
    // What is as it was asked for already is no second curve.
    request.fleet.sessions = 1;
    request.fleet.queue_seconds = simulation::wide_area_queue_seconds;
    request.fleet.seconds_between_kills = 1000;
    const Result<simulation::FleetScaling> one = simulation::simulate_scaling(request);
    QVERIFY(one);
    QCOMPARE(one->by_workers.size(), std::size_t{1});
    QCOMPARE(one->by_batch.size(), std::size_t{1});
  }

  /** Beyond its capacity a part is busy all the time, and the fleet does what it carries. */
  void a_fleet_ends_at_its_narrowest_part() {
    simulation::FleetScalingRequest request = layer_request();
    request.fleet.trials = 60;
    request.fleet.object_bytes = 0;
    const std::vector<simulation::TrialCost> costs = simulation::recorded_costs(*request.recording);
    for (double simulation::SimulatedFleet::* part : {&simulation::SimulatedFleet::controller_task_seconds,
                                                      &simulation::SimulatedFleet::redis_task_seconds}) {
      simulation::SimulatedFleet fleet = request.fleet;
      fleet.controller_task_seconds = fleet.redis_task_seconds = fleet.search_seconds = 0;
      fleet.*part = 0.01;
      const simulation::FleetCapacity capacity = simulation::fleet_capacity(costs, fleet);
      const double narrowest = std::min(capacity.controller_workers, capacity.redis_workers);
      QVERIFY(std::isinf(std::max(capacity.controller_workers, capacity.redis_workers)));
      QVERIFY(std::isinf(capacity.search_workers));
      fleet.workers = fleet.sessions = static_cast<std::size_t>(3 * narrowest);
      const simulation::FleetOutcome outcome = *simulation::simulate_fleet(costs, fleet);
      QVERIFY(std::abs(outcome.trials_per_second() * 2 * 0.01 - 1) < 0.1);
      QVERIFY(std::abs(outcome.efficiency(fleet.workers) * 3 - 1) < 0.1);
    }
  }

  void builders_are_a_share_of_each_fleet() {
    simulation::FleetScalingRequest request = layer_request();
    request.fleet.trials = 20;
    request.fleet.sessions = 4;
    request.builder_share = 0.7;
    request.workers = {1, 2, 10};
    request.batches = {10};
    const Result<simulation::FleetScaling> scaling = simulation::simulate_scaling(request);
    QVERIFY(scaling);
    QCOMPARE(scaling->asked.fleet.builders, std::size_t{45});
    const std::vector<simulation::FleetPoint>& points = scaling->for_each_worker.points;
    QCOMPARE(points.size(), std::size_t{2});  // one worker can't do both
    QCOMPARE(points[0].fleet.builders, std::size_t{1});
    QCOMPARE(points[1].fleet.builders, std::size_t{7});
    request.builder_share = 1;
    QVERIFY(!simulation::simulate_scaling(request));
    request.builder_share = 0;
    request.batches.clear();
    QVERIFY(!simulation::simulate_scaling(request));
  }
};

KERNELSCAPE_PLAIN_TEST(FleetScalingTest)

}  // namespace kernelscape::fleet_scaling_test
#include "fleet_scaling_test.moc"
