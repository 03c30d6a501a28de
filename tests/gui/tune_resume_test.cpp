#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "tests/gui/tune_gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/views/runs/resume_dialog.h"
#include "ui/workspace/run_queue.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::tune_resume_test {
namespace {

using Window = gui_tests::TuneWindow;
constexpr int patience_milliseconds = gui_tests::tune_deadline_milliseconds;

QPushButton* button_of(const QWidget& dialog, const QString& text) {
  for (QPushButton* button : dialog.findChildren<QPushButton*>())
    if (button->text() == text) return button;
  return nullptr;
}

template <typename Field>
Field* field_of(const QWidget& dialog, const QString& name) {
  for (Field* field : dialog.findChildren<Field*>())
    if (field->accessibleName() == name) return field;
  return nullptr;
}

/** Runs a session of so many trials in the window to its end. */
bool run_to_the_end(Window& window, int trials) {
  if (!window.wait_until_ready()) return false;
  window.find<QSpinBox>("Trials").setValue(trials);
  window.trigger("run.start");
  return QTest::qWaitFor(
      [&] {
        const workspace::Source& source = window.workspace.source();
        return source && source->status.state == store::SessionState::Done && window.workspace.queue().idle();
      },
      patience_milliseconds);
}

views::FinishedSession finished(trial::Budget budget, trial::BudgetUse use) {
  return {.id = 1, .title = "a task", .reason = "its budget", .budget = budget, .use = use};
}

trial::Budget random_budget(base::Random& random) {
  return {.trials = random.chance(0.5) ? static_cast<std::int64_t>(1 + random.below(1000)) : 0,
          .minutes = random.chance(0.5) ? 0.5 + 10 * random.uniform() : 0,
          .target_gflops = random.chance(0.3) ? 10 + 100 * random.uniform() : 0,
          .patience = random.chance(0.3) ? static_cast<std::int64_t>(1 + random.below(100)) : 0};
}

}  // namespace

/** A finished session continues with a larger budget, which its user is asked for. */
class TuneResumeTest : public QObject {
  Q_OBJECT

 private slots:
  void a_finished_session_asks_for_its_new_budget() {
    Window window;
    QVERIFY(run_to_the_end(window, 40));
    // What the form says about the next run does not change a session that exists.
    window.find<QSpinBox>("Trials").setValue(0);
    QAction& resume = *window.actions.find("run.resume");
    QTRY_VERIFY_WITH_TIMEOUT(resume.isEnabled(), patience_milliseconds);
    QVERIFY(!window.actions.find("run.pause")->isEnabled());
    resume.trigger();
    auto* dialog = window.view.findChild<views::ResumeDialog*>();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QVERIFY(window.workspace.queue().idle());

    auto* trials = field_of<QSpinBox>(*dialog, "Trials");
    QPushButton* start = button_of(*dialog, "Resume");
    QCOMPARE(trials->value(), 80);
    trials->setValue(0);  // no limit is not offered: the session had one
    QCOMPARE(dialog->budget().trials, 40);
    QVERIFY2(dialog->problem().contains("40 trials"), qPrintable(dialog->problem()));
    QVERIFY(!start->isEnabled());
    trials->setValue(60);
    QVERIFY(dialog->problem().isEmpty() && start->isEnabled());
    QTest::mouseClick(start, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.source()->status.trial_count, 60, patience_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.queue().idle(), patience_milliseconds);
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.source()->budget.budget.trials, 60, patience_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(window.view.findChild<views::ResumeDialog*>() == nullptr, patience_milliseconds);
  }

  void a_session_of_which_all_trials_failed_asks_whether_to_keep_going() {
    Window window;
    window.all_fail = true;
    QVERIFY(run_to_the_end(window, 40));
    QVERIFY(window.workspace.source()->status.trial_count < 40);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions.find("run.resume")->isEnabled(), patience_milliseconds);
    window.trigger("run.resume");
    auto* dialog = window.view.findChild<views::ResumeDialog*>();
    QVERIFY(dialog != nullptr);
    QPushButton* start = button_of(*dialog, "Resume");
    QVERIFY(!start->isEnabled() && dialog->problem().contains("failed in the same way"));
    dialog->findChild<QCheckBox*>()->setChecked(true);
    QVERIFY(start->isEnabled());
    QCOMPARE(dialog->budget().identical_failures, 0);
    QTest::mouseClick(start, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(window.workspace.source()->status.trial_count, 40, patience_milliseconds);
  }

  /** The window refuses to resume a session whose trials a client measures, so it does not offer that. */
  void a_session_of_a_client_is_not_offered() {
    workspace::SessionEntry entry;
    entry.summary.record.kind = store::SessionKind::Measured;
    entry.summary.record.template_name = "direct";
    entry.summary.status.state = store::SessionState::Done;
    QVERIFY(views::can_raise_budget(entry));
    QVERIFY(views::client_resume_text(entry.summary.record).isEmpty());
    entry.summary.record.id = 17;
    entry.summary.record.template_name.clear();
    QVERIFY(!views::can_raise_budget(entry));
    const QString text = views::client_resume_text(entry.summary.record);
    QVERIFY2(text.contains("ask-tell --resume 17"), qPrintable(text));
  }

  void a_limit_of_time_is_never_lost() {
    const gui_tests::Database database;
    workspace::Workspace workspace(database.path());
    auto* dialog = new views::ResumeDialog(
        workspace,
        finished({.trials = 0, .minutes = 1}, {.trials = 90, .session_seconds = 61, .best_trial = 3}),
        nullptr);
    dialog->show();
    QCOMPARE(dialog->budget(), (trial::Budget{.trials = 0, .minutes = 2}));
    QVERIFY(dialog->problem().isEmpty());
    auto* minutes = field_of<QDoubleSpinBox>(*dialog, "Minutes");
    minutes->setValue(0);
    QCOMPARE(dialog->budget().minutes, 1);
    QVERIFY(dialog->problem().contains("1 minute"));
    minutes->setValue(3.5);
    QVERIFY(dialog->problem().isEmpty());
    dialog->close();
  }

  void the_suggested_budget_continues_and_keeps_every_limit() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 2000; ++round) {
      const trial::Budget budget = random_budget(random);
      const auto trials = static_cast<std::int64_t>(1 + random.below(1500));
      const trial::BudgetUse use{
          .trials = trials,
          .session_seconds = 900 * random.uniform(),
          .best_gflops = 150 * random.uniform(),
          .best_trial = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(trials) + 1)) - 1};
      const trial::Budget larger = views::larger_budget(finished(budget, use));
      QVERIFY2(!trial::budget_reached(larger, use), trial::budget_to_json(larger).c_str());
      QVERIFY(trial::raise_budget(trial::make_budget_plan(budget), larger, 1).has_value());
      QCOMPARE(larger.trials > 0, budget.trials > 0);
      QCOMPARE(larger.minutes > 0, budget.minutes > 0);
      QCOMPARE(larger.target_gflops > 0, budget.target_gflops > 0);
      QCOMPARE(larger.patience > 0, budget.patience > 0);
    }
  }
};

KERNELSCAPE_TEST(TuneResumeTest, QApplication)

}  // namespace kernelscape::tune_resume_test
#include "tune_resume_test.moc"
