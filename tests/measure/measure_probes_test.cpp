#include <QTest>
#include <cmath>
#include <deque>
#include <memory>

#include "core/base/processors.h"
#include "core/base/random.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/measure/runner.h"
#include "core/measure/worker/probed_trials.h"
#include "core/measure/worker/speed_probe.h"
#include "core/trial/fields.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/measure/kernel_sources.h"
#include "tests/test_program.h"

namespace kernelscape::measure_probes_test {

namespace {

/** A machine on which trials and readings take a known time, and the speed is scripted. */
struct ScriptedMachine {
  double now = 0;
  double trial_seconds = 0.2;
  double speed = 1;                          ///< of readings and trials to come
  std::deque<double> speeds_of_trials = {};  ///< speed from the end of each trial on; none: it stays
  std::deque<double> freezes = {};           ///< seconds that are added to the next readings
  int readings = 0;
  int trials = 0;
  std::vector<int> threads = {};
  trial::ErrorCategory category = trial::ErrorCategory::NoError;

  measure::ProbedTrials probed() {
    return measure::ProbedTrials(
        [this](int threads_now) {
          ++readings;
          threads.push_back(threads_now);
          trial::ProbeSeconds seconds{.compute = 1e-3 / speed, .memory = 2e-3 / speed};
          if (!freezes.empty()) {
            seconds.compute += freezes.front();
            freezes.pop_front();
          }
          now += seconds.compute + seconds.memory;
          return seconds;
        },
        [this] { return now; });
  }

  /** Its only sample is its number, so that it is known which run was kept. */
  measure::RunReply trial() {
    now += trial_seconds / speed;
    measure::RunReply reply;
    reply.measurement.category = category;
    if (reply.measurement.valid()) reply.measurement.samples_seconds = {static_cast<double>(++trials)};
    // What a kernel could have left there.
    reply.measurement.compute_probe_before_seconds = 7;
    if (!speeds_of_trials.empty()) {
      speed = speeds_of_trials.front();
      speeds_of_trials.pop_front();
    }
    return reply;
  }

  trial::Measurement run(measure::ProbedTrials& probed, double timeout_seconds = 10) {
    measure::RunRequest request;
    request.options.run_timeout_seconds = timeout_seconds;
    return probed.run(3, request, [this] { return trial(); }).measurement;
  }
};

trial::ProbeSeconds before_of(const trial::Measurement& m) {
  return {m.compute_probe_before_seconds, m.memory_probe_before_seconds};
}
trial::ProbeSeconds after_of(const trial::Measurement& m) {
  return {m.compute_probe_after_seconds, m.memory_probe_after_seconds};
}

}  // namespace

/** The speed probe around trials. */
class MeasureProbesTest : public QObject {
  Q_OBJECT

 private slots:
  void readingsArePlausible() {
    measure::SpeedProbe probe;
    const int cores = static_cast<int>(base::usable_processors().size());
    for (const int threads : {1, cores, 4096, 1}) {
      const trial::ProbeSeconds seconds = probe.measure(threads);
      QVERIFY(seconds.known());
      // From a processor that is ten times as fast as any to one that is hardly available.
      for (const double part : {seconds.compute, seconds.memory}) QVERIFY(part > 1e-5 && part < 30);
    }
    // The processors of the caller are not changed by the threads that are pinned.
    QCOMPARE(static_cast<int>(base::usable_processors().size()), cores);
  }

  void aQuietMachineIsReadOncePerTrial() {
    ScriptedMachine machine;
    measure::ProbedTrials probed = machine.probed();
    for (int trial = 1; trial <= 5; ++trial) {
      const trial::Measurement measurement = machine.run(probed);
      QCOMPARE(measurement.samples_seconds, std::vector<double>{static_cast<double>(trial)});
      QVERIFY(before_of(measurement) == (trial::ProbeSeconds{1e-3, 2e-3}));
      QVERIFY(after_of(measurement) == (trial::ProbeSeconds{1e-3, 2e-3}));
      QCOMPARE(machine.readings, trial + 1);  // the one after a trial is the one before the next
    }
    QVERIFY(std::ranges::all_of(machine.threads, [](int threads) { return threads == 3; }));
    machine.now += 1;  // an old one says nothing of now
    machine.run(probed);
    QCOMPARE(machine.readings, 8);
  }

  void shortTrialsShareReadings() {
    ScriptedMachine machine{.trial_seconds = 0.004};
    measure::ProbedTrials probed = machine.probed();
    int read_after = 0;
    for (int trial = 0; trial < 100; ++trial) {
      const trial::Measurement measurement = machine.run(probed);
      QVERIFY(before_of(measurement).known());
      read_after += after_of(measurement).known() ? 1 : 0;
    }
    QVERIFY(machine.readings >= 3 && machine.readings <= 6);
    QVERIFY(read_after >= 1);
  }

  void readingsTakeThreePercentOfTheRunTime() {
    base::Random random(testing::random_seed());
    for (const double typical : {0.0001, 0.002, 0.03, 0.1, 0.3, 2.0}) {
      ScriptedMachine machine;
      measure::ProbedTrials probed = machine.probed();
      const double reading_seconds = 3e-3;
      int trials = 0;
      double since_reading = 0;
      for (; machine.now < 200 && trials < 100'000; ++trials) {
        machine.trial_seconds = typical * std::exp(random.normal());
        const int before = machine.readings;
        machine.run(probed);
        since_reading = machine.readings > before ? 0 : since_reading + machine.trial_seconds;
        QVERIFY(since_reading < 0.5);  // also the shortest trials know how fast the machine is
      }
      const double share = machine.readings * reading_seconds / machine.now;
      QVERIFY2(share < 0.031, qPrintable(QString::number(share)));
    }
  }

  void afterPausesThereIsAReadingPerSecondAtMost() {
    ScriptedMachine machine{.trial_seconds = 0.0001};
    measure::ProbedTrials probed = machine.probed();
    for (int trial = 0; trial < 200; ++trial) {
      QVERIFY(before_of(machine.run(probed)).known());
      machine.now += 0.3;  // kernels are built
    }
    QVERIFY(machine.readings >= 40 && machine.readings <= 61);
  }

  void kernelsWithOtherThreadsDoNotShareReadings() {
    ScriptedMachine machine{.trial_seconds = 0.001};
    measure::ProbedTrials probed = machine.probed();
    const auto run = [&](int threads) {
      const measure::RunRequest request;
      return probed.run(threads, request, [&] { return machine.trial(); }).measurement;
    };
    QVERIFY(before_of(run(1)).known());
    QVERIFY(!before_of(run(4)).known());  // too soon for another reading, and that of one thread is none
    QVERIFY(before_of(run(1)).known());
    machine.now += 1;
    QVERIFY(before_of(run(4)).known());
    QCOMPARE(machine.threads.back(), 4);
  }

  void aTrialInWhichTheSpeedChangedIsRunAgain() {
    ScriptedMachine machine{.speeds_of_trials = {0.5}};
    measure::ProbedTrials probed = machine.probed();
    const trial::Measurement measurement = machine.run(probed);
    QCOMPARE(machine.trials, 2);
    QCOMPARE(measurement.samples_seconds, std::vector<double>{2});
    QVERIFY(before_of(measurement) == (trial::ProbeSeconds{2e-3, 4e-3}));
    QVERIFY(after_of(measurement) == (trial::ProbeSeconds{2e-3, 4e-3}));
  }

  void theRunWhoseReadingsAgreeBestIsKept() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 100; ++round) {
      std::vector<double> speeds{1};
      while (speeds.size() < 4) {
        const double factor = 1.2 + random.uniform();
        speeds.push_back(random.chance(0.5) ? speeds.back() * factor : speeds.back() / factor);
      }
      ScriptedMachine machine{.trial_seconds = 2, .speeds_of_trials = {speeds.begin() + 1, speeds.end()}};
      measure::ProbedTrials probed = machine.probed();
      const trial::Measurement measurement = machine.run(probed, 1000);
      QCOMPARE(machine.trials, 3);  // bounded
      const auto change = [&](std::size_t run) {
        return std::max(speeds[run] / speeds[run + 1], speeds[run + 1] / speeds[run]);
      };
      const auto kept = static_cast<std::size_t>(measurement.samples_seconds.at(0)) - 1;
      for (std::size_t run = 0; run < 3; ++run) QVERIFY(change(kept) <= change(run) * (1 + 1e-9));
    }
  }

  void aFreezeOfOneReadingIsNoChange() {
    ScriptedMachine machine{.freezes = {0, 0.02}};
    measure::ProbedTrials probed = machine.probed();
    const trial::Measurement measurement = machine.run(probed);
    QCOMPARE(machine.trials, 1);
    // It is kept, since the mean of all readings tells how fast the machine is.
    QCOMPARE(measurement.compute_probe_after_seconds, 0.021);
  }

  void retakesStayWithinTheTimeOfARun() {
    ScriptedMachine machine{.trial_seconds = 2, .speeds_of_trials = {0.5, 0.25, 0.125}};
    measure::ProbedTrials probed = machine.probed();
    machine.run(probed, 3);
    QCOMPARE(machine.trials, 1);
  }

  void failuresAreNotRunAgain() {
    ScriptedMachine machine{.speeds_of_trials = {0.5, 1, 0.5}, .category = trial::ErrorCategory::WrongAnswer};
    measure::ProbedTrials probed = machine.probed();
    const trial::Measurement measurement = machine.run(probed);
    QVERIFY(!measurement.valid());
    QCOMPARE(machine.readings, 2);
    QVERIFY(before_of(measurement) == (trial::ProbeSeconds{1e-3, 2e-3}));
    QVERIFY(after_of(measurement) == (trial::ProbeSeconds{2e-3, 4e-3}));
  }

  void aDeviceWithoutAProbeIsNotRunAgain() {
    int trials = 0;
    measure::ProbedTrials probed([](int) { return trial::ProbeSeconds(); });
    const measure::RunReply reply = probed.run(1, {}, [&] {
      ++trials;
      measure::RunReply one;
      one.measurement.samples_seconds = {1};
      return one;
    });
    QCOMPARE(trials, 1);
    QVERIFY(!trial::has_probes(reply.measurement));
  }

  void aReadingHasTheThreadsOfTheLastTrial() {
    ScriptedMachine machine;
    measure::ProbedTrials probed = machine.probed();
    QVERIFY(probed.read(5).known());
    machine.run(probed);
    QVERIFY(probed.read(5).known());
    QCOMPARE(machine.threads.front(), 5);
    QCOMPARE(machine.threads.back(), 3);
  }

  void measuredTrialsHaveReadings() {
    const auto family = std::make_shared<SourceFamily>(
        small_matmul,
        std::vector<NamedSource>{
            {"good", matmul_text()}, {"refused", ""}, {"crash", matmul_text("", "*(volatile int*)64 = 1;")}});
    const schedule::TargetDescription target = measure::describe_cpu_target().value();
    const auto measurer = measure::make_kernel_measurer(family, target, quick_options()).value();
    const std::vector<space::Configuration> batch{family->named("good"), family->named("refused"),
                                                  family->named("crash")};
    const auto measurements = measure_all(*measurer, batch);
    QVERIFY(measurements.has_value());
    const trial::Measurement& good = measurements->at(0);
    QVERIFY2(good.valid(), good.message.c_str());
    QVERIFY(before_of(good).known());
    QVERIFY(!trial::has_probes(measurements->at(1)));  // it was not run
    QVERIFY(!measurements->at(2).valid() && before_of(measurements->at(2)).known());
  }

  void aWorkerIsAskedForAReading() {
    const schedule::TargetDescription target = measure::describe_cpu_target().value();
    measure::Runner runner(task::parse_task(small_matmul).value(), target, quick_options());
    for (int reading = 0; reading < 2; ++reading) {
      const auto seconds = runner.probe_speed({});
      QVERIFY2(seconds.has_value(), seconds ? "" : describe(seconds.error()).c_str());
      QVERIFY(seconds->has_value() && (*seconds)->known());
    }
    const measure::InterruptionSwitch stop;
    stop.trigger();
    const auto interrupted = runner.probe_speed(stop.interruption());
    QVERIFY(interrupted && !interrupted->has_value());
  }
};

KERNELSCAPE_TEST(MeasureProbesTest, QCoreApplication)

}  // namespace kernelscape::measure_probes_test
#include "measure_probes_test.moc"
