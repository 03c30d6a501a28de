#include <QtTest>

#include "core/base/random.h"
#include "core/trial/adaptive_evaluator.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/measure/stand_in_kernel.h"
#include "tests/test_program.h"

namespace kernelscape::measure_adaptive_test {
using namespace kernelscape::measure_tests;

namespace {

/** As AdaTune's experiments measure. */
trial::MeasureOptions options_of_test(
    trial::AdaptivePerformance performance = trial::AdaptivePerformance::Cumulative) {
  trial::MeasureOptions options = trial::adatune_measuring;
  options.adaptive_performance = performance;
  return options;
}

double variation_after(const std::vector<double>& samples, int batch,
                       trial::AdaptivePerformance performance) {
  trial::MeasureOptions options = options_of_test(performance);
  options.adaptive_batch = batch;
  trial::AdaptiveEvaluator evaluator(options);
  for (const double sample : samples) evaluator.ends_after(sample);
  return evaluator.variation();
}

/** The definition, from all samples anew: performances, without the extremes of more than four, std / mean.
 */
double defined_variation(const std::vector<double>& samples, const trial::MeasureOptions& options) {
  const auto batch = static_cast<std::size_t>(options.adaptive_batch);
  std::vector<double> performances;
  for (std::size_t end = batch; end <= samples.size(); end += batch) {
    const bool cumulative = options.adaptive_performance == trial::AdaptivePerformance::Cumulative;
    const std::size_t begin = cumulative ? 0 : end - batch;
    double seconds = 0;
    for (std::size_t i = begin; i < end; ++i) seconds += samples[i];
    performances.push_back(static_cast<double>(end - begin) / seconds);
  }
  std::ranges::sort(performances);
  if (performances.size() > 4) performances = {performances.begin() + 1, performances.end() - 1};
  double sum = 0;
  for (const double performance : performances) sum += performance;
  const double mean = sum / static_cast<double>(performances.size());
  double squares = 0;
  for (const double performance : performances) squares += std::pow(performance - mean, 2);
  return std::sqrt(squares / static_cast<double>(performances.size())) / mean;
}

/** How many of the samples the definition takes. */
std::size_t defined_count(const std::vector<double>& samples, const trial::MeasureOptions& options) {
  const auto batch = static_cast<std::size_t>(options.adaptive_batch);
  const auto repeats = static_cast<std::size_t>(options.repeats);
  for (std::size_t end = batch * static_cast<std::size_t>(options.adaptive_minimum); end <= repeats;
       end += batch) {
    const std::vector<double> taken(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(end));
    if (defined_variation(taken, options) < options.adaptive_threshold) return end;
  }
  return repeats;
}

/** A kernel whose calls take these times, one call per sample; the warm-up takes as long as the first. */
StandIn kernel_of(const std::vector<double>& samples) {
  return {.call_seconds = [&samples](std::int64_t call) {
    return samples.at(static_cast<std::size_t>(std::max<std::int64_t>(call - 1, 0)));
  }};
}

/** Steady, drifting, in steps, or with outliers. */
std::vector<double> random_samples(base::Random& random, std::size_t count) {
  const double noise = std::pow(10.0, -3 * random.uniform());
  const double drift = random.chance(0.3) ? 0.02 * random.uniform() : 0;
  const bool outliers = random.chance(0.5);
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) {
    double seconds = 1e-3 * (1 + noise * random.uniform() + drift * static_cast<double>(i));
    if (outliers && random.chance(0.02)) seconds *= 20;
    samples.push_back(seconds);
  }
  return samples;
}

}  // namespace

class MeasureAdaptiveTest : public QObject {
  Q_OBJECT

 private slots:
  void variationByHand_data() {
    QTest::addColumn<QList<double>>("samples");
    QTest::addColumn<int>("batch");
    QTest::addColumn<double>("cumulative");
    QTest::addColumn<double>("microBatch");
    // Performances 1/1, 2/3, 3/6 (mean 13/18), and 1, 1/2, 1/3 (mean 11/18).
    QTest::newRow("batches of one") << QList<double>{1, 2, 3} << 1 << 0.28781979898 << 0.46354722851;
    // 2/3 and 4/10, and 2/3 and 2/7.
    QTest::newRow("batches of two") << QList<double>{1, 2, 3, 4} << 2 << 0.25 << 0.4;
    // The fifth sample begins a batch that is not over.
    QTest::newRow("half a batch") << QList<double>{1, 2, 3, 4, 100} << 2 << 0.25 << 0.4;
    QTest::newRow("one batch") << QList<double>{1, 5} << 2 << 0.0 << 0.0;
    QTest::newRow("no batch") << QList<double>{1, 5} << 3 << 0.0 << 0.0;
    // Four keep their extremes: 1, 2/3, 3/5, 4/9, and 1, 1/2, 1/2, 1/4.
    QTest::newRow("four batches") << QList<double>{1, 2, 2, 4} << 1 << 0.29915225559 << 0.48432210484;
    // Five lose 1 and 5/11, which leaves 2/3, 3/5, 4/7; of the others 1 and 1/4, which leaves 1/2.
    QTest::newRow("five batches") << QList<double>{1, 2, 2, 2, 4} << 1 << 0.06512852378 << 0.0;
  }

  void variationByHand() {
    QFETCH(QList<double>, samples);
    QFETCH(int, batch);
    QFETCH(double, cumulative);
    QFETCH(double, microBatch);
    const std::vector<double> seconds(samples.begin(), samples.end());
    const auto close = [](double a, double b) { return std::abs(a - b) < 1e-9; };
    QVERIFY(close(variation_after(seconds, batch, trial::AdaptivePerformance::Cumulative), cumulative));
    QVERIFY(close(variation_after(seconds, batch, trial::AdaptivePerformance::MicroBatch), microBatch));
  }

  void aSteadyKernelTakesTheLeastSamples() {
    for (const auto performance :
         {trial::AdaptivePerformance::Cumulative, trial::AdaptivePerformance::MicroBatch}) {
      StandIn kernel{.call_seconds = [](std::int64_t) { return 1e-3; }};
      const trial::Measurement result = measure::time_kernel(kernel.timed(), options_of_test(performance), 0);
      QCOMPARE(result.samples_seconds, std::vector<double>(150, 1e-3));
      QCOMPARE(result.samples_saved, 350U);
      QCOMPARE(kernel.calls, std::int64_t{151});  // one to warm up
    }
  }

  void theTwoPerformancesDiffer() {
    // Every second micro-batch is twice as slow: the average settles, the micro-batches never agree.
    const auto seconds = [](std::int64_t call) { return (call - 1) / 50 % 2 == 0 ? 1e-3 : 2e-3; };
    StandIn first{.call_seconds = seconds};
    const trial::Measurement cumulative = measure::time_kernel(first.timed(), options_of_test(), 0);
    QVERIFY(cumulative.samples_seconds.size() < 500 && cumulative.samples_saved > 0);
    StandIn second{.call_seconds = seconds};
    const trial::Measurement each =
        measure::time_kernel(second.timed(), options_of_test(trial::AdaptivePerformance::MicroBatch), 0);
    QCOMPARE(each.samples_seconds.size(), std::size_t{500});
    QCOMPARE(each.samples_saved, 0U);
  }

  void withoutItEveryRepeatIsTaken() {
    trial::MeasureOptions options = options_of_test();
    options.adaptive_batch = 0;
    StandIn kernel{.call_seconds = [](std::int64_t) { return 1e-3; }};
    const trial::Measurement result = measure::time_kernel(kernel.timed(), options, 0);
    QCOMPARE(result.samples_seconds.size(), std::size_t{500});
    QCOMPARE(result.samples_saved, 0U);
  }

  void givingUpComesFirstAndSavesNothing() {
    StandIn slow{.call_seconds = [](std::int64_t) { return 0.06; }};
    const trial::Measurement result = measure::time_kernel(slow.timed(), options_of_test(), 0.01);
    QVERIFY(result.cut_short);
    QCOMPARE(result.samples_seconds.size(), std::size_t{1});
    QCOMPARE(result.samples_saved, 0U);
  }

  void preemptedSamplesAreNotLookedAt() {
    // Warm-up, then 40 disturbed calls that are a hundred times slower.
    StandIn kernel{.call_seconds = [](std::int64_t call) { return call >= 1 && call <= 40 ? 0.1 : 1e-3; },
                   .disturbed_from = 1,
                   .disturbed_to = 41};
    const trial::Measurement result = measure::time_kernel(kernel.timed(), options_of_test(), 0);
    QCOMPARE(result.preempted_samples, 40U);
    QCOMPARE(result.samples_seconds, std::vector<double>(150, 1e-3));
    QCOMPARE(result.samples_saved, 350U);
  }

  void samplesMayBeLongAndCachesFlushed() {
    trial::MeasureOptions options = options_of_test();
    options.min_repeat_seconds = 0.02;
    StandIn kernel{.call_seconds = [](std::int64_t) { return 1e-3; }};
    QCOMPARE(measure::time_kernel(kernel.timed(), options, 0).samples_seconds.size(), std::size_t{150});
    QVERIFY(kernel.calls >= 150 * 20);
    options.flush_caches = true;
    StandIn flushed{.call_seconds = [](std::int64_t) { return 1e-3; }};
    QCOMPARE(measure::time_kernel(flushed.timed(), options, 0).samples_seconds.size(), std::size_t{150});
    QCOMPARE(flushed.flushes, 150);
    QCOMPARE(flushed.calls, std::int64_t{151});
  }

  void randomKernelsTakeWhatTheDefinitionTakes() {
    base::Random random(testing::random_seed());
    int ended_early = 0;
    for (int round = 0; round < 400; ++round) {
      trial::MeasureOptions options =
          options_of_test(static_cast<trial::AdaptivePerformance>(random.below(2)));
      options.adaptive_minimum = 2 + static_cast<int>(random.below(5));
      options.adaptive_batch = 1 + static_cast<int>(random.below(12));
      options.repeats =
          options.adaptive_batch * options.adaptive_minimum + 1 + static_cast<int>(random.below(200));
      options.adaptive_threshold = std::pow(10.0, -3 * random.uniform());
      QVERIFY(trial::check_measure_options(options));
      const std::vector<double> samples = random_samples(random, static_cast<std::size_t>(options.repeats));
      StandIn kernel = kernel_of(samples);
      const trial::Measurement result = measure::time_kernel(kernel.timed(), options, 0);
      const std::size_t taken = result.samples_seconds.size();
      QCOMPARE(taken, defined_count(samples, options));
      QVERIFY(taken >= static_cast<std::size_t>(options.adaptive_batch * options.adaptive_minimum));
      QCOMPARE(taken + result.samples_saved, static_cast<std::size_t>(options.repeats));
      if (result.samples_saved > 0) ++ended_early;
    }
    QVERIFY(ended_early > 20 && ended_early < 380);
  }

  void whatCanNeverEndEarlyIsRefused() {
    trial::MeasureOptions options;  // 7 repeats
    options.adaptive_batch = 2;
    QVERIFY(trial::check_measure_options(options));
    options.adaptive_batch = 3;
    const Status refused = trial::check_measure_options(options);
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.contains("3 micro-batches of 3 samples, and a trial has 7"),
             refused.error().message.c_str());
    QVERIFY2(
        refused.error().hint.contains("more than 9 samples") && refused.error().hint.contains("at most 2"),
        refused.error().hint.c_str());
    options.repeats = 9;  // it would end where there is nothing left
    QVERIFY(!trial::check_measure_options(options));
    options.repeats = 10;
    QVERIFY(trial::check_measure_options(options));
    // Nothing overflows, and the way out is not "at most 0".
    options.adaptive_batch = options.adaptive_minimum = std::numeric_limits<int>::max();
    const Status huge = trial::check_measure_options(options);
    QVERIFY(!huge && !huge.error().hint.contains("at most 0"));
    for (const double threshold : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
      trial::MeasureOptions wrong = options_of_test();
      wrong.adaptive_threshold = threshold;
      QVERIFY(!trial::check_measure_options(wrong));
    }
  }

  void theWayOutIsOne() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 500; ++round) {
      trial::MeasureOptions options;
      options.repeats = 1 + static_cast<int>(random.below(60));
      options.adaptive_batch = 1 + static_cast<int>(random.below(30));
      options.adaptive_minimum = 2 + static_cast<int>(random.below(6));
      if (trial::check_measure_options(options)) continue;
      trial::MeasureOptions more = options;
      more.repeats = options.adaptive_batch * options.adaptive_minimum + 1;
      QVERIFY(trial::check_measure_options(more));
      const int largest = (options.repeats - 1) / options.adaptive_minimum;
      const Status refused = trial::check_measure_options(options);
      QCOMPARE(refused.error().hint.contains(" of at most " + std::to_string(largest)), largest > 0);
      options.adaptive_batch = std::max(1, largest);
      QCOMPARE(trial::check_measure_options(options).has_value(), largest > 0);
    }
  }

  void optionsComeBackFromJson() {
    trial::MeasureOptions options = options_of_test(trial::AdaptivePerformance::MicroBatch);
    options.adaptive_threshold = 0.05;
    options.adaptive_minimum = 4;
    QVERIFY(*trial::measure_options_from_json(trial::measure_options_to_json(options)) == options);
    QVERIFY(trial::measure_options_to_json(options).contains("micro-batch"));
    // What earlier sessions stored has no such member, and is written as it was.
    options.adaptive_performance = trial::AdaptivePerformance::Cumulative;
    QVERIFY(!trial::measure_options_to_json(options).contains("adaptive_performance"));
    QVERIFY(*trial::measure_options_from_json(trial::measure_options_to_json(options)) == options);
    // Stored options that make no sense can be read, not used.
    const auto stored = trial::measure_options_from_json(R"({"repeats": 7, "adaptive_batch": 50})");
    QVERIFY(stored && !trial::check_measure_options(*stored));
    for (const char* bad : {R"({"adaptive_performance": 1})", R"({"adaptive_performance": "both"})",
                            R"({"adaptive_batch": -1})", R"({"adaptive_batch": 2.5})",
                            R"({"adaptive_minimum": 1})", R"({"adaptive_threshold": 0})"})
      QVERIFY2(!trial::measure_options_from_json(bad), bad);
  }

  void onlyDifferencesAreTold() {
    QCOMPARE(trial::measure_option_differences(options_of_test(), options_of_test()), std::string("{}"));
    trial::MeasureOptions base;
    base.threads = 2;
    trial::MeasureOptions own = base;
    own.adaptive_batch = 2;
    own.adaptive_performance = trial::AdaptivePerformance::MicroBatch;
    const std::string reported = trial::measure_option_differences(own, base);
    QCOMPARE(reported, std::string(R"({"adaptive_batch":2,"adaptive_performance":"micro-batch"})"));
    QVERIFY(*trial::measure_options_from_json(reported, base) == own);
    const std::vector<std::string> names = trial::measure_option_names();
    for (const char* name : {"threads", "adaptive_batch", "adaptive_performance"})
      QVERIFY(std::ranges::find(names, name) != names.end());
    QVERIFY(std::ranges::find(names, "search_time") == names.end());
  }

  void performancesHaveNames() {
    for (const auto performance :
         {trial::AdaptivePerformance::Cumulative, trial::AdaptivePerformance::MicroBatch})
      QVERIFY(*trial::parse_adaptive_performance(trial::to_string(performance)) == performance);
    const auto unknown = trial::parse_adaptive_performance("microbatch");
    QVERIFY(!unknown && unknown.error().hint.contains("micro-batch"));
  }
};

KERNELSCAPE_PLAIN_TEST(MeasureAdaptiveTest)

}  // namespace kernelscape::measure_adaptive_test
#include "measure_adaptive_test.moc"
