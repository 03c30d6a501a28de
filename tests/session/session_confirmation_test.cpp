#include <QTemporaryDir>
#include <QTest>

#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_confirmation_test {
using namespace kernelscape::session_tests;

/** The end of a session: the best and the baselines measured again. */
class SessionConfirmationTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Bench> bench_;
  std::vector<std::vector<space::Configuration>> confirmed_;

 private slots:
  void init();
  void theFiveBestAndTheFirstValid();
  void ofEqualMediansTheLowerNumber();
  void aFailedConfirmationIsNoFailure();
  void aStoppedSessionIsNotConfirmed();
  void doneAndUnchangedIsNotConfirmedAgain();
  void anInterruptedConfirmationIsMadeUpFor();
  void noValidTrialNoConfirmation();
  void aLostVendorResultLeavesTheEarlierOne();
  void limitsThatAKernelBeatsAreMeasuredAgain();
  void baselinesSurviveTheirText();
  void damagedBaselinesAreErrors();
};

void SessionConfirmationTest::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  bench_ = std::make_unique<Bench>(folder_->filePath("test.db").toStdString());
  confirmed_.clear();
  bench_->confirmer = [this](std::span<const space::Configuration> configurations,
                             const session::StopRequest&, double) -> Result<measure::Confirmations> {
    confirmed_.emplace_back(configurations.begin(), configurations.end());
    measure::Confirmations report;
    for (const space::Configuration& configuration : configurations) {
      report.configurations.push_back(scripted_measurement(configuration));
    }
    report.vendor.name = "vendor";
    report.vendor.samples_seconds = {1e-4, 2e-4};
    report.busy.run_seconds = 4;
    bench_->measurer.clock().seconds += 5;
    return report;
  };
}

void SessionConfirmationTest::theFiveBestAndTheFirstValid() {
  const session::Setup setup = make_setup("random", 21, 60, 8);
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome);
  QCOMPARE(confirmed_.size(), std::size_t(1));

  // By brute force: the five best trials, and the first index whose measurement is valid.
  std::vector<trial::Trial> trials = *bench_->store.trials().of(outcome->id);
  std::erase_if(trials, [](const trial::Trial& trial) { return !trial.measurement.valid(); });
  std::ranges::stable_sort(trials, {},
                           [](const trial::Trial& trial) { return trial.measurement.median_seconds(); });
  std::uint64_t first = 0;
  while (!scripted_measurement(setup.space.at(first)).valid()) ++first;
  QCOMPARE(confirmed_[0].size(), std::size_t(6));
  for (std::size_t i = 0; i < 5; ++i) QVERIFY(confirmed_[0][i] == trials[i].configuration);
  QVERIFY(confirmed_[0][5] == setup.space.at(first));

  const auto stored = *bench_->store.confirmations().of(outcome->id);
  QCOMPARE(stored.size(), std::size_t(6));
  for (std::size_t i = 0; i < 5; ++i) QCOMPARE(stored[i].trial, trials[i].number);
  QCOMPARE(stored[5].trial, -1);
  const trial::Baselines baselines =
      *trial::baselines_from_json(bench_->store.sessions().get(outcome->id)->status.vendor_json);
  QCOMPARE(baselines.vendor.name, std::string("vendor"));
  QVERIFY(baselines.first_valid->configuration == setup.space.at(first));
  QVERIFY(baselines.first_valid->samples_seconds ==
          scripted_measurement(setup.space.at(first)).samples_seconds);
  // Looking for the first valid one made no trials, but took session time of its own.
  QCOMPARE(outcome->status.trial_count, 60);
  const store::SessionStatus& status = outcome->status;
  QVERIFY(std::fabs(status.session_seconds - (status.build_seconds + status.run_seconds + 1)) < 1e-9);
}

void SessionConfirmationTest::ofEqualMediansTheLowerNumber() {
  MeasurementScript script = make_script();
  script.measure = [](const space::Configuration&) {
    trial::Measurement measurement;
    measurement.samples_seconds = {1e-3};
    return measurement;
  };
  Bench equal(folder_->filePath("equal.db").toStdString(), script);
  equal.confirmer = bench_->confirmer;
  const auto outcome = equal.run(make_setup("random", 22, 30, 8));
  QCOMPARE(outcome->status.best_trial, 0);
  for (std::size_t i = 0; i < 5; ++i) {
    QVERIFY(confirmed_[0][i] ==
            equal.store.trials().get(outcome->id, static_cast<std::int64_t>(i))->configuration);
  }
}

void SessionConfirmationTest::aFailedConfirmationIsNoFailure() {
  bench_->confirmer = [](std::span<const space::Configuration>, const session::StopRequest&,
                         double) -> Result<measure::Confirmations> {
    return fail(ErrorCode::Environment, "the device is gone");
  };
  const auto outcome = bench_->run(make_setup("random", 23, 20, 8));
  QVERIFY(outcome);
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QVERIFY(bench_->store.confirmations().of(outcome->id)->empty());
  std::vector<session::Message> problems = bench_->observer.messages;
  std::erase_if(problems, [](const session::Message& message) {
    return message.kind != session::MessageKind::Problem;
  });
  QCOMPARE(problems.size(), std::size_t(1));
  QVERIFY(problems[0].text.contains("the device is gone"));
}

void SessionConfirmationTest::aStoppedSessionIsNotConfirmed() {
  bench_->observer.on_trial = [this](const trial::Trial& trial) {
    if (trial.batch == 1) bench_->stop.stop_gracefully();
  };
  QVERIFY(bench_->run(make_setup("random", 24, 40, 8))->interrupted);
  QVERIFY(confirmed_.empty());
}

void SessionConfirmationTest::doneAndUnchangedIsNotConfirmedAgain() {
  session::Setup setup = make_setup("random", 25, 20, 8);
  const store::SessionId id = bench_->run(setup)->id;
  QVERIFY(bench_->resume(id, setup));
  QCOMPARE(confirmed_.size(), std::size_t(1));
  setup.budget.trials = 30;
  QVERIFY(bench_->resume(id, setup));
  QCOMPARE(confirmed_.size(), std::size_t(2));
}

void SessionConfirmationTest::anInterruptedConfirmationIsMadeUpFor() {
  const session::Setup setup = make_setup("random", 25, 20, 8);
  const session::Confirmer whole =
      std::exchange(bench_->confirmer,
                    [this](std::span<const space::Configuration>, const session::StopRequest&,
                           double) -> Result<measure::Confirmations> {
                      bench_->stop.stop_gracefully();
                      measure::Confirmations nothing;
                      nothing.interrupted = true;
                      return nothing;
                    });
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome && outcome->interrupted);
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QVERIFY(bench_->store.confirmations().of(outcome->id)->empty());

  Bench again(folder_->filePath("test.db").toStdString());
  again.confirmer = whole;
  QVERIFY(again.resume(outcome->id, setup));
  QVERIFY(again.observer.trials.empty());
  QCOMPARE(again.store.confirmations().of(outcome->id)->size(), std::size_t(6));
}

void SessionConfirmationTest::noValidTrialNoConfirmation() {
  MeasurementScript script = make_script();
  script.measure = [](const space::Configuration&) {
    trial::Measurement measurement;
    measurement.category = trial::ErrorCategory::CompileHost;
    measurement.message = "no";
    return measurement;
  };
  Bench failing(folder_->filePath("failing.db").toStdString(), script);
  failing.confirmer = bench_->confirmer;
  const auto outcome = failing.run(make_setup("nose", 26, 30, 8));
  QVERIFY(outcome);
  QCOMPARE(outcome->status.best_trial, -1);
  QVERIFY(confirmed_.empty());
}

void SessionConfirmationTest::aLostVendorResultLeavesTheEarlierOne() {
  trial::VendorResult surveyed;
  trial::VendorResult confirmed;
  bench_->surveyor = [&](const session::StopRequest&) -> Result<session::Survey> {
    return session::Survey{{}, surveyed};
  };
  bench_->confirmer = [&](std::span<const space::Configuration> configurations, const session::StopRequest&,
                          double) -> Result<measure::Confirmations> {
    measure::Confirmations report;
    for (const space::Configuration& configuration : configurations)
      report.configurations.push_back(scripted_measurement(configuration));
    report.vendor = confirmed;
    return report;
  };
  const auto stored_after = [&](std::uint64_t seed) {
    const auto outcome = bench_->run(make_setup("random", seed, 20, 8));
    return trial::baselines_from_json(bench_->store.sessions().get(outcome->id)->status.vendor_json)->vendor;
  };
  surveyed.name = "library";
  surveyed.samples_seconds = {3e-4};
  confirmed.reason = "no worker of the fleet had an answer in time";
  QVERIFY(stored_after(41) == surveyed);
  confirmed.reason.clear();  // no round reached the library
  QVERIFY(stored_after(42) == surveyed);
  confirmed.name = "library";
  confirmed.samples_seconds = {2e-4, 3e-4};
  QVERIFY(stored_after(43) == confirmed);
  surveyed = {};
  surveyed.reason = "the device was busy";
  QVERIFY(stored_after(44) == confirmed);
  confirmed = {};
  QVERIFY(stored_after(45) == surveyed);
}

void SessionConfirmationTest::limitsThatAKernelBeatsAreMeasuredAgain() {
  trial::MachineLimits surveyed;
  int measured = 0;
  bench_->surveyor = [&](const session::StopRequest&) -> Result<session::Survey> {
    return session::Survey{surveyed, {}};
  };
  bench_->limits = [&] {
    ++measured;
    return trial::MachineLimits{50, 2e3, 7};
  };
  const auto limits_after = [&](std::uint64_t seed) {
    const auto outcome = bench_->run(make_setup("random", seed, 20, 8));
    return trial::baselines_from_json(bench_->store.sessions().get(outcome->id)->status.vendor_json)->limits;
  };
  surveyed = {1e9, 1e18, 1e6};  // no kernel comes near
  QVERIFY(limits_after(31) == surveyed);
  QCOMPARE(measured, 0);
  surveyed = {1e-6, 1e6, 1e6};  // every kernel is above: the machine was busy
  QVERIFY((limits_after(32) == trial::MachineLimits{50, 1e6, 1e6}));
  QCOMPARE(measured, 1);
  bench_->limits = {};
  QVERIFY(limits_after(33) == surveyed);
}

void SessionConfirmationTest::baselinesSurviveTheirText() {
  trial::Baselines baselines;
  baselines.vendor = {"oneDNN 2.6", "jit", "data nchw", {1.5e-3, 1e-3}, 1e-6, ""};
  baselines.first_valid = trial::FirstValid{{{1, 2, 3}}, {0.25}};
  baselines.limits = {100, 1e10, 1e6};
  QVERIFY(*trial::baselines_from_json(trial::baselines_to_json(baselines)) == baselines);
  QVERIFY(!trial::baselines_to_json(baselines).contains("byte_peak"));  // as those of before
  baselines.limits.byte_peak_gflops = 400;
  QVERIFY(*trial::baselines_from_json(trial::baselines_to_json(baselines)) == baselines);
  trial::Baselines none;
  none.vendor.reason = "built without oneDNN";
  none.first_valid_reason = "none is valid";
  QVERIFY(*trial::baselines_from_json(trial::baselines_to_json(none)) == none);
  QVERIFY(*trial::baselines_from_json("") == trial::Baselines());
}

void SessionConfirmationTest::damagedBaselinesAreErrors() {
  for (const char* text : {"x", "[]", "null"}) QVERIFY(!trial::baselines_from_json(text));
  // What is damaged inside is left out.
  const auto partly = trial::baselines_from_json(
      R"({"vendor": {"name": 7, "samples_seconds": [1, "x", -1, 0]}, "first_valid": {"configuration": [-1]}})");
  QVERIFY(partly);
  QCOMPARE(partly->vendor.samples_seconds.size(), std::size_t(1));
  QVERIFY(!partly->first_valid);
}

KERNELSCAPE_PLAIN_TEST(SessionConfirmationTest)

}  // namespace kernelscape::session_confirmation_test
#include "session_confirmation_test.moc"
