#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "core/session/failure_advice.h"
#include "core/session/report.h"
#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_failures_test {
using namespace kernelscape::session_tests;

namespace {

/** As a compiler says it of a source that no configuration makes valid, with a number of the configuration.
 */
trial::Measurement never_compiles(const space::Configuration& configuration) {
  trial::Measurement measurement;
  measurement.category = trial::ErrorCategory::CompileHost;
  measurement.build_seconds = 0.5;
  measurement.message = fmt::format(
      "scale.c: In function 'scale':\nscale.c:3:7: warning: unused variable\n"
      "scale.c:12:5: error: no tile of {} in 'BLOK'\n",
      hash_of(configuration) % 100);
  return measurement;
}

MeasurementScript script_of(std::function<trial::Measurement(const space::Configuration&)> measure) {
  MeasurementScript script;
  script.measure = std::move(measure);
  script.shuffle_seed = 5;
  return script;
}

std::vector<std::string> failures_reported(const Bench& bench) {
  std::vector<std::string> texts;
  for (const session::Message& message : bench.observer.messages)
    if (message.kind == session::MessageKind::Failure) texts.push_back(message.text);
  return texts;
}

}  // namespace

/** Sessions of which nothing succeeds: what is told at once, and when they end. */
class SessionFailuresTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  int benches_ = 0;

  std::unique_ptr<Bench> bench_of(std::function<trial::Measurement(const space::Configuration&)> measure) {
    const QString path = folder_.filePath(QString("failures%1.db").arg(benches_++));
    return std::make_unique<Bench>(path.toStdString(), script_of(std::move(measure)));
  }

 private slots:
  void it_ends_behind_the_batch_in_which_enough_failed_alike_data() {
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("trials");
    QTest::newRow("one at a time") << 1 << 8;
    QTest::newRow("small batches") << 3 << 9;
    QTest::newRow("one batch") << 64 << 64;
  }

  void it_ends_behind_the_batch_in_which_enough_failed_alike() {
    QFETCH(int, batch);
    QFETCH(int, trials);
    const auto bench = bench_of(never_compiles);
    const auto outcome = bench->run(make_setup("random", 1, 200, batch));
    QVERIFY(outcome);
    QCOMPARE(outcome->status.state, store::SessionState::Done);
    QCOMPARE(outcome->status.state_reason, std::string(trial::identical_failures_reason));
    QVERIFY(session::failed_identically(outcome->status));
    QVERIFY(!outcome->interrupted);
    QCOMPARE(outcome->status.trial_count, trials);
  }

  void the_first_failure_is_reported_at_once_and_once() {
    const auto bench = bench_of(never_compiles);
    std::size_t notified_after = 0;
    bench->observer.on_trial = [&](const trial::Trial&) {
      if (failures_reported(*bench).empty()) notified_after = bench->observer.trials.size();
    };
    QVERIFY(bench->run(make_setup("random", 1, 200, 16)));
    QCOMPARE(notified_after, std::size_t{1});
    const std::vector<std::string> reported = failures_reported(*bench);
    QCOMPARE(reported.size(), std::size_t{1});
    QVERIFY2(reported.front().contains("does not compile: scale.c:12:5: error: no tile of"),
             reported.front().c_str());
  }

  void a_resumed_session_ends_alike_until_it_is_to_keep_going() {
    const auto bench = bench_of(never_compiles);
    session::Setup setup = make_setup("random", 1, 40, 8);
    const store::SessionId id = bench->run(setup)->id;
    setup.budget.trials = 60;
    const auto same = bench->resume(id, setup);
    QVERIFY(same);
    QVERIFY(session::failed_identically(same->status));
    QCOMPARE(same->status.trial_count, 8);
    QCOMPARE(failures_reported(*bench).size(), std::size_t{1});
    setup.budget.identical_failures = 0;
    const auto more = bench->resume(id, setup);
    QVERIFY(more);
    QCOMPARE(more->status.state_reason, std::string("60 trials"));
    QVERIFY(!session::failed_identically(more->status));
    // It was asked for once, and is stored.
    const trial::BudgetPlan plan =
        *trial::budget_plan_from_json(bench->store.sessions().get(id)->record.budget_json);
    QCOMPARE(plan.budget.identical_failures, 0);
  }

  void an_interruption_changes_nothing() {
    const auto whole = bench_of(never_compiles);
    const auto cut = bench_of(never_compiles);
    const session::Setup setup = make_setup("random", 7, 100, 12);
    const auto outcome = whole->run(setup);
    cut->observer.on_trial = [&](const trial::Trial&) {
      if (cut->observer.trials.size() == 5) cut->stop.stop_at_once();
    };
    const store::SessionId id = cut->run(setup)->id;
    QVERIFY(cut->store.sessions().get(id)->status.trial_count < 12);
    Bench again(cut->store.path(), script_of(never_compiles));
    const auto resumed = again.resume(id, setup);
    QVERIFY(resumed);
    QCOMPARE(resumed->status.state_reason, outcome->status.state_reason);
    QVERIFY(comparable_trials(again.store, id) == comparable_trials(whole->store, outcome->id));
    QVERIFY(failures_reported(again).empty());  // its user was told before
  }

  void one_success_or_another_failure_keeps_it_going_data() {
    QTest::addColumn<int>("category");
    QTest::newRow("a success") << 0;
    QTest::newRow("a crash") << static_cast<int>(trial::ErrorCategory::RuntimeDevice);
  }

  void one_success_or_another_failure_keeps_it_going() {
    QFETCH(int, category);
    const space::Configuration odd_one = [&] {
      const auto bench = bench_of(never_compiles);
      return bench->store.trials().of(bench->run(make_setup("random", 1, 200, 8))->id)->at(6).configuration;
    }();
    const auto bench = bench_of([&](const space::Configuration& configuration) {
      trial::Measurement measurement = never_compiles(configuration);
      if (configuration != odd_one) return measurement;
      measurement.category = static_cast<trial::ErrorCategory>(category);
      measurement.message = category == 0 ? "" : "SIGSEGV (Segmentation fault)";
      if (category == 0) measurement.samples_seconds = {1e-3};
      return measurement;
    });
    const auto outcome = bench->run(make_setup("random", 1, 40, 8));
    QVERIFY(outcome);
    QCOMPARE(outcome->status.state_reason, std::string("40 trials"));
  }

  /** Which configurations a device or a launch refuses is decided by their values. */
  void what_was_refused_before_it_was_built_does_not_count() {
    const auto refused = [](const space::Configuration&) {
      trial::Measurement measurement;
      measurement.category = trial::ErrorCategory::InstantiationError;
      measurement.message = "the number of threads of a block is 2048, over the device's 1024";
      return measurement;
    };
    const auto all = bench_of(refused);
    const auto outcome = all->run(make_setup("random", 1, 40, 8));
    QCOMPARE(outcome->status.state_reason, std::string("40 trials"));
    QVERIFY(failures_reported(*all).empty());
    const session::Report report = session::make_session_report(all->store, outcome->id).value();
    QVERIFY(report.failure && report.failure->text.contains("over the device's 1024"));
    // Between failures of what was built it changes nothing.
    const auto some = bench_of([&](const space::Configuration& configuration) {
      return hash_of(configuration) % 2 == 0 ? refused(configuration) : never_compiles(configuration);
    });
    const auto ended = some->run(make_setup("random", 1, 200, 8));
    QVERIFY(session::failed_identically(ended->status));
    QVERIFY(ended->status.trial_count < 40);
  }

  void runs_of_studies_and_samples_tell_nothing() {
    const auto bench = bench_of(never_compiles);
    session::Setup setup = make_setup("random", 1, 40, 8);
    setup.budget.identical_failures = 0;
    setup.trials_alone = true;
    QCOMPARE(bench->run(setup)->status.trial_count, 40);
    QVERIFY(failures_reported(*bench).empty());
  }

  void sessions_of_before_keep_going() {
    const trial::BudgetPlan plan =
        *trial::budget_plan_from_json(R"({"trials": 5, "minutes": 0, "target_gflops": 0, "patience": 0})");
    QCOMPARE(plan.budget.identical_failures, 0);
    QCOMPARE(trial::budget_from_json("{}")->identical_failures, trial::default_identical_failures);
    const trial::Budget mine{.identical_failures = 3};
    QVERIFY(*trial::budget_from_json(trial::budget_to_json(mine)) == mine);
    QVERIFY(trial::budget_plan_from_json(trial::budget_plan_to_json(trial::make_budget_plan(mine)))->budget ==
            mine);
    QVERIFY(!trial::budget_from_json(R"({"identical_failures": -1})"));
  }

  void the_advice_fits_the_case_data() {
    QTest::addColumn<int>("category");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("advice");
    const auto row = [](const char* name, trial::ErrorCategory category, const char* message,
                        const char* advice) {
      QTest::newRow(name) << static_cast<int>(category) << message << advice;
    };
    row("the source", trial::ErrorCategory::CompileHost, "scale.c:12:5: error: 'BLOK'",
        "Correct scale.c:12, then run");
    row("an included file", trial::ErrorCategory::CompileHost, "tile.h:3:5: error: 'BLOK'",
        "Correct tile.h:3, then run");
    row("the call", trial::ErrorCategory::CompileHost, "the call of scale:2:3: error: too few arguments",
        "arguments");
    row("a header of the system", trial::ErrorCategory::CompileDevice, "/usr/include/x.h:2:3: error: x",
        "Correct scale.c");
    row("wrong", trial::ErrorCategory::WrongAnswer, "y[3] is 1, not 2", "reference");
    row("slow", trial::ErrorCategory::RunTimeout, "no end within 10 s", "--run-timeout");
    row("refused", trial::ErrorCategory::InstantiationError, "over the device's 1024", "condition");
    row("a crash", trial::ErrorCategory::RuntimeDevice, "SIGSEGV", "Correct the kernel");
  }

  void the_advice_fits_the_case() {
    QFETCH(int, category);
    QFETCH(QString, message);
    QFETCH(QString, advice);
    session::Report report;
    report.session.record.template_name = "conv2d-packed";
    report.failure = trial::failure_text(static_cast<trial::ErrorCategory>(category), message.toStdString());
    QVERIFY(session::failure_advice(report).contains("--template"));
    report.session.record.project_hash = "0123";
    report.project_files = {"scale.c", "tile.h"};
    const std::string said = session::failure_advice(report);
    QVERIFY2(said.contains(advice.toStdString()), said.c_str());
    QVERIFY2(!said.contains("--template") && !said.contains("/usr"), said.c_str());
  }
};

KERNELSCAPE_PLAIN_TEST(SessionFailuresTest)

}  // namespace kernelscape::session_failures_test
#include "session_failures_test.moc"
