#include <QtTest>

#include "core/measure/timing.h"

using namespace kernelscape;

namespace {

/** A kernel on a clock of its own. */
struct StandIn {
  std::function<double(std::int64_t call)> call_seconds;  ///< of the n-th call
  std::int64_t calls = 0;
  std::vector<std::int64_t> regions = {};
  std::vector<double> region_seconds = {};
  std::uint64_t switches = 0;
  std::size_t disturbed_from = SIZE_MAX;  ///< regions from here on are preempted
  std::size_t disturbed_to = SIZE_MAX;
  int flushes = 0;

  TimedKernel timed() {
    return {.run =
                [this](std::int64_t count) {
                  double seconds = 0;
                  for (std::int64_t i = 0; i < count; ++i) seconds += call_seconds(calls++);
                  if (regions.size() >= disturbed_from && regions.size() < disturbed_to) ++switches;
                  regions.push_back(count);
                  region_seconds.push_back(seconds);
                  return seconds;
                },
            .preemptions = [this] { return switches; },
            .flush_caches = [this] { ++flushes; }};
  }
};

MeasureOptions options_of_test() {
  MeasureOptions options;
  options.repeats = 7;
  options.min_repeat_seconds = 0.02;
  options.give_up_factor = 5;
  return options;
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
    const TimingResult result = time_kernel(kernel.timed(), options_of_test(), 0);
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
    MeasureOptions options = options_of_test();
    options.repeats = 1;
    const TimingResult result = time_kernel(kernel.timed(), options, 0);
    double seconds = 0;
    std::int64_t calls = 0;
    for (std::size_t i = kernel.regions.size(); i-- > 0 && seconds < options.min_repeat_seconds;) {
      seconds += kernel.region_seconds[i];
      calls += kernel.regions[i];
    }
    QVERIFY(seconds >= options.min_repeat_seconds);
    QVERIFY(std::abs(result.samples_seconds.at(0) - seconds / static_cast<double>(calls)) < 1e-12);
  }

  void aKernelBelowTheClocksStepHasASample() {
    StandIn kernel{.call_seconds = [](std::int64_t) { return 0.0; }};
    MeasureOptions options = options_of_test();
    options.min_repeat_seconds = 0;
    for (const double sample : time_kernel(kernel.timed(), options, 0).samples_seconds) QVERIFY(sample > 0);
  }

  void aSlowFirstSampleIsTheOnlyOne() {
    StandIn slow{.call_seconds = [](std::int64_t) { return 0.051; }};
    const TimingResult cut = time_kernel(slow.timed(), options_of_test(), 0.01);
    QVERIFY(cut.cut_short);
    QCOMPARE(cut.samples_seconds.size(), std::size_t{1});
    StandIn allowed{.call_seconds = [](std::int64_t) { return 0.049; }};
    QVERIFY(!time_kernel(allowed.timed(), options_of_test(), 0.01).cut_short);
    MeasureOptions never = options_of_test();
    never.give_up_factor = 0;
    StandIn endless{.call_seconds = [](std::int64_t) { return 1.0; }};
    QCOMPARE(time_kernel(endless.timed(), never, 0.01).samples_seconds.size(), std::size_t{7});
  }

  void preemptedRepeatsAreTakenAgain() {
    // The warm-up is region 0, the first two repeats are disturbed.
    StandIn kernel{.call_seconds = [](std::int64_t call) { return call == 1 || call == 2 ? 0.9 : 0.1; },
                   .disturbed_from = 1,
                   .disturbed_to = 3};
    const TimingResult result = time_kernel(kernel.timed(), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 2U);
    QCOMPARE(result.samples_seconds, std::vector<double>(7, 0.1));
  }

  void aMachineThatNeverRestsEndsTheRetries() {
    StandIn kernel{.call_seconds = [](std::int64_t) { return 0.1; }, .disturbed_from = 0};
    const TimingResult result = time_kernel(kernel.timed(), options_of_test(), 0);
    QCOMPARE(result.samples_seconds.size(), std::size_t{7});
    QCOMPARE(result.preempted_samples, 7U);
  }

  void flushedRepeatsAreOneCall() {
    StandIn kernel{.call_seconds = [](std::int64_t) { return 1e-5; }};
    MeasureOptions options = options_of_test();
    options.flush_caches = true;
    QCOMPARE(time_kernel(kernel.timed(), options, 0).samples_seconds.size(), std::size_t{7});
    QCOMPARE(kernel.flushes, 7);
    QCOMPARE(kernel.calls, std::int64_t{8});
  }

  void steadyKernelsEndEarly() {
    MeasureOptions options = options_of_test();
    options.repeats = 100;
    options.adaptive_batch = 5;
    options.adaptive_minimum = 3;
    StandIn steady{.call_seconds = [](std::int64_t) { return 0.1; }};
    const TimingResult result = time_kernel(steady.timed(), options, 0);
    QCOMPARE(result.samples_seconds.size(), std::size_t{15});
    QCOMPARE(result.samples_saved, 85U);
    // Ever slower: the performance up to each batch keeps falling.
    StandIn drifting{
        .call_seconds = [](std::int64_t call) { return 0.1 * static_cast<double>(1 + call * call); }};
    const TimingResult unsteady = time_kernel(drifting.timed(), options, 0);
    QVERIFY(unsteady.samples_seconds.size() > 15);
    QCOMPARE(unsteady.samples_saved + unsteady.samples_seconds.size(), std::size_t{100});
  }

  void variationIsThatOfCumulativePerformance() {
    // Batches of one: performances 1/1, 2/3, 3/6 = 1, 0.6667, 0.5; mean 0.7222, deviation 0.2079.
    QVERIFY(std::abs(performance_variation({1, 2, 3}, 1) - 0.20786985482 / 0.72222222222) < 1e-9);
    // Batches of two: 2/3 and 4/10.
    QVERIFY(std::abs(performance_variation({1, 2, 3, 4}, 2) - 0.13333333333 / 0.53333333333) < 1e-9);
    // More than four: the highest (1) and the lowest are left out.
    QVERIFY(performance_variation({1, 2, 2, 2, 2}, 1) < performance_variation({1, 2, 2, 2}, 1));
  }
};

QTEST_APPLESS_MAIN(MeasureTimingTest)
#include "measure_timing_test.moc"
