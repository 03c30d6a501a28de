#include <QTemporaryDir>
#include <QTest>

#include "core/trial/recording_builder.h"
#include "core/trial/replayed_samples.h"
#include "tests/session/replay_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_replay_samples_test {
using namespace kernelscape::session_tests;

namespace {

constexpr int recorded_repeats = 10;
constexpr int calls = 50;

bool close_to(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max({1.0, a, b}); }

/** Ten sums of 50 calls of what works; half of the kernels are noisy, a third fails. */
trial::Measurement sums_of_calls(const space::Configuration& configuration) {
  const std::uint64_t hash = hash_of(configuration);
  trial::Measurement measurement;
  measurement.build_seconds = 0.1 + static_cast<double>(hash % 977) * 1e-3;
  if (hash % 3 == 0) {
    measurement.category = static_cast<trial::ErrorCategory>(1 + hash / 3 % 8);
    return measurement;
  }
  base::Random random(hash);
  double seconds = 0;
  for (int i = 0; i < recorded_repeats; ++i) {
    const double noise = hash % 2 == 0 ? 0.01 : 3;
    measurement.samples_seconds.push_back(scripted_seconds(configuration) * (1 + noise * random.uniform()));
    seconds += measurement.samples_seconds.back() * calls;
  }
  measurement.run_seconds = seconds + 0.05;
  return measurement;
}

std::shared_ptr<const trial::Recording> recorded_sums() {
  const space::SearchSpace space = make_space();
  trial::RecordingHeader header = recorded_header(2, false);
  trial::MeasureOptions options;
  options.repeats = recorded_repeats;
  options.calls_per_sample = calls;
  options.min_repeat_seconds = 0;
  options.give_up_factor = 0;
  header.options_json = trial::measure_options_to_json(options);
  trial::RecordingBuilder builder(header, space);
  for (base::uint128 index = 0; index < space.size(); ++index)
    if (!builder.add(space.at(index), sums_of_calls(space.at(index)))) std::abort();
  return *builder.build();
}

session::TuningRequest sampling_request(const std::string& tuner, const trial::MeasureOptions& sampling) {
  session::TuningRequest request = replay_request(tuner, 5, 150);
  const trial::SearchTime search_time = request.measuring.search_time;
  request.measuring = sampling;
  request.measuring.replay_samples = true;
  request.measuring.search_time = search_time;
  return request;
}

trial::MeasureOptions fixed(int repeats, double give_up_factor = 0) {
  trial::MeasureOptions options;
  options.repeats = repeats;
  options.give_up_factor = give_up_factor;
  return options;
}

trial::MeasureOptions evaluated(trial::AdaptivePerformance performance) {
  trial::MeasureOptions options = fixed(recorded_repeats);
  options.adaptive_batch = calls;
  options.adaptive_performance = performance;
  return options;
}

}  // namespace

/** Replays that take fewer samples than were recorded. */
class SessionReplaySamplesTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ReplayBench> bench_;
  std::shared_ptr<const trial::Recording> recording_ = recorded_sums();

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<ReplayBench>(folder_->filePath("test.db").toStdString());
  }

  void trialsHaveTheSamplesThatWereTaken_data() {
    QTest::addColumn<trial::MeasureOptions>("sampling");
    QTest::newRow("one") << fixed(1);
    QTest::newRow("three") << fixed(3);
    QTest::newRow("more than there are") << fixed(1000);
    QTest::newRow("given up") << fixed(4, 1.5);
    QTest::newRow("adaptive") << evaluated(trial::AdaptivePerformance::Cumulative);
    QTest::newRow("adaptive, micro-batches") << evaluated(trial::AdaptivePerformance::MicroBatch);
  }

  void trialsHaveTheSamplesThatWereTaken() {
    QFETCH(trial::MeasureOptions, sampling);
    for (const char* tuner : {"random", "ga"}) {
      const auto outcome = bench_->run(sampling_request(tuner, sampling), recording_);
      VERIFY_RESULT(outcome);
      compare_with_rules(outcome->id);
      const auto again = bench_->run(sampling_request(tuner, sampling), recording_);
      VERIFY_RESULT(again);
      QVERIFY(*bench_->store.trials().of(again->id) == *bench_->store.trials().of(outcome->id));
    }
  }

  void resumedEqualsWhole() {
    for (const trial::MeasureOptions& sampling :
         {fixed(2, 1.3), evaluated(trial::AdaptivePerformance::MicroBatch)}) {
      const auto whole = bench_->run(sampling_request("random", sampling), recording_);
      VERIFY_RESULT(whole);
      session::TuningRequest request = sampling_request("random", sampling);
      request.budget.minutes = bench_->store.sessions().get(whole->id)->status.session_seconds / 60 / 2;
      const auto cut = bench_->run(request, recording_);
      VERIFY_RESULT(cut);
      QVERIFY(cut->status.trial_count < whole->status.trial_count);
      VERIFY_RESULT(bench_->resume(cut->id, [](trial::Budget& budget) { budget.minutes = 1e5; }));
      const auto trials = *bench_->store.trials().of(cut->id);
      const auto expected = *bench_->store.trials().of(whole->id);
      QCOMPARE(trials.size(), expected.size());
      for (std::size_t i = 0; i < trials.size(); ++i) {
        QVERIFY(trials[i].configuration == expected[i].configuration);
        QVERIFY(trials[i].measurement == expected[i].measurement);
        QVERIFY(close_to(trials[i].finished_seconds, expected[i].finished_seconds));
      }
      compare_with_rules(cut->id);
    }
  }

  void othersAreReplayedAsTheyWereRecorded() {
    // Repeats that nobody asked to be taken say nothing: requests always have some.
    session::TuningRequest request = replay_request("random", 5, 150);
    request.measuring.repeats = 2;
    const auto outcome = bench_->run(request, recording_);
    VERIFY_RESULT(outcome);
    const auto trials = *bench_->store.trials().of(outcome->id);
    for (const trial::Trial& trial : trials) QVERIFY(trial.measurement == sums_of_calls(trial.configuration));
    QVERIFY(!bench_->store.sessions().get(outcome->id)->record.options_json.contains("replay_samples"));
  }

  void theRequestIsToldAgain() {
    const auto outcome = bench_->run(sampling_request("random", fixed(3, 2)), recording_);
    VERIFY_RESULT(outcome);
    const auto request = session::request_of(bench_->store.sessions().get(outcome->id)->record);
    VERIFY_RESULT(request);
    QVERIFY(request->measuring.replay_samples);
    const std::string line = session::command_line_of(*request);
    QVERIFY2(line.contains("--repeats 3") && line.contains("--give-up 2"), line.c_str());
    const auto again = bench_->run(*request, recording_);
    VERIFY_RESULT(again);
    QVERIFY(*bench_->store.trials().of(again->id) == *bench_->store.trials().of(outcome->id));
  }

  void whatHasNoSamplesIsRefused() {
    const auto own_objective = make_recording(RecordedSpace::Complete);
    const auto refused = bench_->run(sampling_request("random", fixed(2)), own_objective);
    QVERIFY(!refused);
    QVERIFY(refused.error().message.contains("fewer samples"));
    QVERIFY(!refused.error().hint.empty());
    // An evaluator that could never end a trial, by the recording's own calls.
    trial::MeasureOptions long_batches = evaluated(trial::AdaptivePerformance::Cumulative);
    long_batches.adaptive_batch = 4 * calls;
    QVERIFY(!bench_->run(sampling_request("random", long_batches), recording_));
  }

 private:
  /** Samples, clock and best against the recording, trial by trial. */
  void compare_with_rules(store::SessionId id) {
    const auto session = *bench_->store.sessions().get(id);
    const trial::MeasureOptions options = *trial::stored_measure_options(session.record.options_json);
    const auto trials = *bench_->store.trials().of(id);
    const auto rows = *bench_->store.trials().rows(id);
    QCOMPARE(rows.size(), trials.size());
    double now = 0;
    double best = 0;
    double run_seconds = 0;
    std::size_t number = 0;
    std::vector<trial::Measurement> wave;
    const auto end_wave = [&] {
      const std::vector<double> finished = simulated_wave(wave, 2, false);
      for (std::size_t i = 0; i < wave.size(); ++i)
        QVERIFY(close_to(trials[number - wave.size() + i].finished_seconds, now + finished[i]));
      now += *std::ranges::max_element(finished);
      wave.clear();
    };
    for (const trial::Trial& trial : trials) {
      // Batches are even: none ends within a wave of two builders.
      if (wave.size() == 2) end_wave();
      trial::Measurement expected = sums_of_calls(trial.configuration);
      const std::vector<double> all = expected.samples_seconds;
      const trial::ReplayedSamples taken = trial::replayed_samples(all, options, best);
      expected.samples_seconds.resize(taken.taken);
      expected.cut_short = expected.valid() && taken.cut_short;
      expected.samples_saved = taken.saved;
      for (std::size_t i = taken.taken; i < all.size(); ++i) expected.run_seconds -= all[i] * calls;
      QVERIFY(close_to(trial.measurement.run_seconds, expected.run_seconds));
      expected.run_seconds = trial.measurement.run_seconds;
      QVERIFY(trial.measurement == expected);
      QCOMPARE(rows[number].median_seconds, expected.median_seconds());
      QCOMPARE(std::size_t{rows[number].sample_count}, taken.taken);
      QCOMPARE(rows[number].run_seconds, expected.run_seconds);
      run_seconds += expected.run_seconds;
      const double seconds = expected.median_seconds();
      if (expected.valid() && (best == 0 || seconds < best)) best = seconds;
      wave.push_back(expected);
      ++number;
    }
    if (!wave.empty()) end_wave();
    QCOMPARE(session.status.best_seconds, best);
    QVERIFY(close_to(session.status.run_seconds, run_seconds));
    QVERIFY(close_to(session.status.session_seconds, now));
  }
};

KERNELSCAPE_TEST(SessionReplaySamplesTest, QCoreApplication)

}  // namespace kernelscape::session_replay_samples_test
#include "session_replay_samples_test.moc"
