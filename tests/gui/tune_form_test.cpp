#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>

#include "tests/gui/tune_gui_support.h"
#include "tests/test_program.h"
#include "ui/views/runs/adaptive_form.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/space_panel.h"
#include "ui/widgets/hyperparameter_form.h"

namespace kernelscape::tune_form_test {
namespace {

using Window = gui_tests::TuneWindow;
constexpr int deadline_milliseconds = gui_tests::tune_deadline_milliseconds;

}  // namespace

/** The set-up of a session: what it offers, refuses and takes over. */
class TuneFormTest : public QObject {
  Q_OBJECT

 private slots:
  void the_form_is_made_from_declarations() {
    Window window;
    QVERIFY(window.wait_until_ready());
    auto& tuner = window.find<QComboBox>("Tuner");
    QCOMPARE(tuner.count(), static_cast<int>(tuner::tuner_registry().size()));
    for (const tuner::Declaration& declaration : tuner::tuner_registry()) {
      tuner.setCurrentText(QString::fromStdString(declaration.name));
      const session::TuningRequest request = window.view.form().request();
      QCOMPARE(request.tuner, declaration.name);
      QVERIFY(request.settings.empty());  // the defaults
      auto* form = window.view.findChild<widgets::HyperparameterForm*>();
      for (const tuner::HyperparameterDeclaration& hyperparameter : declaration.hyperparameters) {
        const auto editors = form->findChildren<QWidget*>();
        QVERIFY2(std::ranges::any_of(editors,
                                     [&](const QWidget* editor) {
                                       return editor->accessibleName() ==
                                              QString::fromStdString(hyperparameter.name);
                                     }),
                 hyperparameter.name.c_str());
      }
    }
  }

  void a_tuner_is_recommended_for_the_space_and_the_budget() {
    Window window;
    QVERIFY(window.wait_until_ready());
    auto& advice = window.find<QLabel>("Recommended tuner");
    QVERIFY(advice.isVisibleTo(&window.view));
    QSpinBox& trials = window.find<QSpinBox>("Trials");
    trials.setValue(3);
    QVERIFY2(advice.text().contains("Take gp:") && advice.text().contains("fewer than five trials"),
             qPrintable(advice.text()));
    trials.setValue(300);
    QVERIFY(!advice.text().contains("fewer than five trials"));
    // The button leads to the section of the study.
    QString page;
    connect(&window.view, &views::View::manual_requested, this, [&](const QString& asked) { page = asked; });
    window.find<QPushButton>("Study of the recommended tuner").click();
    QVERIFY2(page.startsWith("data/studies/README.md#"), qPrintable(page));
    window.task().setEditText("nothing/at/all");
    QTRY_VERIFY_WITH_TIMEOUT(!advice.isVisibleTo(&window.view), deadline_milliseconds);
  }

  void a_wrong_hyperparameter_is_reported_while_typing_and_keeps_it_from_starting() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.find<QComboBox>("Tuner").setCurrentText("nose");
    QVERIFY(window.wait_until_ready());
    auto* form = window.view.findChild<widgets::HyperparameterForm*>();
    auto* line = form->findChildren<QLineEdit*>().front();
    const QString good = line->text();
    line->setText("-7");
    QVERIFY(!window.start().isEnabled());
    QVERIFY(!window.view.form().problem().isEmpty());
    QVERIFY(window.view.form().problem().contains(line->accessibleName()));
    line->setText(good);
    QVERIFY(window.start().isEnabled());
  }

  void a_tuner_that_does_not_fit_the_space_says_what_it_lacks() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.find<QComboBox>("Tuner").setCurrentText("gbfs");
    QTRY_VERIFY_WITH_TIMEOUT(window.view.form().problem().contains("not factorizations"),
                             deadline_milliseconds);
    QVERIFY(!window.start().isEnabled());
    window.find<QComboBox>("Tuner").setCurrentText("opevo");
    QTRY_VERIFY_WITH_TIMEOUT(window.start().isEnabled(), deadline_milliseconds);
  }

  void a_wrong_task_says_why_and_offers_the_nearest() {
    Window window;
    QVERIFY(window.wait_until_ready());
    window.task().setFocus();
    window.task().lineEdit()->selectAll();
    QTest::keyClicks(window.task().lineEdit(), "resnet18/C99");
    QTRY_VERIFY_WITH_TIMEOUT(window.view.form().problem().contains("resnet18/C9"), deadline_milliseconds);
    QVERIFY(!window.start().isEnabled());
    // It stands once, between its field and the next one.
    const auto top_of = [&](QWidget& widget) { return widget.mapTo(&window.view.form(), QPoint(0, 0)).y(); };
    QList<QLabel*> reported;
    for (QLabel* label : window.view.form().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains("resnet18/C9")) reported.append(label);
    QCOMPARE(reported.size(), 1);
    QVERIFY(top_of(*reported[0]) > top_of(window.task()));
    QVERIFY(top_of(*reported[0]) < top_of(window.find<QComboBox>("Template")));
    window.task().setEditText("matmul 64x64 64x64 f32");
    QVERIFY(window.wait_until_ready());
    QCOMPARE(window.find<QComboBox>("Template").currentText(), QString("matmul-packed"));
  }

  void space_and_restrictions_appear_with_the_task() {
    Window window;
    QVERIFY(window.wait_until_ready());
    auto* panel = window.view.findChild<views::SpacePanel*>();
    auto* tree = panel->findChild<QTreeWidget*>();
    QVERIFY(tree->topLevelItemCount() > 3);
    QTreeWidgetItem* element = tree->topLevelItem(0)->child(0);
    element->child(0)->setCheckState(0, Qt::Unchecked);
    QCOMPARE(panel->restrictions().size(), std::size_t{1});
    QCOMPARE(static_cast<int>(panel->restrictions().front().values.size()), element->childCount() - 1);
    QTRY_VERIFY_WITH_TIMEOUT(panel->findChild<QLabel*>()->text().contains("restrictions"),
                             deadline_milliseconds);
    QVERIFY(window.view.form().request().restrictions == panel->restrictions());
    for (int i = 0; i < element->childCount(); ++i) element->child(i)->setCheckState(0, Qt::Unchecked);
    QTRY_VERIFY_WITH_TIMEOUT(!window.view.form().problem().isEmpty() && !window.start().isEnabled(),
                             deadline_milliseconds);
  }

  void device_limits_are_the_tuners_until_the_user_chooses() {
    Window window;
    QVERIFY(window.wait_until_ready());
    const views::SetupForm& form = window.view.form();
    auto& tuner = window.find<QComboBox>("Tuner");
    QCheckBox* box = nullptr;
    for (QCheckBox* candidate : window.view.findChildren<QCheckBox*>())
      if (candidate->text() == "Enforce device limits") box = candidate;
    QVERIFY(box != nullptr && !box->isChecked());
    QVERIFY(!form.request().respect_limits);
    tuner.setCurrentText("heron");
    QVERIFY(box->isChecked() && !form.request().respect_limits);
    tuner.setCurrentText("ga");
    QVERIFY(!box->isChecked() && !form.request().respect_limits);
    box->click();
    QVERIFY(form.request().respect_limits == std::optional(true));
    box->click();
    tuner.setCurrentText("heron");
    QVERIFY(!box->isChecked());
    QVERIFY(form.request().respect_limits == std::optional(false));
    session::TuningRequest request = form.request();
    request.respect_limits.reset();
    window.view.form().set_request(request);
    QVERIFY(box->isChecked() && !form.request().respect_limits);
  }

  void both_numbers_of_configurations_are_shown() {
    Window window;
    window.task().setEditText("matmul 32x509 509x64 f32");
    QVERIFY(window.wait_until_ready());
    auto* size = window.view.findChild<views::SpacePanel*>()->findChild<QLabel*>();
    auto& templates = window.find<QComboBox>("Template");
    templates.setCurrentText("matmul-tiled");
    emit templates.activated(templates.currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(size->text().contains("within the device limits"), deadline_milliseconds);
    const views::FormCheck& check = window.view.form().check();
    QVERIFY(check.limits_known && check.limited_members && *check.limited_members < *check.members);
    // The advice is about the space that is searched: without limits, that is the whole space.
    QVERIFY(window.wait_until_ready());
    window.find<QSpinBox>("Trials").setValue(static_cast<int>(*check.members));
    auto& advice = window.find<QLabel>("Recommended tuner");
    QVERIFY2(advice.text().contains("covers the whole space"), qPrintable(advice.text()));
    for (QCheckBox* box : window.view.findChildren<QCheckBox*>())
      if (box->text() == "Enforce device limits") {
        box->click();
        box->click();
      }
    QVERIFY(window.view.form().request().respect_limits == std::optional(false));
    QVERIFY(window.wait_until_ready());
    QVERIFY2(advice.text().contains("covers the whole space"), qPrintable(advice.text()));
  }

  void the_set_up_survives_the_form_and_the_command_line() {
    Window window;
    QVERIFY(window.wait_until_ready());
    session::TuningRequest request;
    request.task = "resnet18/C2";
    request.template_name = "conv2d-packed";
    request.tuner = "ga";
    request.settings = {{"population", "50"}};
    request.budget = {120, 2, 300, 40};
    request.seed = 17;
    request.name = "mine";
    request.measuring.repeats = 3;
    window.view.form().set_request(request);
    QVERIFY(window.wait_until_ready());
    const session::TuningRequest read = window.view.form().request();
    QCOMPARE(session::command_line_of(read), session::command_line_of(request));
    window.trigger("run.copy-command");
    const std::string copied = QApplication::clipboard()->text().toStdString();
    QVERIFY2(copied.starts_with(session::command_line_of(request) + " --db "), copied.c_str());
  }

  void the_adaptive_evaluator_chooses_its_samples() {
    Window window;
    QVERIFY(window.wait_until_ready());
    const views::SetupForm& form = window.view.form();
    auto* adaptive = window.view.findChild<views::AdaptiveForm*>();
    auto* on = adaptive->findChild<QCheckBox*>();
    QVERIFY(form.request().measuring == trial::MeasureOptions());
    on->click();
    QVERIFY(form.request().measuring == trial::adatune_measuring);
    QVERIFY(window.wait_until_ready());
    // Too few samples are told while they are typed, with the way out.
    window.find<QSpinBox>("Timed samples").setValue(150);
    QTRY_VERIFY_WITH_TIMEOUT(form.problem().contains("more than 150 samples"), deadline_milliseconds);
    QVERIFY(!window.start().isEnabled());
    window.find<QSpinBox>("Samples of a micro-batch").setValue(49);
    QVERIFY(window.wait_until_ready());
    // What the user chose stays; what the evaluator chose goes with it.
    on->click();
    QCOMPARE(form.request().measuring.repeats, 150);
    QCOMPARE(form.request().measuring.adaptive_batch, 0);
    window.find<QSpinBox>("Timed samples").setValue(500);
    on->click();
    on->click();
    QVERIFY(form.request().measuring == trial::MeasureOptions());
  }

  void the_adaptive_evaluator_survives_the_form() {
    Window window;
    QVERIFY(window.wait_until_ready());
    session::TuningRequest request;
    request.task = "resnet18/C2";
    request.template_name = "conv2d-packed";
    request.measuring = trial::adatune_measuring;
    request.measuring.adaptive_threshold = 0.05;
    request.measuring.adaptive_minimum = 4;
    request.measuring.adaptive_performance = trial::AdaptivePerformance::MicroBatch;
    window.view.form().set_request(request);
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.view.form().request().measuring == request.measuring);
    QCOMPARE(session::command_line_of(window.view.form().request()), session::command_line_of(request));
    // A recorded space was measured before.
    request.task.clear();
    request.target = "recorded:1";
    window.view.form().set_request(request);
    QVERIFY(!window.view.findChild<views::AdaptiveForm*>()->isEnabled());
    QVERIFY(!window.view.form().request().measuring.adaptive());
    // Fewer of its samples can be taken.
    request.measuring = {};
    request.measuring.replay_samples = true;
    request.measuring.repeats = 10;
    request.measuring.give_up_factor = 0;
    request.measuring.adaptive_batch = 50;
    window.view.form().set_request(request);
    QVERIFY(window.view.findChild<views::AdaptiveForm*>()->isEnabled());
    QVERIFY(window.view.form().request().measuring == request.measuring);
  }
};

KERNELSCAPE_TEST(TuneFormTest, QApplication)

}  // namespace kernelscape::tune_form_test
#include "tune_form_test.moc"
