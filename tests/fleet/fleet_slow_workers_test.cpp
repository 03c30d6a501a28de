// Workers whose machines are slower than usual.
#include <QtTest>

#include "core/fleet/confirmation.h"
#include "core/fleet/speed_watch.h"
#include "core/fleet/state.h"
#include "tests/fleet/scripted_fleet.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::fleet_slow_workers_test {
using namespace kernelscape::fleet_tests;

namespace {

trial::Measurement run_at(double slowdown, int number) {
  trial::Measurement run;
  const double before = slowdown * (1 + 2e-5 * number);
  const double after = before * (1 + 1e-5);
  run.samples_seconds = {1e-3 * slowdown};
  run.compute_probe_before_seconds = scripted_probe.compute * before;
  run.memory_probe_before_seconds = scripted_probe.memory * before;
  run.compute_probe_after_seconds = scripted_probe.compute * after;
  run.memory_probe_after_seconds = scripted_probe.memory * after;
  return run;
}

/** Adds runs with a number of threads. */
void add_runs(fleet::SpeedWatch& watch, int threads, double slowdown, int count, double patience = 30) {
  for (int run = 0; run < count; ++run) watch.add(threads, patience, run_at(slowdown, run));
}

/** A machine that recovers after a time, which passes only while it is waited for. */
struct RecoveringMachine {
  double recovers_at = 5;
  double now = 0;
  int readings = 0;

  measure::WaitingMachine machine() {
    return {.probe = [this]() -> Result<std::optional<trial::ProbeSeconds>> {
              const double slowdown = (now >= recovers_at ? 1 : 3) * (1 + 1e-5 * ++readings);
              return trial::ProbeSeconds{scripted_probe.compute * slowdown, scripted_probe.memory * slowdown};
            },
            .pause =
                [this](double seconds) {
                  now += seconds;
                  return true;
                },
            .seconds = [this] { return now; }};
  }
};

std::shared_ptr<ScriptedFamily> make_family() {
  return std::make_shared<ScriptedFamily>(session_tests::make_space());
}

/** Returns configurations that the script builds. */
std::vector<space::Configuration> good_members(const ScriptedFamily& family, std::size_t count) {
  std::vector<space::Configuration> members;
  for (std::uint64_t index = 0; members.size() < count; ++index)
    if (const space::Configuration member = family.space().at(index); builds(family.source(member)->text))
      members.push_back(member);
  return members;
}

/** A confirmation on one worker that is slow from a run on. */
struct Confirmed {
  static constexpr std::size_t configurations = 6;
  std::shared_ptr<ScriptedFamily> family = make_family();
  std::vector<space::Configuration> members = good_members(*family, configurations);
  measure::Confirmations result;

  explicit Confirmed(int first_slow) {
    const RedisServer server;
    const fleet::Access access = server.fleet(10);  // a task that is given out twice would count twice
    const auto runs = std::make_shared<std::atomic<int>>(0);
    Script script;
    script.slowdown = [runs, first_slow] { return (*runs)++ < first_slow ? 1.0 : 4.0; };
    ThreadWorker worker(worker_setup(access, "worker", 1, true, script));
    result = *fleet::confirm_on_fleet(family, measuring_on(access), {}, members, [] { return false; }, 60,
                                      {{"worker", scripted_probe}});
  }
};

}  // namespace

class FleetSlowWorkersTest : public QObject {
  Q_OBJECT

 private slots:
  void a_slow_machine_is_waited_for() {
    fleet::SpeedWatch watch;
    QVERIFY(watch.pace() == fleet::MachinePace());
    add_runs(watch, 4, 1, 20);
    QVERIFY(!watch.pace().slow && !watch.pace().waits);
    add_runs(watch, 4, 3, 10);
    QVERIFY(watch.pace().slow && watch.pace().waits);
    QVERIFY(watch.pace().speed.lowest() < 0.4);
    RecoveringMachine machine;
    QVERIFY(*watch.wait(machine.machine()));
    QVERIFY(machine.now >= 5 && machine.now < 10);
    QVERIFY(!watch.pace().slow);
    // The patience is that of the latest run.
    add_runs(watch, 4, 3, 10, 0);
    QVERIFY(watch.pace().slow && !watch.pace().waits);
  }

  void other_numbers_of_threads_have_other_times() {
    fleet::SpeedWatch watch;
    add_runs(watch, 8, 1, 20);
    add_runs(watch, 1, 3, 20);
    QVERIFY(!watch.pace().slow);
    add_runs(watch, 8, 1, 5);
    QVERIFY(!watch.pace().slow);
  }

  void a_long_life_needs_little_memory() {
    fleet::SpeedWatch watch(50);
    add_runs(watch, 4, 1, 105);
    // The track began again shortly before, but knows the usual times.
    add_runs(watch, 4, 3, 10);
    QVERIFY(watch.pace().slow);
  }

  void a_machine_that_stays_slow_needs_little_memory() {
    fleet::SpeedWatch watch(50);
    add_runs(watch, 4, 1, 20);
    add_runs(watch, 4, 3, 470);
    QVERIFY(watch.pace().slow);
    add_runs(watch, 4, 3, 10);  // 500 runs in all: the track begins again
    QVERIFY(!watch.pace().slow);
    add_runs(watch, 4, 3, 10);
    QVERIFY(watch.pace().slow);
  }

  void the_work_of_a_slow_worker_goes_to_the_others() {
    NEEDS_REDIS();
    const RedisServer server;
    const fleet::Access access = server.fleet();
    const auto slow = std::make_shared<std::atomic<bool>>(true);
    Script waiting;
    waiting.machine_waits = [slow] { return slow->load(); };
    ThreadWorker other(worker_setup(access, "slow", 0, true, waiting));
    fleet::RedisConnection redis = server.connect();
    std::vector<fleet::WorkerState> workers;
    QVERIFY(wait_until([&] {
      workers = *fleet::list_workers(redis, 3);
      return !workers.empty() && workers.front().state == "waiting";
    }));
    QVERIFY(workers.front().serves());
    QVERIFY2(workers.front().message.contains("0.30 of its speed"), workers.front().message.c_str());
    const auto family = make_family();
    const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
    const std::vector<space::Configuration> batch = good_members(*family, 12);
    {
      ThreadWorker quick(worker_setup(access, "quick", 1, true));
      QVERIFY(measurer->submit(batch));
      const auto done = collect_all(*measurer, batch.size());
      QVERIFY2(done.has_value(), done ? "" : describe(done.error()).c_str());
      for (const measure::Completed& one : *done) QCOMPARE(one.measurement.worker, std::string("quick"));
    }
    *slow = false;
    ThreadWorker builder(worker_setup(access, "builder", 1, false));
    QVERIFY(measurer->submit(batch));
    const auto done = collect_all(*measurer, batch.size());
    QVERIFY2(done.has_value(), done ? "" : describe(done.error()).c_str());
    for (const measure::Completed& one : *done) QCOMPARE(one.measurement.worker, std::string("slow"));
  }

  void what_a_machine_reports_comes_with_the_trial() {
    NEEDS_REDIS();
    const RedisServer server;
    const fleet::Access access = server.fleet();
    Script script;
    script.conditions = {.at_seconds = 12, .total_steal_seconds = 3, .hertz = 2e9};
    ThreadWorker worker(worker_setup(access, "reports", 1, true, script));
    const auto family = make_family();
    const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
    const std::vector<space::Configuration> batch = good_members(*family, 4);
    QVERIFY(measurer->submit(batch));
    const auto done = collect_all(*measurer, batch.size());
    QVERIFY2(done.has_value(), done ? "" : describe(done.error()).c_str());
    for (const measure::Completed& one : *done) QVERIFY(one.conditions == script.conditions);
  }

  void a_worker_that_waits_can_be_stopped() {
    NEEDS_REDIS();
    const RedisServer server;
    Script waiting;
    waiting.machine_waits = [] { return true; };
    ThreadWorker worker(worker_setup(server.fleet(), "slow", 0, true, waiting));
    fleet::RedisConnection redis = server.connect();
    QVERIFY(wait_until([&] {
      const auto workers = *fleet::list_workers(redis, 3);
      return !workers.empty() && workers.front().state == "waiting";
    }));
    QVERIFY(worker.leave());
  }

  void a_worker_that_stays_slow_leaves_its_class_and_returns() {
    NEEDS_REDIS();
    const RedisServer server;
    const fleet::Access access = server.fleet();
    const auto slow = std::make_shared<std::atomic<bool>>(true);
    Script script;
    script.machine_slow = [slow] { return slow->load(); };
    fleet::WorkerSetup setup = worker_setup(access, "one", 0, true, script);
    setup.review_seconds = 0;
    const auto measured = std::make_shared<std::atomic<int>>(0);
    setup.measure_reference = [slow, measured]() -> Result<double> {
      ++*measured;
      return slow->load() ? 3e-3 : 1e-3;
    };
    ThreadWorker one(std::move(setup));
    fleet::RedisConnection redis = server.connect();
    const auto class_of_one = [&] {
      const std::vector<fleet::WorkerState> workers = *fleet::list_workers(redis, 3);
      for (const fleet::WorkerState& worker : workers)
        if (worker.identity.id == "one") return worker.identity.devices.front().id;
      return std::string();
    };
    QVERIFY(wait_until([&] { return class_of_one() == "scripted"; }));
    // A session would wait for the last worker of a class.
    QCOMPARE(measured->load(), 0);
    ThreadWorker other(worker_setup(access, "two", 1, true));
    QVERIFY(wait_until([&] { return class_of_one() == "scripted~one"; }));
    const auto family = make_family();
    const auto measurer = *fleet::make_fleet_measurer(family, measuring_on(access), {});
    const std::vector<space::Configuration> batch = good_members(*family, 8);
    QVERIFY(measurer->submit(batch));
    const auto done = collect_all(*measurer, batch.size());
    QVERIFY2(done.has_value(), done ? "" : describe(done.error()).c_str());
    for (const measure::Completed& one_done : *done)
      QCOMPARE(one_done.measurement.worker, std::string("two"));
    *slow = false;
    QVERIFY(wait_until([&] { return class_of_one() == "scripted"; }));
    // A session that began while the worker was apart is not abandoned.
    fleet::Measuring apart = measuring_on(access);
    apart.device.id = "scripted~one";
    const auto of_apart = *fleet::make_fleet_measurer(family, apart, {});
    QVERIFY(of_apart->submit(batch));
    const auto done_apart = collect_all(*of_apart, batch.size());
    QVERIFY2(done_apart.has_value(), done_apart ? "" : describe(done_apart.error()).c_str());
    for (const measure::Completed& one_done : *done_apart)
      QCOMPARE(one_done.measurement.worker, std::string("one"));
  }

  void the_last_workers_of_a_class_do_not_leave_it_together() {
    NEEDS_REDIS();
    const RedisServer server;
    const fleet::Access access = server.fleet();
    Script script;
    script.machine_slow = [] { return true; };
    const auto measured = std::make_shared<std::atomic<int>>(0);
    const auto slow_setup = [&](const std::string& id) {
      fleet::WorkerSetup setup = worker_setup(access, id, 0, true, script);
      setup.review_seconds = 0;
      // Both see the other in the class before either of them leaves it.
      setup.measure_reference = [measured]() -> Result<double> {
        ++*measured;
        wait_until([&] { return measured->load() >= 2; });
        return 3e-3;
      };
      return setup;
    };
    ThreadWorker one(slow_setup("one"));
    ThreadWorker two(slow_setup("two"));
    fleet::RedisConnection redis = server.connect();
    const auto in_class = [&] {
      const std::vector<fleet::WorkerState> workers = *fleet::list_workers(redis, 3);
      return std::ranges::count_if(workers, [](const fleet::WorkerState& worker) {
        return worker.identity.devices.front().id == "scripted";
      });
    };
    // The worker that left is measured again and again.
    QVERIFY(wait_until([&] { return measured->load() >= 10; }));
    QVERIFY(wait_until([&] { return in_class() == 1; }));
  }

  void a_failed_reference_measurement_is_said_and_repeated() {
    NEEDS_REDIS();
    const RedisServer server;
    const fleet::Access access = server.fleet();
    Script script;
    script.machine_slow = [] { return true; };
    fleet::WorkerSetup setup = worker_setup(access, "one", 0, true, script);
    setup.review_seconds = 0;
    const auto measured = std::make_shared<std::atomic<int>>(0);
    setup.measure_reference = [measured]() -> Result<double> {
      if (++*measured == 1) return fail(ErrorCode::Environment, "the compiler is gone");
      return 1e-3;
    };
    const auto said = std::make_shared<std::atomic<int>>(0);
    setup.say = [said](const std::string& text) {
      if (text.contains("the compiler is gone")) ++*said;
    };
    ThreadWorker other(worker_setup(access, "two", 1, true));
    ThreadWorker one(std::move(setup));
    QVERIFY(wait_until([&] { return measured->load() >= 2; }));
    QCOMPARE(said->load(), 1);
    QVERIFY(one.leave());
  }

  void slow_rounds_of_a_confirmation_are_dropped() {
    NEEDS_REDIS();
    const Confirmed confirmed(3 * Confirmed::configurations);
    QCOMPARE(confirmed.result.rounds, 5);
    QCOMPARE(confirmed.result.dropped_rounds, 2);
    QVERIFY(!confirmed.result.slow);
    QVERIFY(confirmed.result.machine_share > 0.9);
    for (std::size_t i = 0; i < confirmed.members.size(); ++i) {
      const trial::Measurement& measured = confirmed.result.configurations[i];
      QCOMPARE(measured.samples_seconds.size(), std::size_t(9));
      QCOMPARE(measured.median_seconds(), seconds_of(confirmed.family->source(confirmed.members[i])->text));
      QCOMPARE(measured.run_seconds, 10.0);  // dropped rounds took time, too
    }
    // The library is measured in each round.
    QCOMPARE(confirmed.result.vendor.samples_seconds.size(), std::size_t(3));
  }

  void a_confirmation_on_a_slow_worker_is_marked() {
    NEEDS_REDIS();
    const Confirmed confirmed(0);
    QVERIFY(confirmed.result.slow);
    QCOMPARE(confirmed.result.dropped_rounds, 0);
    QVERIFY(confirmed.result.machine_share > 0.2 && confirmed.result.machine_share < 0.3);
    QCOMPARE(confirmed.result.configurations.front().samples_seconds.size(), std::size_t(15));
  }
};

KERNELSCAPE_PLAIN_TEST(FleetSlowWorkersTest)

}  // namespace kernelscape::fleet_slow_workers_test
#include "fleet_slow_workers_test.moc"
