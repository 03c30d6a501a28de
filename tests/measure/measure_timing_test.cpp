#include <QtTest>

#include "core/base/random.h"
#include "core/measure/worker/interruptions.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/measure/stand_in_kernel.h"
#include "tests/test_program.h"

namespace kernelscape::measure_timing_test {
using namespace kernelscape::measure_tests;

namespace {

trial::MeasureOptions options_of_test() {
  trial::MeasureOptions options;
  options.repeats = 7;
  options.min_repeat_seconds = 0.02;
  options.give_up_factor = 5;
  return options;
}

/** The stand-in with the regions of a CPU kernel, in which interruptions are noticed. */
measure::TimedKernel watched(StandIn& kernel) {
  measure::TimedKernel timed = kernel.timed();
  timed.region_seconds = measure::watched_region_seconds;
  if (kernel.worked_seconds) timed.processor_seconds = [&kernel] { return kernel.worked; };
  return timed;
}

}  // namespace

class MeasureTimingTest : public QObject {
  Q_OBJECT

 private slots:
  void samplesAreSecondsPerCall_data() {
    QTest::addColumn<double>("seconds");
    QTest::newRow("nanoseconds") << 40e-9;
    QTest::newRow("microseconds") << 15e-6;
    QTest::newRow("as long as a repeat") << 0.02;
    QTest::newRow("longer than a repeat") << 0.7;
  }

  void samplesAreSecondsPerCall() {
    QFETCH(double, seconds);
    StandIn kernel{.call_seconds = [=](std::int64_t) { return seconds; }};
    const trial::Measurement result = measure::time_kernel(kernel.timed(), options_of_test(), 0);
    QCOMPARE(result.samples_seconds.size(), std::size_t{7});
    for (const double sample : result.samples_seconds) QVERIFY(std::abs(sample / seconds - 1) < 1e-6);
    QVERIFY(!result.cut_short);
    QCOMPARE(result.samples_saved, 0U);
    // A long kernel is not called more often than its warm-up and repeats.
    if (seconds >= 0.02) QCOMPARE(kernel.calls, std::int64_t{8});
  }

  void everyRepeatIsLongEnough() {
    // Far faster once it is warm: what calibration saw is no guide.
    StandIn kernel{.call_seconds = [](std::int64_t call) { return call < 3000 ? 2e-6 : 1e-7; }};
    trial::MeasureOptions options = options_of_test();
    options.repeats = 1;
    const trial::Measurement result = measure::time_kernel(kernel.timed(), options, 0);
    // Added up in another order: without the last bits, which are far less than a call.
    const double least = options.min_repeat_seconds * (1 - 1e-9);
    double seconds = 0;
    std::int64_t calls = 0;
    for (std::size_t i = kernel.regions.size(); i-- > 0 && seconds < least;) {
      seconds += kernel.region_seconds[i];
      calls += kernel.regions[i];
    }
    QVERIFY(seconds >= least);
    QVERIFY(std::abs(result.samples_seconds.at(0) - seconds / static_cast<double>(calls)) < 1e-12);
  }

  void countedCallsAreOneRegion() {
    // Their time differs, and the repeat's least duration says nothing.
    StandIn kernel{
        .call_seconds = [](std::int64_t call) { return 1e-4 * (1 + static_cast<double>(call % 7)); }};
    trial::MeasureOptions options = options_of_test();
    options.repeats = 3;
    options.calls_per_sample = 50;
    const trial::Measurement result = measure::time_kernel(kernel.timed(), options, 0);
    // A warm-up call, then nothing but the samples.
    QVERIFY(kernel.regions == (std::vector<std::int64_t>{1, 50, 50, 50}));
    QCOMPARE(result.samples_seconds.size(), std::size_t{3});
    for (std::size_t sample = 0; sample < 3; ++sample)
      QVERIFY(std::abs(result.samples_seconds[sample] - kernel.region_seconds[sample + 1] / 50) < 1e-12);
  }

  void aKernelBelowTheClocksStepHasASample() {
    StandIn kernel{.call_seconds = [](std::int64_t) { return 0.0; }};
    trial::MeasureOptions options = options_of_test();
    options.min_repeat_seconds = 0;
    for (const double sample : measure::time_kernel(kernel.timed(), options, 0).samples_seconds)
      QVERIFY(sample > 0);
  }

  void aSlowFirstSampleIsTheOnlyOne() {
    StandIn slow{.call_seconds = [](std::int64_t) { return 0.051; }};
    const trial::Measurement cut = measure::time_kernel(slow.timed(), options_of_test(), 0.01);
    QVERIFY(cut.cut_short);
    QCOMPARE(cut.samples_seconds.size(), std::size_t{1});
    StandIn allowed{.call_seconds = [](std::int64_t) { return 0.049; }};
    QVERIFY(!measure::time_kernel(allowed.timed(), options_of_test(), 0.01).cut_short);
    trial::MeasureOptions never = options_of_test();
    never.give_up_factor = 0;
    StandIn endless{.call_seconds = [](std::int64_t) { return 1.0; }};
    QCOMPARE(measure::time_kernel(endless.timed(), never, 0.01).samples_seconds.size(), std::size_t{7});
  }

  void findingTheNumberOfCallsTakesLittle() {
    // One call is too short to tell, three (1.2 x 2.5 ms) are not; a sample is 15 of them.
    StandIn kernel{.call_seconds = [](std::int64_t) { return 1.4e-3; }};
    QCOMPARE(measure::time_kernel(kernel.timed(), options_of_test(), 0).samples_seconds.size(),
             std::size_t{7});
    QCOMPARE(kernel.calls, std::int64_t{1 + 3 + 7 * 15});
    // A clock that stands still for a while does not hold it up.
    StandIn stopped{.call_seconds = [](std::int64_t call) { return call < 100'000 ? 0.0 : 1e-6; }};
    for (const double sample : measure::time_kernel(stopped.timed(), options_of_test(), 0).samples_seconds)
      QVERIFY(sample > 0);
  }

  void repeatsThatWaitedAreTakenAgain() {
    // Each region has a context switch, which is nothing to a thread that hardly waited: 0.5 ms of a sample's
    // 0.1 s are too much. Region 0 is the warm-up.
    StandIn kernel{.call_seconds = [](std::int64_t call) { return call == 2 || call == 5 ? 0.9 : 0.1; },
                   .disturbed_from = 0,
                   .waited = [](std::size_t region) { return region == 2 || region == 5 ? 0.005 : 0.0004; }};
    const trial::Measurement result = measure::time_kernel(kernel.timed(), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 2U);
    QCOMPARE(result.samples_seconds, std::vector<double>(7, 0.1));
  }

  void preemptedRepeatsAreTakenAgain() {
    // The warm-up is region 0, the first two repeats are disturbed.
    StandIn kernel{.call_seconds = [](std::int64_t call) { return call == 1 || call == 2 ? 0.9 : 0.1; },
                   .disturbed_from = 1,
                   .disturbed_to = 3};
    const trial::Measurement result = measure::time_kernel(kernel.timed(), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 2U);
    QCOMPARE(result.samples_seconds, std::vector<double>(7, 0.1));
  }

  /** What a hypervisor does: no thread waits and none is preempted, but the clock goes on. */
  void interruptedRepeatsAreTakenAgain() {
    StandIn kernel{
        .call_seconds = [](std::int64_t call) { return call == 500 || call == 1500 ? 0.031 : 1e-4; }};
    const trial::Measurement result = measure::time_kernel(watched(kernel), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 2U);
    QCOMPARE(result.samples_seconds.size(), std::size_t{7});
    for (const double sample : result.samples_seconds) QVERIFY(std::abs(sample - 1e-4) < 1e-9);
    QVERIFY(std::abs(result.uninterrupted_seconds - 1e-4) < 1e-9);
    QVERIFY(std::abs(result.interrupted_share - 2 * 0.0309 / (9 * 0.02 + 2 * 0.0309)) < 0.02);
  }

  void interruptionsThatNeverEndAreKnown() {
    // Stopped for 10 ms after every 5 ms.
    StandIn kernel{.call_seconds = [](std::int64_t call) { return call % 50 == 49 ? 0.0101 : 1e-4; }};
    const trial::Measurement result = measure::time_kernel(watched(kernel), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 7U);
    QVERIFY(result.median_seconds() > 2.5e-4);
    QVERIFY(std::abs(result.uninterrupted_seconds - 1e-4) < 1e-9);
    QVERIFY(std::abs(result.interrupted_share - 2.0 / 3) < 0.1);
  }

  void unsteadyKernelsAreNotInterrupted() {
    base::Random random(testing::random_seed());
    for (const double seconds : {1e-6, 1e-3, 0.02, 0.3}) {
      StandIn kernel{.call_seconds = [&](std::int64_t) { return seconds * (1 + 0.8 * random.uniform()); }};
      const trial::Measurement result = measure::time_kernel(watched(kernel), options_of_test(), 0);
      QCOMPARE(result.preempted_samples, 0U);
      QCOMPARE(result.interrupted_share, 0.0);
      QCOMPARE(result.uninterrupted_seconds, 0.0);
    }
  }

  /** A call of 50 ms that is stopped for 30 ms is not twice as long, but its threads did not work. */
  void stopsWithinLongCallsAreNoticed() {
    const auto stopped = [](std::int64_t call) { return call == 3 || call == 5; };
    StandIn kernel{.call_seconds = [&](std::int64_t call) { return stopped(call) ? 0.08 : 0.05; },
                   .worked_seconds = [](std::int64_t) { return 0.05; }};
    const trial::Measurement result = measure::time_kernel(watched(kernel), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 2U);
    QCOMPARE(result.samples_seconds, std::vector<double>(7, 0.05));
    QVERIFY(std::abs(result.interrupted_share - 2 * 0.03 / (7 * 0.05 + 2 * 0.08)) < 1e-9);
    QVERIFY(std::abs(result.uninterrupted_seconds - 0.05) < 1e-9);
    // Without CPU times interruptions are not detected.
    StandIn unknown{.call_seconds = [&](std::int64_t call) { return stopped(call) ? 0.08 : 0.05; }};
    QCOMPARE(measure::time_kernel(watched(unknown), options_of_test(), 0).preempted_samples, 0U);
  }

  /** The warm-up found cold caches: the first sample is only known to be slow after the second one. */
  void earlySamplesAreJudgedByLaterOnes() {
    StandIn kernel{
        .call_seconds = [](std::int64_t call) { return call == 0   ? 0.09
                                                       : call == 1 ? 0.08
                                                                   : 0.05; },
        .worked_seconds = [](std::int64_t call) { return call == 0 ? 0.09 : 0.05; }};
    const trial::Measurement result = measure::time_kernel(watched(kernel), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 1U);
    QCOMPARE(result.samples_seconds, std::vector<double>(7, 0.05));
    QVERIFY(result.interrupted_share > 0);
  }

  void stopsThatNeverEndAreKnown() {
    // Every call but the warm-up is stopped.
    StandIn kernel{.call_seconds = [](std::int64_t call) { return call == 0 ? 0.05 : 0.08; },
                   .worked_seconds = [](std::int64_t) { return 0.05; }};
    const trial::Measurement result = measure::time_kernel(watched(kernel), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 7U);
    QCOMPARE(result.samples_seconds, std::vector<double>(7, 0.08));
    QVERIFY(std::abs(result.interrupted_share - 0.03 / 0.08) < 1e-9);
    QVERIFY(std::abs(result.uninterrupted_seconds - 0.05) < 1e-9);
  }

  void callsThatWorkLongerAreNotInterrupted() {
    base::Random random(testing::random_seed());
    for (const double seconds : {0.02, 0.05, 0.4}) {
      for (const double threads : {1.0, 8.0}) {
        // Either all threads are slower, or one of them while the others sleep.
        for (const bool all : {true, false}) {
          double last = 0;
          StandIn kernel{.call_seconds = [&](std::int64_t) { return last; },
                         .worked_seconds =
                             [&](std::int64_t) {
                               last = seconds * (1 + 0.9 * random.uniform());
                               return all ? threads * last : (threads - 1) * seconds + last;
                             }};
          const trial::Measurement result = measure::time_kernel(watched(kernel), options_of_test(), 0);
          QCOMPARE(result.preempted_samples, 0U);
          QCOMPARE(result.interrupted_share, 0.0);
        }
      }
    }
  }

  void coldCachesAreNoInterruption() {
    // The warm-up finds its data in the caches, each sample does not.
    StandIn kernel{.call_seconds = [](std::int64_t call) { return call == 0 ? 7e-3 : 16e-3; }};
    trial::MeasureOptions options = options_of_test();
    options.flush_caches = true;
    const trial::Measurement result = measure::time_kernel(watched(kernel), options, 0);
    QCOMPARE(result.preempted_samples, 0U);
    QCOMPARE(result.interrupted_share, 0.0);
    QCOMPARE(kernel.flushes, 7);
  }

  void aMachineThatNeverRestsEndsTheRetries() {
    StandIn kernel{.call_seconds = [](std::int64_t) { return 0.1; }, .disturbed_from = 0};
    const trial::Measurement result = measure::time_kernel(kernel.timed(), options_of_test(), 0);
    QCOMPARE(result.samples_seconds.size(), std::size_t{7});
    QCOMPARE(result.preempted_samples, 7U);
  }

  void flushedRepeatsAreOneCall() {
    StandIn kernel{.call_seconds = [](std::int64_t) { return 1e-5; }};
    trial::MeasureOptions options = options_of_test();
    options.flush_caches = true;
    QCOMPARE(measure::time_kernel(kernel.timed(), options, 0).samples_seconds.size(), std::size_t{7});
    QCOMPARE(kernel.flushes, 7);
    QCOMPARE(kernel.calls, std::int64_t{8});
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureTimingTest)

}  // namespace kernelscape::measure_timing_test
#include "measure_timing_test.moc"
