#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/random.h"
#include "core/trial/replayed_samples.h"
#include "tests/test_program.h"

namespace kernelscape::trial_replayed_samples_test {

namespace {

base::Random seeded_random() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return base::Random(seed);
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool nearly(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max({1e-3, a, b}); }

/** std / mean in the population's form, without the extremes of more than four. */
double variation_of(std::vector<double> performances) {
  if (performances.size() > 4) {
    performances.erase(std::ranges::min_element(performances));
    performances.erase(std::ranges::max_element(performances));
  }
  const auto n = static_cast<double>(performances.size());
  double mean = 0;
  for (const double performance : performances) mean += performance / n;
  double squares = 0;
  for (const double performance : performances) squares += (performance - mean) * (performance - mean) / n;
  return std::sqrt(squares) / mean;
}

/** AdaTune's rule, each micro-batch read from the samples themselves. @return samples taken */
std::size_t adaptive_end(const std::vector<double>& samples, std::size_t most,
                         const trial::MeasureOptions& options) {
  const std::size_t calls =
      options.calls_per_sample > 0 ? static_cast<std::size_t>(options.calls_per_sample) : 1;
  const std::size_t batch = static_cast<std::size_t>(options.adaptive_batch) / calls;
  for (std::size_t batches = static_cast<std::size_t>(options.adaptive_minimum); batches * batch <= most;
       ++batches) {
    std::vector<double> performances;
    for (std::size_t i = 1; i <= batches; ++i) {
      const std::size_t first =
          options.adaptive_performance == trial::AdaptivePerformance::Cumulative ? 0 : (i - 1) * batch;
      double seconds = 0;
      for (std::size_t sample = first; sample < i * batch; ++sample) seconds += samples[sample];
      performances.push_back(static_cast<double>(i * batch - first) / seconds);
    }
    if (variation_of(performances) < options.adaptive_threshold) return batches * batch;
  }
  return most;
}

double calls_of(const std::vector<double>& samples, const trial::MeasureOptions& options) {
  if (options.calls_per_sample > 0) return options.calls_per_sample;
  return std::max(1.0, std::ceil(options.min_repeat_seconds / median_of(samples)));
}

std::vector<double> random_samples(base::Random& random) {
  std::vector<double> samples(1 + random.below(30));
  const double level = 1e-4 * (1 + random.uniform());
  const double noise = random.chance(0.5) ? 0.02 : 1.5;
  for (double& sample : samples) sample = level * (1 + noise * random.uniform());
  return samples;
}

trial::MeasureOptions random_options(base::Random& random) {
  trial::MeasureOptions options;
  options.replay_samples = true;
  options.repeats = 1 + static_cast<int>(random.below(40));
  options.give_up_factor = random.chance(0.5) ? 0 : 1 + 3 * random.uniform();
  options.calls_per_sample = random.chance(0.5) ? 0 : 1 + static_cast<int>(random.below(60));
  options.min_repeat_seconds = random.chance(0.3) ? 0 : 1e-3 * random.uniform();
  if (random.chance(0.7)) {
    const int samples = 1 + static_cast<int>(random.below(4));
    options.adaptive_batch = samples * std::max(1, options.calls_per_sample);
    options.adaptive_minimum = 2 + static_cast<int>(random.below(3));
    options.adaptive_threshold = 0.01 + 0.3 * random.uniform();
    options.adaptive_performance = static_cast<trial::AdaptivePerformance>(random.below(2));
  }
  return options;
}

}  // namespace

/** Fewer of the recorded samples, against the rules written out. */
class TrialReplayedSamplesTest : public QObject {
  Q_OBJECT

 private slots:
  void samplesAreTakenByTheRulesOfTiming() {
    base::Random random = seeded_random();
    for (int round = 0; round < 3000; ++round) {
      const std::vector<double> samples = random_samples(random);
      const trial::MeasureOptions options = random_options(random);
      const double best = random.chance(0.3) ? 0 : 5e-5 * (1 + 3 * random.uniform());
      const std::size_t most = std::min(samples.size(), static_cast<std::size_t>(options.repeats));
      const bool gives_up =
          options.give_up_factor > 0 && best > 0 && samples[0] > options.give_up_factor * best;
      std::size_t taken = most;
      if (gives_up)
        taken = 1;
      else if (options.adaptive_batch > 0)
        taken = adaptive_end(samples, most, options);
      const trial::ReplayedSamples replayed = trial::replayed_samples(samples, options, best);
      QCOMPARE(replayed.taken, taken);
      QCOMPARE(replayed.cut_short, gives_up);
      QCOMPARE(std::size_t{replayed.saved}, gives_up ? std::size_t{0} : most - taken);
      double not_run = 0;
      for (std::size_t i = taken; i < samples.size(); ++i) not_run += samples[i] * calls_of(samples, options);
      QVERIFY(nearly(replayed.seconds_not_run, not_run));
    }
  }

  void aFixedNumberTakesTheFirstOnes() {
    const std::vector<double> samples{4, 1, 3, 2, 9};
    trial::MeasureOptions options;
    options.give_up_factor = 0;
    options.calls_per_sample = 50;
    options.repeats = 3;
    const trial::ReplayedSamples three = trial::replayed_samples(samples, options, 1);
    QVERIFY(three ==
            (trial::ReplayedSamples{.taken = 3, .cut_short = false, .saved = 0, .seconds_not_run = 550}));
    trial::Row row{.sample_count = 5, .median_seconds = 3, .run_seconds = 1000};
    trial::take_samples(row, samples, three);
    QCOMPARE(int{row.sample_count}, 3);
    QCOMPARE(row.median_seconds, 3.0);
    QCOMPARE(row.first_quartile_seconds, 2.0);
    QCOMPARE(row.third_quartile_seconds, 3.5);
    QCOMPARE(row.run_seconds, 450.0);
    // What lasted longer than the whole run said costs nothing, never less.
    row.run_seconds = 100;
    trial::take_samples(row, samples, three);
    QCOMPARE(row.run_seconds, 0.0);
  }

  void errorsStayAsTheyAre() {
    trial::Row row{.category = trial::ErrorCategory::RunTimeout, .run_seconds = 2};
    const trial::ReplayedSamples none = trial::replayed_samples({}, {}, 1);
    QVERIFY(none == trial::ReplayedSamples());
    trial::take_samples(row, {}, none);
    QCOMPARE(row.run_seconds, 2.0);
    trial::Measurement failed;
    failed.category = trial::ErrorCategory::WrongAnswer;
    failed.run_seconds = 3;
    trial::take_samples(failed, none);
    QCOMPARE(failed.run_seconds, 3.0);
    QVERIFY(!failed.cut_short);
  }

  void sumsOfCallsAreMicroBatches() {
    // Ten sums of 50 calls: the evaluator's micro-batch of 50 calls is one of them, and its least are three.
    trial::MeasureOptions options;
    options.repeats = 10;
    options.calls_per_sample = 50;
    options.give_up_factor = 0;
    options.adaptive_batch = 50;
    QCOMPARE(options.micro_batch_samples(), 1);
    QVERIFY(trial::check_measure_options(options));
    const std::vector<double> steady(10, 1e-3);
    QCOMPARE(trial::replayed_samples(steady, options, 0).taken, std::size_t{3});
    QCOMPARE(trial::replayed_samples(steady, options, 0).saved, std::uint32_t{7});
    options.adaptive_batch = 75;
    const Status part = trial::check_measure_options(options);
    QVERIFY(!part);
    QVERIFY(part.error().hint.contains("50"));
  }

  void whatIsNotAskedForIsNotStored() {
    // As a session of before stored its options: nothing of the new ones is written beside them.
    const trial::MeasureOptions usual;
    const std::string text = trial::measure_options_to_json(usual);
    for (const char* name : {"calls_per_sample", "beyond_limits", "replay_samples"})
      QVERIFY2(!text.contains(name), name);
    trial::MeasureOptions all;
    all.calls_per_sample = 50;
    all.beyond_limits = true;
    all.replay_samples = true;
    QVERIFY(*trial::measure_options_from_json(trial::measure_options_to_json(all)) == all);
    QVERIFY(!trial::stored_measure_options(text)->replay_samples);
    for (const char* bad : {R"({"calls_per_sample": -1})", R"({"calls_per_sample": 1000001})",
                            R"({"beyond_limits": 1})", R"({"replay_samples": "yes"})"})
      QVERIFY2(!trial::measure_options_from_json(bad), bad);
    all = {};
    all.flush_caches = true;
    all.calls_per_sample = 2;
    QVERIFY(!trial::check_measure_options(all));
    all.calls_per_sample = 1;
    QVERIFY(trial::check_measure_options(all));
  }
};

KERNELSCAPE_PLAIN_TEST(TrialReplayedSamplesTest)

}  // namespace kernelscape::trial_replayed_samples_test
#include "trial_replayed_samples_test.moc"
