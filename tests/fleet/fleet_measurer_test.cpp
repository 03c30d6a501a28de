// A batch on a fleet of scripted workers: every candidate once, whatever becomes of its workers.
#include <QtTest>
#include <map>
#include <set>

#include "core/fleet/confirmation.h"
#include "core/fleet/keys.h"
#include "core/fleet/signature.h"
#include "core/fleet/state.h"
#include "core/fleet/task_poster.h"
#include "tests/fleet/scripted_fleet.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_measurer_test {
using namespace kernelscape::fleet_tests;

namespace {

std::shared_ptr<const ScriptedFamily> make_family() {
  return std::make_shared<ScriptedFamily>(session_tests::make_space());
}

std::vector<space::Configuration> some_members(const space::SearchSpace& space, std::size_t count,
                                               std::uint64_t seed) {
  base::Random random(seed);
  std::set<space::Configuration> members;
  while (members.size() < count) members.insert(space.at(random.below_wide(space.size())));
  return {members.begin(), members.end()};
}

/** Each of the batch once, and what the script says. */
bool complete(const std::shared_ptr<const ScriptedFamily>& family,
              const std::vector<space::Configuration>& batch, const std::vector<measure::Completed>& done) {
  std::set<std::size_t> positions;
  for (const measure::Completed& one : done) {
    if (one.position >= batch.size() || !positions.insert(one.position).second) return false;
    if (!is_scripted(*family, batch[one.position], one.measurement)) return false;
  }
  return positions.size() == batch.size();
}

}  // namespace

class FleetMeasurerTest : public QObject {
  Q_OBJECT

 private slots:
  void batches_are_measured_once_each();
  void an_abort_leaves_nothing_behind();
  void a_task_of_a_lost_worker_is_given_to_another();
  void a_late_worker_adds_nothing();
  void a_task_that_loses_worker_after_worker_is_given_up();
  void what_redis_forgot_is_given_again();
  void a_fault_of_the_machine_is_no_result();
  void the_baseline_comes_from_a_worker();
  void confirmations_build_each_kernel_once();
  void a_round_without_the_library_leaves_its_result();
  void rounds_of_different_libraries_are_not_mixed();
};

void FleetMeasurerTest::batches_are_measured_once_each() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  ThreadWorker builder(worker_setup(access, "builder", 2, false));
  ThreadWorker device(worker_setup(access, "device", 0, true));
  const auto family = make_family();
  const auto measurer = fleet::make_fleet_measurer(family, measuring_on(access), {});
  QVERIFY2(measurer.has_value(), measurer ? "" : describe(measurer.error()).c_str());
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto batch = some_members(family->space(), 40, seed);
    QVERIFY((*measurer)->submit(batch));
    const auto done = collect_all(**measurer, batch.size());
    QVERIFY2(done.has_value(), done ? "" : describe(done.error()).c_str());
    QVERIFY(complete(family, batch, *done));
    QCOMPARE((*measurer)->progress().finished, batch.size());
  }
  // Nothing stays: no task, no blob.
  fleet::RedisConnection redis = server.connect();
  QVERIFY(wait_until([&] { return redis.call({"KEYS", "kernelscape:blob:*"})->items.size() <= 1; }));
  const auto state = fleet::read_fleet_state(redis, access.times);
  QVERIFY(state.has_value());
  for (const fleet::Queue& queue : state->queues) QCOMPARE(queue.waiting + queue.in_hand, 0);
  QCOMPARE(state->dead.size(), std::size_t{0});
}

void FleetMeasurerTest::an_abort_leaves_nothing_behind() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  ThreadWorker worker(worker_setup(access, "worker", 1, true, {.run_time = std::chrono::milliseconds(200)}));
  const auto family = make_family();
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const auto first = some_members(family->space(), 30, 1);
  QVERIFY(measurer->submit(first));
  QVERIFY(collect_all(*measurer, 1));
  measurer->abort();
  fleet::RedisConnection redis = server.connect();
  // The run of a build that ended just now may be given out meanwhile: it is taken out again.
  for (const std::string& stream :
       {fleet::keys::run_stream("scripted"), fleet::keys::build_stream("scripted-tools")})
    QVERIFY(wait_until([&] { return redis.call({"XLEN", stream})->integer == 0; }));
  const auto second = some_members(family->space(), 4, 2);
  QVERIFY(measurer->submit(second));
  const auto done = collect_all(*measurer, second.size());
  QVERIFY(done && complete(family, second, *done));
}

void FleetMeasurerTest::a_task_of_a_lost_worker_is_given_to_another() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(/*lease_seconds=*/0.3);
  const auto family = make_family();
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const auto batch = some_members(family->space(), 6, 3);
  QVERIFY(measurer->submit(batch));
  // It takes a task, and is never heard of again.
  fleet::TaskQueue lost(server.connect(), "lost", access.times);
  const std::vector<std::string> streams{fleet::keys::build_stream("scripted-tools")};
  std::optional<fleet::TakenTask> taken;
  QVERIFY(wait_until([&] {
    taken = *lost.take(streams, 0.1);
    return taken.has_value();
  }));
  ThreadWorker worker(worker_setup(access, "worker", 1, true));
  const auto done = collect_all(*measurer, batch.size());
  QVERIFY(done && complete(family, batch, *done));
}

void FleetMeasurerTest::a_late_worker_adds_nothing() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(/*lease_seconds=*/0.3);
  const auto family = make_family();
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const auto batch = some_members(family->space(), 1, 4);
  QVERIFY(measurer->submit(batch));
  const std::vector<std::string> streams{fleet::keys::build_stream("scripted-tools")};
  fleet::TaskQueue late(server.connect(), "late", access.times);
  fleet::TaskQueue other(server.connect(), "other", access.times);
  std::optional<fleet::TakenTask> first;
  QVERIFY(wait_until([&] { return (first = *late.take(streams, 0.1)).has_value(); }));
  std::optional<fleet::TakenTask> second;
  QVERIFY(wait_until([&] { return (second = *other.take(streams, 0.1)).has_value(); }));
  QCOMPARE(second->entry, first->entry);
  QCOMPARE(second->deliveries, 2);
  QVERIFY(!*late.keep(first->stream, first->entry));
  QVERIFY(!*late.release(*first, true));
  fleet::Answer answer;
  answer.task = "whatever";
  QVERIFY(!*late.finish(*first, answer, access.secret.signing_key));
  QVERIFY(*other.release(*second, false));
  ThreadWorker worker(worker_setup(access, "worker", 1, true));
  const auto done = collect_all(*measurer, batch.size());
  QVERIFY(done && complete(family, batch, *done));
}

void FleetMeasurerTest::a_task_that_loses_worker_after_worker_is_given_up() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(/*lease_seconds=*/0.2);
  const auto family = make_family();
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const auto batch = some_members(family->space(), 1, 5);
  QVERIFY(measurer->submit(batch));
  const std::vector<std::string> streams{fleet::keys::build_stream("scripted-tools")};
  for (int i = 0; i < 3; ++i) {
    fleet::TaskQueue lost(server.connect(), "lost" + std::to_string(i), access.times);
    QVERIFY(wait_until([&] { return lost.take(streams, 0.1)->has_value(); }));
  }
  ThreadWorker worker(worker_setup(access, "worker", 1, true));
  const auto done = collect_all(*measurer, 1);
  QVERIFY(done.has_value());
  QCOMPARE(done->front().measurement.category, trial::ErrorCategory::CompileHost);
  QVERIFY(done->front().measurement.message.contains("3 workers were lost"));
  fleet::RedisConnection redis = server.connect();
  const auto state = fleet::read_fleet_state(redis, access.times);
  QCOMPARE(state->dead.size(), std::size_t{1});
  QVERIFY(state->dead.front().reason.contains("3 workers were lost"));
}

void FleetMeasurerTest::what_redis_forgot_is_given_again() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  ThreadWorker worker(worker_setup(access, "worker", 2, true, {.run_time = std::chrono::milliseconds(10)}));
  const auto family = make_family();
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const auto batch = some_members(family->space(), 40, 6);
  QVERIFY(measurer->submit(batch));
  auto done = collect_all(*measurer, 5);
  QVERIFY(done.has_value());
  fleet::RedisConnection redis = server.connect();
  QVERIFY(redis.call({"FLUSHALL"}));
  auto rest = collect_all(*measurer, batch.size() - done->size());
  QVERIFY2(rest.has_value(), rest ? "" : describe(rest.error()).c_str());
  done->insert(done->end(), rest->begin(), rest->end());
  QVERIFY(complete(family, batch, *done));
}

void FleetMeasurerTest::a_fault_of_the_machine_is_no_result() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  Script full;
  full.before_run = [] { return Status(fail(ErrorCode::Environment, "the disk is full", "free space")); };
  ThreadWorker broken(worker_setup(access, "broken", 1, true, full));
  const auto family = make_family();
  const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
  const auto batch = some_members(family->space(), 10, 7);
  QVERIFY(measurer->submit(batch));
  fleet::RedisConnection redis = server.connect();
  // It hands its task back, says why, and leaves.
  const auto left = [&] {
    const auto workers = fleet::list_workers(redis, 3);
    return workers && !workers->empty() && workers->front().state == "left";
  };
  QVERIFY(wait_until(left));
  QCOMPARE(fleet::list_workers(redis, 3)->front().message, std::string("the disk is full (free space)"));
  QVERIFY(!broken.leave());
  ThreadWorker sound(worker_setup(access, "sound", 1, true));
  const auto done = collect_all(*measurer, batch.size());
  QVERIFY(done && complete(family, batch, *done));
}

void FleetMeasurerTest::the_baseline_comes_from_a_worker() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  const auto family = make_family();
  const auto none =
      fleet::measure_fleet_baseline(family->task(), measuring_on(access), {}, [] { return false; }, 0.3);
  QVERIFY(none.has_value());
  QVERIFY(none->reason.contains("no worker"));
  ThreadWorker worker(worker_setup(access, "worker", 0, true));
  const auto vendor =
      fleet::measure_fleet_baseline(family->task(), measuring_on(access), {}, [] { return false; }, 20);
  QVERIFY(vendor.has_value());
  QCOMPARE(vendor->name, std::string("a scripted library"));
}

void FleetMeasurerTest::confirmations_build_each_kernel_once() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet();
  const auto count = std::make_shared<std::atomic<int>>(0);
  Script script;
  script.before_build = [count] {
    ++*count;
    return Status();
  };
  ThreadWorker worker(worker_setup(access, "worker", 1, true, script));
  const auto family = make_family();
  const auto configurations = some_members(family->space(), 5, 8);
  const auto confirmed =
      fleet::confirm_on_fleet(family, measuring_on(access), {}, configurations, [] { return false; }, 20);
  QVERIFY2(confirmed.has_value(), confirmed ? "" : describe(confirmed.error()).c_str());
  QVERIFY(!confirmed->interrupted && !confirmed->out_of_time);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const std::string text = family->source(configurations[i])->text;
    QCOMPARE(confirmed->configurations[i].valid(), builds(text));
    if (builds(text)) QCOMPARE(confirmed->configurations[i].samples_seconds.size(), std::size_t{15});
  }
  QCOMPARE(count->load(), 5);
  QCOMPARE(confirmed->vendor.name, std::string("a scripted library"));
}

void FleetMeasurerTest::a_round_without_the_library_leaves_its_result() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(10);  // a task that is given out twice would count twice
  const auto rounds = std::make_shared<std::atomic<int>>(0);
  Script script;
  script.library_problem = [rounds] { return ++*rounds > 2 ? "scripted problem" : ""; };
  ThreadWorker worker(worker_setup(access, "worker", 1, true, script));
  const auto family = make_family();
  const auto configurations = some_members(family->space(), 6, 4);
  const auto confirmed =
      fleet::confirm_on_fleet(family, measuring_on(access), {}, configurations, [] { return false; }, 60);
  QVERIFY2(confirmed.has_value(), confirmed ? "" : describe(confirmed.error()).c_str());
  QCOMPARE(confirmed->rounds, 5);
  QCOMPARE(rounds->load(), 3);  // it is not measured again after the round without a result
  QVERIFY2(confirmed->vendor.available(), confirmed->vendor.reason.c_str());
  QCOMPARE(confirmed->vendor.samples_seconds.size(), std::size_t(2));
}

void FleetMeasurerTest::rounds_of_different_libraries_are_not_mixed() {
  NEEDS_REDIS();
  const RedisServer server;
  const fleet::Access access = server.fleet(10);
  const auto rounds = std::make_shared<std::atomic<int>>(0);
  Script script;
  script.library_name = [rounds] { return ++*rounds % 2 == 1 ? "OpenBLAS 0.3.21" : "BLIS 0.9.0"; };
  ThreadWorker worker(worker_setup(access, "worker", 1, true, script));
  const auto family = make_family();
  const auto configurations = some_members(family->space(), 6, 4);
  const auto confirmed =
      fleet::confirm_on_fleet(family, measuring_on(access), {}, configurations, [] { return false; }, 60);
  QVERIFY2(confirmed.has_value(), confirmed ? "" : describe(confirmed.error()).c_str());
  QCOMPARE(confirmed->rounds, 5);
  QCOMPARE(confirmed->vendor.name, std::string("OpenBLAS 0.3.21"));
  QCOMPARE(confirmed->vendor.samples_seconds.size(), std::size_t(3));
}

KERNELSCAPE_PLAIN_TEST(FleetMeasurerTest)

}  // namespace kernelscape::fleet_measurer_test
#include "fleet_measurer_test.moc"
