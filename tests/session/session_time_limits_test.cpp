#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "core/session/time_limits.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_time_limits_test {
using namespace kernelscape::session_tests;

namespace {

/** Of make_space(): below it nothing is valid, and everything hangs. */
constexpr std::uint64_t first_good_index = 1200;

trial::Measurement hangs_below_the_first_good(const space::SearchSpace& space,
                                              const space::Configuration& configuration) {
  trial::Measurement measurement = scripted_measurement(configuration);
  if (space.index_of(configuration) >= first_good_index) return measurement;
  measurement.category = trial::ErrorCategory::RuntimeDevice;
  measurement.message = "lost";
  measurement.samples_seconds.clear();
  measurement.run_seconds = 10;
  return measurement;
}

/** What measuring again gives. */
trial::Measurement always_valid(const space::Configuration& configuration) {
  trial::Measurement measurement;
  measurement.samples_seconds = {scripted_seconds(configuration)};
  return measurement;
}

/** A device that never comes to an end with anything; a second passes whenever it is asked. */
class StuckMeasurer final : public measure::Measurer {
 public:
  Status submit(std::span<const space::Configuration>) override { return {}; }
  Result<std::vector<measure::Completed>> collect(std::chrono::milliseconds) override {
    seconds += 1;
    return std::vector<measure::Completed>();
  }
  measure::BatchProgress progress() const override {
    return {.building = 0, .built = 1, .running = 1, .finished = 0};
  }
  measure::BusyTimes take_busy_times() override { return {}; }
  void abort() override { ++aborts; }
  void set_best_seconds(double) override {}
  void set_run_timeout(double) override {}

  double seconds = 0;
  int aborts = 0;
};

}  // namespace

/** What a session does beside its search ends in time, and says what it left out. */
class SessionTimeLimitsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Bench> bench_;
  std::vector<space::Configuration> confirmed_;
  double max_confirming_seconds_ = 0;

  void make_bench(MeasurementScript script);
  /** A session whose trials leave the space's first three configurations alone. */
  store::SessionId run_beyond_the_first(const MeasurementScript& script);
  trial::Baselines baselines(store::SessionId id) const;
  std::vector<std::string> messages(session::MessageKind kind) const;

 private slots:
  void init();
  void limitsRespectTheBudget();
  void probesThatHangEndInTime();
  void noProbeAfterTheMinutes();
  void whatDoesNotEndInAProbesTimeIsPassedOver();
  void theFirstValidOneNeedsNoOthers();
  void aStopEndsTheProbes();
  void fewerRoundsAreTold();
  void noWholeRoundIsNoConfirmation();
  void aStuckDeviceEndsWithTheBudget();
  void aStuckDeviceEndsAfterAStop();
};

void SessionTimeLimitsTest::make_bench(MeasurementScript script) {
  bench_ = std::make_unique<Bench>(folder_->filePath("test.db").toStdString(), std::move(script));
  bench_->confirmer = [this](std::span<const space::Configuration> configurations,
                             const session::StopRequest&,
                             double max_seconds) -> Result<measure::Confirmations> {
    confirmed_.assign(configurations.begin(), configurations.end());
    max_confirming_seconds_ = max_seconds;
    measure::Confirmations report;
    for (const space::Configuration& configuration : configurations)
      report.configurations.push_back(always_valid(configuration));
    report.rounds = 3;
    return report;
  };
}

void SessionTimeLimitsTest::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  confirmed_.clear();
  make_bench(make_script());
}

trial::Baselines SessionTimeLimitsTest::baselines(store::SessionId id) const {
  return *trial::baselines_from_json(bench_->store.sessions().get(id)->status.vendor_json);
}

std::vector<std::string> SessionTimeLimitsTest::messages(session::MessageKind kind) const {
  std::vector<std::string> texts;
  for (const session::Message& message : bench_->observer.messages) {
    if (message.kind == kind) texts.push_back(message.text);
  }
  return texts;
}

void SessionTimeLimitsTest::limitsRespectTheBudget() {
  const trial::Budget unlimited;
  QCOMPARE(session::probing_seconds(unlimited, 10), session::min_probing_seconds);
  QCOMPARE(session::probing_seconds(unlimited, 3600), 360.0);
  QCOMPARE(session::survey_seconds(unlimited), session::max_survey_seconds);
  QCOMPARE(session::comparing_seconds(unlimited), session::max_comparing_seconds);
  trial::Budget minutes;
  minutes.minutes = 2;
  QCOMPARE(session::probing_seconds(minutes, 115), 5.0);
  QCOMPARE(session::probing_seconds(minutes, 121), 0.0);
  QCOMPARE(session::survey_seconds(minutes), 120.0);
  QCOMPARE(session::comparing_seconds(minutes), 12.0);
  QCOMPARE(session::confirming_seconds(1), session::min_confirming_seconds);
}

void SessionTimeLimitsTest::probesThatHangEndInTime() {
  const session::Setup setup = make_setup("random", 31, 60, 8);
  MeasurementScript script = make_script();
  script.measure = [&](const space::Configuration& c) { return hangs_below_the_first_good(setup.space, c); };
  make_bench(script);
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome);
  QCOMPARE(outcome->status.state, store::SessionState::Done);

  const double searched = bench_->observer.last_status.session_seconds;
  const double limit = session::probing_seconds(setup.budget, searched);
  const double probing = outcome->status.session_seconds - searched;
  // The builds of a chunk, and the run that goes on when time is over.
  constexpr double last_chunk_seconds = 8 * 0.5 + 2;
  QVERIFY2(probing >= limit && probing <= limit + last_chunk_seconds, qPrintable(QString::number(probing)));
  QVERIFY(bench_->measurer.submitted.size() < 60 + 64);
  QVERIFY(bench_->observer.progress_while_confirming > 0);
  QCOMPARE(messages(session::MessageKind::Step).size(), std::size_t(1));
  QCOMPARE(bench_->measurer.run_timeout_seconds(), 0.0);

  // By brute force: the lowest index among the trials that are valid.
  std::optional<base::uint128> lowest;
  const std::vector<trial::Trial> trials = *bench_->store.trials().of(outcome->id);
  for (const trial::Trial& trial : trials) {
    const base::uint128 index = setup.space.index_of(trial.configuration);
    if (trial.measurement.valid() && (!lowest || index < *lowest)) lowest = index;
  }
  const trial::Baselines stored = baselines(outcome->id);
  QVERIFY(lowest && stored.first_valid);
  QVERIFY(stored.first_valid->configuration == setup.space.at(*lowest));
  QVERIFY2(stored.first_valid_reason.contains("the first in that order among the session's own trials"),
           stored.first_valid_reason.c_str());
}

void SessionTimeLimitsTest::noProbeAfterTheMinutes() {
  session::Setup setup = make_setup("random", 32, 0, 8);
  setup.budget.minutes = 1;
  std::size_t submitted = 0;
  bench_->observer.on_event = [&] {
    if (bench_->observer.phases.back() == session::Phase::Confirming)
      submitted = bench_->measurer.submitted.size();
  };
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome);
  QCOMPARE(bench_->measurer.submitted.size(), submitted);
  QVERIFY(messages(session::MessageKind::Step).empty());
  QVERIFY(!confirmed_.empty());
  const trial::Baselines stored = baselines(outcome->id);
  QVERIFY(stored.first_valid);
  QVERIFY2(stored.first_valid_reason.contains("the budget left no time"), stored.first_valid_reason.c_str());
}

store::SessionId SessionTimeLimitsTest::run_beyond_the_first(const MeasurementScript& script) {
  for (std::uint64_t seed = 33; seed < 133; ++seed) {
    make_bench(script);
    const session::Setup setup = make_setup("random", seed, 20, 8);
    const auto outcome = bench_->run(setup);
    if (!outcome) qFatal("%s", describe(outcome.error()).c_str());
    const std::vector<trial::Trial> trials = *bench_->store.trials().of(outcome->id);
    const auto beyond = [&](const trial::Trial& trial) {
      return setup.space.index_of(trial.configuration) > 2;
    };
    if (std::ranges::all_of(trials, beyond)) return outcome->id;
  }
  qFatal("no seed leaves the first configurations alone");
}

void SessionTimeLimitsTest::whatDoesNotEndInAProbesTimeIsPassedOver() {
  const session::Setup setup = make_setup("random", 33, 20, 8);
  MeasurementScript script = make_script();
  script.measure = [&](const space::Configuration& configuration) {
    trial::Measurement measurement;
    measurement.samples_seconds = {scripted_seconds(configuration)};
    measurement.run_seconds = setup.space.index_of(configuration) < 2 ? 9 : 1;
    return measurement;
  };
  const trial::Baselines stored = baselines(run_beyond_the_first(script));
  QVERIFY(stored.first_valid && stored.first_valid->configuration == setup.space.at(2));
  QVERIFY2(stored.first_valid_reason.contains("2 before it"), stored.first_valid_reason.c_str());
}

void SessionTimeLimitsTest::theFirstValidOneNeedsNoOthers() {
  const session::Setup setup = make_setup("random", 33, 20, 8);
  MeasurementScript script;
  script.measure = [&](const space::Configuration& configuration) {
    trial::Measurement measurement;
    measurement.samples_seconds = {scripted_seconds(configuration)};
    measurement.run_seconds = 1;
    return measurement;
  };
  const store::SessionId id = run_beyond_the_first(script);
  // Probes come in order here: one second for the first, none for the others of its chunk.
  const double session_seconds = bench_->store.sessions().get(id)->status.session_seconds;
  QCOMPARE(session_seconds - bench_->observer.last_status.session_seconds, 1.0);
  const trial::Baselines stored = baselines(id);
  QVERIFY(stored.first_valid && stored.first_valid->configuration == setup.space.at(0));
  QVERIFY(stored.first_valid_reason.empty());
}

void SessionTimeLimitsTest::aStopEndsTheProbes() {
  const session::Setup setup = make_setup("random", 34, 60, 8);
  MeasurementScript script = make_script();
  script.measure = [&](const space::Configuration& c) { return hangs_below_the_first_good(setup.space, c); };
  make_bench(script);
  bench_->measurer.on_collect = [this] {
    if (!messages(session::MessageKind::Step).empty()) bench_->stop.stop_gracefully();
  };
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome && outcome->interrupted);
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QVERIFY(confirmed_.empty());
  // At most the chunk's builds and one run.
  QVERIFY(outcome->status.session_seconds - bench_->observer.last_status.session_seconds <= 8 * 0.5 + 2);
}

void SessionTimeLimitsTest::fewerRoundsAreTold() {
  const session::Confirmer whole = bench_->confirmer;
  bench_->confirmer = [&](std::span<const space::Configuration> configurations,
                          const session::StopRequest& stop,
                          double max_seconds) -> Result<measure::Confirmations> {
    Result<measure::Confirmations> report = whole(configurations, stop, max_seconds);
    report->rounds = 2;
    report->out_of_time = true;
    return report;
  };
  const auto outcome = bench_->run(make_setup("random", 35, 20, 8));
  QVERIFY(outcome);
  QVERIFY(max_confirming_seconds_ >= session::min_confirming_seconds);
  QCOMPARE(bench_->store.confirmations().of(outcome->id)->size(), std::size_t(5));
  const std::vector<std::string> problems = messages(session::MessageKind::Problem);
  QVERIFY(std::ranges::any_of(problems, [](const std::string& text) { return text.contains("2 rounds"); }));
}

void SessionTimeLimitsTest::noWholeRoundIsNoConfirmation() {
  bench_->confirmer = [](std::span<const space::Configuration> configurations, const session::StopRequest&,
                         double) -> Result<measure::Confirmations> {
    measure::Confirmations nothing;
    nothing.configurations.resize(configurations.size());
    nothing.out_of_time = true;
    return nothing;
  };
  const auto outcome = bench_->run(make_setup("random", 36, 20, 8));
  QVERIFY(outcome);
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QVERIFY(bench_->store.confirmations().of(outcome->id)->empty());
  const std::vector<std::string> problems = messages(session::MessageKind::Problem);
  QCOMPARE(problems.size(), std::size_t(1));
  QVERIFY2(problems[0].contains("longer than"), problems[0].c_str());
}

void SessionTimeLimitsTest::aStuckDeviceEndsWithTheBudget() {
  StuckMeasurer stuck;
  session::Setup setup = make_setup("random", 37, 0, 8);
  setup.budget.minutes = 1;
  session::Observer observer;
  const auto outcome = session::run_session(
      bench_->store, setup, {stuck, observer, bench_->stop, [&stuck] { return stuck.seconds; }, {}});
  QVERIFY(outcome);
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QVERIFY(stuck.aborts > 0);
  QVERIFY(outcome->status.session_seconds >= 60);
  QVERIFY(outcome->status.session_seconds <=
          60 + setup.options.run_timeout_seconds + session::max_ending_seconds + 2);
}

void SessionTimeLimitsTest::aStuckDeviceEndsAfterAStop() {
  StuckMeasurer stuck;
  const session::Setup setup = make_setup("random", 38, 60, 8);
  session::Observer observer;
  const auto clock = [&] {
    if (stuck.seconds > 5) bench_->stop.stop_gracefully();
    return stuck.seconds;
  };
  const auto outcome = session::run_session(bench_->store, setup, {stuck, observer, bench_->stop, clock, {}});
  QVERIFY(outcome && outcome->interrupted);
  QCOMPARE(outcome->status.state, store::SessionState::Interrupted);
  QVERIFY(outcome->status.session_seconds <=
          6 + setup.options.run_timeout_seconds + session::max_ending_seconds + 2);
}

KERNELSCAPE_PLAIN_TEST(SessionTimeLimitsTest)

}  // namespace kernelscape::session_time_limits_test
#include "session_time_limits_test.moc"
