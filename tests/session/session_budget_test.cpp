#include <QTemporaryDir>
#include <QTest>

#include "tests/session/session_support.h"
#include "tests/test_program.h"

namespace kernelscape::session_budget_test {
using namespace kernelscape::session_tests;

/** What ends a session, and what each end leaves behind. */
class SessionBudgetTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Bench> bench_;

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    bench_ = std::make_unique<Bench>(folder_->filePath("test.db").toStdString());
  }

  void trialsAreExact_data();
  void trialsAreExact();
  void minutesEndABatchEarly();
  void targetEndsAfterItsBatch();
  void patienceCountsTrialsWithoutABetterOne();
  void exhaustedSpaceIsTheReason();
  void gracefulStopKeepsWhatRuns();
  void stopAtOnceDropsTheBatch();
  void stopBeforeTheFirstBatch();
  void machineFaultPauses();
  void submitFaultPauses();
  void numbersFollowProposalOrder();
  void observersSeeCommittedTrials();
  void wrongBatchSizeIsRefused();
  void budgetsSurviveTheirText();
  void damagedBudgetsAreErrors_data();
  void damagedBudgetsAreErrors();
  void budgetsAreOnlyRaised();
};

void SessionBudgetTest::trialsAreExact_data() {
  QTest::addColumn<int>("trials");
  QTest::addColumn<int>("batch");
  QTest::addRow("a multiple of the batch") << 24 << 8;
  QTest::addRow("clipped") << 21 << 8;
  QTest::addRow("less than a batch") << 3 << 8;
  QTest::addRow("one") << 1 << 1;
}

void SessionBudgetTest::trialsAreExact() {
  QFETCH(int, trials);
  QFETCH(int, batch);
  const auto outcome = bench_->run(make_setup("random", 1, trials, batch));
  QVERIFY(outcome);
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QCOMPARE(outcome->status.trial_count, trials);
  QCOMPARE(std::ssize(*bench_->store.trials().of(outcome->id)), trials);
  QCOMPARE(outcome->status.state_reason, trials == 1 ? "1 trial" : std::to_string(trials) + " trials");
}

void SessionBudgetTest::minutesEndABatchEarly() {
  session::Setup setup = make_setup("random", 1, 0, 8);
  setup.budget.minutes = 0.5;  // A batch takes 8 x 0.5 s of builds and up to 8 x 2 s of runs.
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome);
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QCOMPARE(outcome->status.state_reason, std::string("0.5 minutes"));
  QVERIFY(outcome->status.session_seconds >= 30);
  QVERIFY(outcome->status.session_seconds < 30 + 2 * 2 + 4);  // what ran then, and the next result
  QVERIFY(!outcome->interrupted);

  // With more time it goes on with what is missing of that batch.
  setup.budget.minutes = 2;
  const auto more = bench_->resume(outcome->id, setup);
  QVERIFY(more);
  QVERIFY(more->status.session_seconds >= 120);
  for (const auto& [configuration, times] : bench_->measurer.submitted) QVERIFY(times <= 2);
}

void SessionBudgetTest::targetEndsAfterItsBatch() {
  session::Setup setup = make_setup("random", 3, 400, 8);
  const auto all = bench_->run(setup);
  const std::vector<trial::Trial> trials = comparable_trials(bench_->store, all->id);
  // A speed that the fortieth trial, at the latest, reaches.
  double best = 0;
  std::int64_t first = 0;
  for (std::int64_t number = 0; number < 40; ++number) {
    const double fitness =
        trial::observe_trial(trials[static_cast<std::size_t>(number)], setup.task.flops()).fitness;
    if (fitness > best) {
      best = fitness;
      first = number;
    }
  }
  setup.budget.target_gflops = best;
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome);
  QCOMPARE(outcome->status.trial_count, (first / 8 + 1) * 8);
  QCOMPARE(outcome->status.best_trial, first);
  QVERIFY(outcome->status.state_reason.find("target") != std::string::npos);
}

void SessionBudgetTest::patienceCountsTrialsWithoutABetterOne() {
  session::Setup setup = make_setup("random", 4, 1000, 1);
  setup.budget.patience = 12;
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome);
  QCOMPARE(outcome->status.trial_count, outcome->status.best_trial + 1 + 12);
}

void SessionBudgetTest::exhaustedSpaceIsTheReason() {
  const session::Setup setup = make_setup("grid", 1, 0, 100);
  const auto outcome = bench_->run(setup);
  QVERIFY(outcome);
  QCOMPARE(outcome->status.state, store::SessionState::Done);
  QVERIFY(base::to_string(setup.space.size()) == std::to_string(outcome->status.trial_count));
  QVERIFY(!outcome->status.state_reason.empty());
}

void SessionBudgetTest::gracefulStopKeepsWhatRuns() {
  bench_->observer.on_trial = [this](const trial::Trial& trial) {
    if (trial.batch == 1 && bench_->observer.trials.size() == 11) bench_->stop.stop_gracefully();
  };
  const auto outcome = bench_->run(make_setup("random", 5, 40, 8));
  QVERIFY(outcome);
  QVERIFY(outcome->interrupted);
  QCOMPARE(outcome->status.state, store::SessionState::Interrupted);
  QCOMPARE(outcome->status.trial_count, 12);  // the eleventh asked for it, the twelfth was running
  QCOMPARE(bench_->measurer.aborts, 1);
  QVERIFY(!bench_->store.sessions().get(outcome->id)->owner);
}

void SessionBudgetTest::stopAtOnceDropsTheBatch() {
  bench_->observer.on_trial = [this](const trial::Trial&) {
    if (bench_->observer.trials.size() == 11) bench_->stop.stop_at_once();
  };
  const auto outcome = bench_->run(make_setup("random", 5, 40, 8));
  QVERIFY(outcome);
  QVERIFY(outcome->interrupted);
  QCOMPARE(outcome->status.trial_count, 11);
  QCOMPARE(std::ssize(*bench_->store.trials().of(outcome->id)), 11);
  QCOMPARE(bench_->measurer.aborts, 1);
}

void SessionBudgetTest::stopBeforeTheFirstBatch() {
  bench_->stop.stop_gracefully();
  const auto outcome = bench_->run(make_setup("random", 5, 40, 8));
  QVERIFY(outcome);
  QCOMPARE(outcome->status.state, store::SessionState::Interrupted);
  QCOMPARE(outcome->status.trial_count, 0);
}

void SessionBudgetTest::machineFaultPauses() {
  MeasurementScript script = make_script();
  script.fault_after = 13;
  Bench failing(folder_->filePath("failing.db").toStdString(), script);
  const auto outcome = failing.run(make_setup("random", 6, 40, 8));
  QVERIFY(!outcome);
  QCOMPARE(outcome.error().code, ErrorCode::Environment);
  QVERIFY(outcome.error().hint.find("kernelscape resume") != std::string::npos);
  const store::SessionSummary stored = *failing.store.sessions().get(failing.observer.id);
  QCOMPARE(stored.status.state, store::SessionState::Interrupted);
  QCOMPARE(stored.status.state_reason, outcome.error().message);
  QCOMPARE(stored.status.trial_count, 13);
  QVERIFY(!stored.owner);
}

void SessionBudgetTest::submitFaultPauses() {
  bench_->measurer.submit_error = Error{ErrorCode::Environment, "no process can be started", ""};
  const auto outcome = bench_->run(make_setup("random", 6, 40, 8));
  QVERIFY(!outcome);
  QCOMPARE(bench_->store.sessions().get(bench_->observer.id)->status.state, store::SessionState::Interrupted);

  // The batch that was proposed is measured once the machine is well again.
  bench_->measurer.submit_error.reset();
  const auto resumed = bench_->resume(bench_->observer.id, make_setup("random", 6, 40, 8));
  QVERIFY(resumed);
  QCOMPARE(resumed->status.trial_count, 40);
}

void SessionBudgetTest::numbersFollowProposalOrder() {
  const auto outcome = bench_->run(make_setup("ga", 7, 45, 10));
  const auto batches = *bench_->store.batches().of(outcome->id);
  const std::vector<trial::Trial> trials = *bench_->store.trials().of(outcome->id);
  std::size_t number = 0;
  for (const auto& batch : batches) {
    for (std::size_t position = 0; position < batch.candidates.size(); ++position, ++number) {
      QCOMPARE(trials[number].number, std::int64_t(number));
      QCOMPARE(trials[number].batch, batch.batch);
      QCOMPARE(trials[number].position, int(position));
      QVERIFY(trials[number].configuration == batch.candidates[position]);
      QVERIFY(trials[number].measurement == scripted_measurement(batch.candidates[position]));
    }
  }
  QCOMPARE(number, trials.size());
}

void SessionBudgetTest::observersSeeCommittedTrials() {
  const store::Store reader = *store::Store::open(folder_->filePath("test.db").toStdString());
  std::int64_t missing = 0;
  bench_->observer.on_trial = [&](const trial::Trial& trial) {
    const auto stored = reader.trials().get(bench_->observer.id, trial.number);
    if (!stored || !(*stored == trial)) ++missing;
  };
  QVERIFY(bench_->run(make_setup("random", 8, 30, 8)));
  QCOMPARE(bench_->observer.trials.size(), std::size_t(30));
  QCOMPARE(missing, 0);
}

void SessionBudgetTest::wrongBatchSizeIsRefused() {
  const auto outcome = bench_->run(make_setup("random", 8, 30, -3));
  QVERIFY(!outcome);
  QCOMPARE(outcome.error().code, ErrorCode::InvalidArgument);
  QVERIFY(bench_->store.sessions().all()->empty());
}

void SessionBudgetTest::budgetsSurviveTheirText() {
  const trial::Budget budget{123, 4.5, 678.25, 9};
  QVERIFY(*trial::budget_from_json(trial::budget_to_json(budget)) == budget);
  trial::BudgetPlan plan = trial::make_budget_plan(budget);
  plan = *trial::raise_budget(plan, {200, 0, 0, 0}, 17);
  QVERIFY(*trial::budget_plan_from_json(trial::budget_plan_to_json(plan)) == plan);
  QCOMPARE(plan.limit_at(0), 123);
  QCOMPARE(plan.limit_at(16), 123);
  QCOMPARE(plan.limit_at(17), 200);
  QCOMPARE(plan.batch_request(12, 10, 120), 3);
  QCOMPARE(plan.batch_request(17, 10, 123), 10);
}

void SessionBudgetTest::damagedBudgetsAreErrors_data() {
  QTest::addColumn<QString>("text");
  for (const char* text : {"", "7", "{\"trials\": -1}", "{\"trials\": 1.5}", "{\"minutes\": \"x\"}",
                           "{\"limits\": []}", "{\"limits\": [{\"from_batch\": 3, \"trials\": 5}]}",
                           "{\"limits\": [{\"from_batch\": 0}, {\"from_batch\": 0}]}",
                           "{\"limits\": [{\"from_batch\": 99999999999}]}", "{\"minutes\": 1e999}"}) {
    QTest::addRow("%s", text) << text;
  }
}

void SessionBudgetTest::damagedBudgetsAreErrors() {
  QFETCH(QString, text);
  const auto plan = trial::budget_plan_from_json(text.toStdString());
  QVERIFY(!plan);
  QCOMPARE(plan.error().code, ErrorCode::Corrupt);
}

void SessionBudgetTest::budgetsAreOnlyRaised() {
  const trial::BudgetPlan plan = trial::make_budget_plan({100, 5, 0, 20});
  QVERIFY(trial::raise_budget(plan, {100, 5, 0, 20}, 3));
  QVERIFY(trial::raise_budget(plan, {0, 0, 0, 0}, 3));
  QVERIFY(trial::raise_budget(plan, {100, 5, 10, 20}, 3));  // a session without a target can be given one
  for (const trial::Budget& lower :
       {trial::Budget{99, 5, 0, 20}, trial::Budget{100, 4, 0, 20}, trial::Budget{100, 5, 0, 19}}) {
    const auto raised = trial::raise_budget(plan, lower, 3);
    QVERIFY(!raised);
    QCOMPARE(raised.error().code, ErrorCode::InvalidArgument);
  }
}

KERNELSCAPE_PLAIN_TEST(SessionBudgetTest)

}  // namespace kernelscape::session_budget_test
#include "session_budget_test.moc"
