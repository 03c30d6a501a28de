#include <QTest>

#include "core/measure/confirmation_rounds.h"
#include "core/measure/slow_phase_wait.h"
#include "tests/test_program.h"

namespace kernelscape::measure_slow_phase_test {

constexpr trial::ProbeSeconds usual{.compute = 1e-3, .memory = 1.2e-3};

trial::ProbeSeconds probe_at(double slowdown) {
  return {.compute = usual.compute * slowdown, .memory = usual.memory * slowdown};
}

/** A run between two readings. @param number makes its readings different from those of other runs */
trial::Measurement run_at(double slowdown, int number, double seconds = 1e-3) {
  trial::Measurement run;
  const trial::ProbeSeconds before = probe_at(slowdown * (1 + 2e-5 * number));
  const trial::ProbeSeconds after = probe_at(slowdown * (1 + 2e-5 * number + 1e-5));
  run.samples_seconds = {seconds * slowdown};
  run.run_seconds = 1;
  run.compute_probe_before_seconds = before.compute;
  run.memory_probe_before_seconds = before.memory;
  run.compute_probe_after_seconds = after.compute;
  run.memory_probe_after_seconds = after.memory;
  return run;
}

/** A machine whose time passes only while it is waited for. */
struct FakeMachine {
  double now = 0;
  double recovers_at = 1e9;
  double interrupted_at = 1e9;
  bool has_probe = true;
  int readings = 0;

  measure::WaitingMachine machine() {
    return {.probe = [this]() -> Result<std::optional<trial::ProbeSeconds>> {
              if (!has_probe) return std::nullopt;
              return probe_at((now >= recovers_at ? 1 : 3) * (1 + 1e-5 * ++readings));
            },
            .pause =
                [this](double seconds) {
                  now += seconds;
                  return now < interrupted_at;
                },
            .seconds = [this] { return now; }};
  }
};

measure::SlowPhaseWait slow_after_runs(double patience) {
  measure::SlowPhaseWait wait(patience);
  wait.set_usual(usual);
  for (int run = 0; run < 10; ++run) wait.add(run_at(1, run));
  for (int run = 10; run < 20; ++run) wait.add(run_at(3, run));
  return wait;
}

class MeasureSlowPhaseTest : public QObject {
  Q_OBJECT

 private slots:
  void a_usual_machine_is_not_waited_for();
  void the_wait_ends_when_the_machine_recovers();
  void waits_of_a_phase_are_bounded_together();
  void the_next_phase_is_waited_for_again();
  void a_phase_that_outlasts_a_session_is_waited_for_once();
  void interruptions_within_samples_are_waited_for();
  void an_interruption_ends_the_wait();
  void a_device_without_a_probe_is_not_waited_for();
  void slow_rounds_are_dropped();
  void too_few_usual_rounds_keep_all();
  void without_readings_all_rounds_count();
};

void MeasureSlowPhaseTest::a_phase_that_outlasts_a_session_is_waited_for_once() {
  const measure::SlowPhaseAccount account = measure::shared_slow_phase_account("a device of this test");
  QCOMPARE(measure::shared_slow_phase_account("a device of this test"), account);
  QVERIFY(measure::shared_slow_phase_account("another device of this test") != account);
  FakeMachine machine;
  const auto session = [&](double slowdown) {
    measure::SlowPhaseWait wait(10, account);
    wait.set_usual(usual);
    for (int run = 0; run < 20; ++run) {
      wait.add(run_at(slowdown, run));
      if (wait.wanted()) QVERIFY(wait.wait(machine.machine()).has_value());
    }
  };
  session(3);
  const double waited = machine.now;
  QVERIFY(waited > 9 && waited < 11);
  session(3);
  QCOMPARE(machine.now, waited);
  // A session at the usual speed ends the phase: the next one is waited for.
  session(1);
  session(3);
  QVERIFY(machine.now > waited + 9);
}

/** The readings alone look usual: a hypervisor stops the machine between them. */
void MeasureSlowPhaseTest::interruptions_within_samples_are_waited_for() {
  measure::SlowPhaseWait wait(30);
  wait.set_usual(usual);
  for (int run = 0; run < 10; ++run) wait.add(run_at(1, run));
  QVERIFY(!wait.wanted());
  for (int run = 10; run < 14; ++run) {
    trial::Measurement interrupted = run_at(1, run);
    interrupted.interrupted_share = 0.4;
    interrupted.uninterrupted_seconds = 0.6e-3;
    wait.add(interrupted);
  }
  QVERIFY(wait.wanted());
}

void MeasureSlowPhaseTest::a_usual_machine_is_not_waited_for() {
  measure::SlowPhaseWait wait(30);
  wait.set_usual(usual);
  for (int run = 0; run < 50; ++run) wait.add(run_at(1, run));
  QVERIFY(!wait.wanted());
  FakeMachine fake;
  QVERIFY(*wait.wait(fake.machine()));
  QCOMPARE(fake.readings, 0);
  measure::SlowPhaseWait never = slow_after_runs(0);
  QVERIFY(never.track().slow());
  QVERIFY(!never.wanted());
}

void MeasureSlowPhaseTest::the_wait_ends_when_the_machine_recovers() {
  measure::SlowPhaseWait wait = slow_after_runs(30);
  QVERIFY(wait.wanted());
  FakeMachine fake{.recovers_at = 10};
  QVERIFY(*wait.wait(fake.machine()));
  QVERIFY(!wait.track().slow());
  QVERIFY(fake.now >= 10 && fake.now <= 13);
}

void MeasureSlowPhaseTest::waits_of_a_phase_are_bounded_together() {
  measure::SlowPhaseWait wait = slow_after_runs(30);
  FakeMachine fake;
  QVERIFY(*wait.wait(fake.machine()));
  QCOMPARE(fake.now, 30.0);
  QVERIFY(wait.track().slow());
  QVERIFY(!wait.wanted());
  wait.add(run_at(3, 30));
  QVERIFY(!wait.wanted());
}

void MeasureSlowPhaseTest::the_next_phase_is_waited_for_again() {
  measure::SlowPhaseWait wait = slow_after_runs(30);
  FakeMachine fake;
  QVERIFY(*wait.wait(fake.machine()));
  for (int run = 40; run < 70; ++run) wait.add(run_at(1, run));
  QVERIFY(!wait.track().slow());
  for (int run = 70; run < 80; ++run) wait.add(run_at(3, run));
  QVERIFY(wait.wanted());
}

void MeasureSlowPhaseTest::an_interruption_ends_the_wait() {
  measure::SlowPhaseWait wait = slow_after_runs(30);
  FakeMachine fake{.interrupted_at = 2};
  QVERIFY(!*wait.wait(fake.machine()));
  QVERIFY(fake.now < 3);
  // The stop may arrive while the probe runs, which then has no reading.
  measure::SlowPhaseWait probing = slow_after_runs(30);
  FakeMachine other;
  measure::WaitingMachine machine = other.machine();
  machine.probe = [&]() -> Result<std::optional<trial::ProbeSeconds>> {
    other.interrupted_at = other.now;
    return std::nullopt;
  };
  QVERIFY(!*probing.wait(machine));
  QVERIFY(probing.wanted());
}

void MeasureSlowPhaseTest::a_device_without_a_probe_is_not_waited_for() {
  measure::SlowPhaseWait wait = slow_after_runs(30);
  FakeMachine fake{.has_probe = false};
  QVERIFY(*wait.wait(fake.machine()));
  QVERIFY(fake.now < 1);
  QVERIFY(!wait.wanted());
}

/** Rounds of two configurations and a library. */
struct Rounds {
  measure::SlowPhaseWait wait{0};
  std::vector<measure::ConfirmationRound> rounds;
  measure::Confirmations result;

  explicit Rounds(const std::vector<double>& slowdowns, bool readings = true) {
    wait.set_usual(usual);
    int number = 0;
    for (const double slowdown : slowdowns) {
      measure::ConfirmationRound round{.first_row = wait.track().rows()};
      for (const std::size_t configuration : {0U, 1U}) {
        trial::Measurement run = run_at(slowdown, number++, configuration == 0 ? 1e-3 : 2e-3);
        if (!readings) {
          run.compute_probe_before_seconds = run.memory_probe_before_seconds = 0;
          run.compute_probe_after_seconds = run.memory_probe_after_seconds = 0;
        }
        wait.add(run);
        round.samples.emplace_back(configuration, std::move(run));
      }
      round.vendor_seconds = {5e-4 * slowdown};
      round.limits.peak_gflops = 100 / slowdown;
      round.end_row = wait.track().rows();
      round.complete = true;
      rounds.push_back(std::move(round));
    }
    result.configurations.resize(2);
    measure::use_rounds(rounds, measure::speeds_of(wait.track()), result);
  }
};

void MeasureSlowPhaseTest::slow_rounds_are_dropped() {
  const Rounds measured({1, 1, 1, 4, 4, 4, 4});
  const measure::Confirmations& result = measured.result;
  QCOMPARE(result.dropped_rounds, 4);
  QVERIFY(!result.slow);
  QCOMPARE(result.configurations[0].samples_seconds, std::vector<double>(3, 1e-3));
  QCOMPARE(result.configurations[1].samples_seconds, std::vector<double>(3, 2e-3));
  QCOMPARE(result.vendor.samples_seconds, std::vector<double>(3, 5e-4));
  QCOMPARE(result.configurations[0].run_seconds, 7.0);  // dropped rounds took time, too
  QCOMPARE(result.limits.peak_gflops, 100.0);
  QVERIFY(result.machine_share > 0.99);
}

void MeasureSlowPhaseTest::too_few_usual_rounds_keep_all() {
  const Rounds measured({1, 4, 4, 4, 4, 4, 4});
  const measure::Confirmations& result = measured.result;
  QCOMPARE(result.dropped_rounds, 0);
  QVERIFY(result.slow);
  QCOMPARE(result.configurations[0].samples_seconds.size(), std::size_t(7));
  QCOMPARE(result.vendor.samples_seconds.size(), std::size_t(7));
  QVERIFY(result.machine_share > 0.25 && result.machine_share < 0.35);
}

void MeasureSlowPhaseTest::without_readings_all_rounds_count() {
  const Rounds measured({1, 4, 4, 4, 4}, /*readings=*/false);
  QCOMPARE(measured.result.configurations[0].samples_seconds.size(), std::size_t(5));
  QVERIFY(!measured.result.slow);
  QVERIFY(!measured.result.probe.known());
  QCOMPARE(measured.result.machine_share, 0.0);
}

KERNELSCAPE_PLAIN_TEST(MeasureSlowPhaseTest)

}  // namespace kernelscape::measure_slow_phase_test
#include "measure_slow_phase_test.moc"
