#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "core/session/kernel_library.h"
#include "core/session/report.h"
#include "core/session/setup.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_build_only_test {
using namespace kernelscape::session_tests;

namespace {

/** As the scripted one, but kernels that were built were not run. */
trial::Measurement built_measurement(const space::Configuration& configuration) {
  trial::Measurement measurement = scripted_measurement(configuration);
  measurement.samples_seconds.clear();
  measurement.run_seconds = 0;
  return measurement;
}

MeasurementScript build_script() {
  MeasurementScript script = make_script();
  script.measure = built_measurement;
  return script;
}

session::Setup build_only_setup(const std::string& tuner, std::int64_t trials) {
  session::Setup setup = make_setup(tuner, 31, trials, 8);
  setup.target = schedule::default_cuda_target();
  setup.options.build_only = true;
  return setup;
}

}  // namespace

/** Sessions whose kernels are built and never run: no trial is better than another, and nothing breaks. */
class SessionBuildOnlyTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::string path_;

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    path_ = folder_->filePath("test.db").toStdString();
  }

  void everyTunerGoesToTheEnd_data();
  void everyTunerGoesToTheEnd();
  void whatWasBuiltIsNoHistoryOfSpeed();
  void comparingBudgetsAreRefusedOnResume();
};

void SessionBuildOnlyTest::everyTunerGoesToTheEnd_data() {
  QTest::addColumn<QString>("tuner");
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    QTest::newRow(tuner.name.c_str()) << QString::fromStdString(tuner.name);
}

void SessionBuildOnlyTest::everyTunerGoesToTheEnd() {
  QFETCH(QString, tuner);
  constexpr std::int64_t trials = 150;
  const session::Setup setup = build_only_setup(tuner.toStdString(), trials);
  Bench whole(folder_->filePath("whole.db").toStdString(), build_script());
  whole.confirmer = [](std::span<const space::Configuration>, const session::StopRequest&,
                       double) -> Result<measure::Confirmations> {
    return fail(ErrorCode::Internal, "there is nothing to confirm");
  };
  const auto outcome = whole.run(setup);
  QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QCOMPARE(outcome->status.trial_count, trials);
  QCOMPARE(outcome->status.best_trial, std::int64_t{-1});
  QCOMPARE(outcome->status.best_seconds, 0.0);
  // A kernel that does not compile before any other does is said; nothing else is.
  QVERIFY(std::ranges::all_of(whole.observer.messages, [](const session::Message& message) {
    return message.kind == session::MessageKind::Failure;
  }));
  std::int64_t built = 0;
  const std::vector<trial::Trial> stored = *whole.store.trials().of(outcome->id);
  for (const trial::Trial& trial : stored) {
    QVERIFY(trial.measurement == built_measurement(trial.configuration));
    if (trial.measurement.valid()) ++built;
  }
  QVERIFY(built > 0 && built < trials);
  const auto report = session::make_session_report(whole.store, outcome->id);
  QVERIFY2(report, report ? "" : describe(report.error()).c_str());
  QVERIFY(!report->best_trial);
  QCOMPARE(report->errors.of(trial::ErrorCategory::NoError).trials, built);
  QVERIFY(session::best_kernels(whole.store)->kernels.empty());

  Bench stopped(path_, build_script());
  stopped.observer.on_trial = [&](const trial::Trial&) {
    if (stopped.observer.trials.size() == 60) stopped.stop.stop_at_once();
  };
  const store::SessionId id = stopped.run(setup)->id;
  Bench resumed(path_, build_script());
  const auto rest = resumed.resume(id, setup);
  QVERIFY2(rest, rest ? "" : describe(rest.error()).c_str());
  QVERIFY(comparable_trials(resumed.store, id) == comparable_trials(whole.store, outcome->id));
}

void SessionBuildOnlyTest::whatWasBuiltIsNoHistoryOfSpeed() {
  Bench bench(path_, build_script());
  const session::Setup setup = build_only_setup("random", 80);
  const store::SessionId id = bench.run(setup)->id;
  const auto warm = session::warm_start_from(bench.store, id, setup.space, setup.task.flops());
  QVERIFY(warm);
  std::size_t failed = 0;
  const std::vector<trial::Trial> trials = *bench.store.trials().of(id);
  for (const trial::Trial& trial : trials)
    if (!trial.measurement.valid()) ++failed;
  QVERIFY(failed > 0);
  QCOMPARE(warm->observations.size(), failed);
  QVERIFY((warm->source == session::HistorySource{id, 80}));
}

void SessionBuildOnlyTest::comparingBudgetsAreRefusedOnResume() {
  Bench bench(path_, build_script());
  session::Setup setup = build_only_setup("random", 16);
  const store::SessionId id = bench.run(setup)->id;
  setup.budget.trials = 32;
  setup.budget.patience = 4;
  const auto refused = bench.resume(id, setup);
  QVERIFY(!refused);
  QVERIFY2(refused.error().message.contains("--patience"), describe(refused.error()).c_str());
  QVERIFY(!bench.store.sessions().get(id)->owner);
  setup.budget.patience = 0;
  const auto resumed = bench.resume(id, setup);
  QVERIFY2(resumed, resumed ? "" : describe(resumed.error()).c_str());
  QCOMPARE(resumed->status.trial_count, std::int64_t{32});
}

KERNELSCAPE_TEST(SessionBuildOnlyTest, QCoreApplication)

}  // namespace kernelscape::session_build_only_test
#include "session_build_only_test.moc"
