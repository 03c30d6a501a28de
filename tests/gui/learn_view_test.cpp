#include "ui/views/learn/learn_view.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <algorithm>

#include "tests/gui/predictor_gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/models/predictor_text.h"
#include "ui/models/task_outcome_model.h"
#include "ui/views/learn/data_set_dialog.h"
#include "ui/views/learn/data_set_page.h"
#include "ui/views/learn/learning_panel.h"
#include "ui/views/learn/predictor_pages.h"
#include "ui/views/learn/training_dialog.h"
#include "ui/views/library/predictors_page.h"
#include "ui/widgets/empty_state.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/study_runner.h"
#include "ui/workspace/training_runner.h"

namespace kernelscape::learn_view_test {
namespace {

using namespace gui_tests;

constexpr int deadline_milliseconds = 120'000;

/** Stands in a window of its own. */
struct Bench {
  explicit Bench(const Database& database) : workspace(database.path(), run_scripted) {
    view.resize(1200, 800);
    view.show();
  }
  ~Bench() { workspace::JobTracker::wait_for_all(); }

  QPushButton& button(QWidget& in, const QString& text) {
    for (QPushButton* button : in.findChildren<QPushButton*>())
      if (button->text() == text) return *button;
    qFatal("there is no such button");
  }

  workspace::Workspace workspace;
  views::ActionRegistry actions;
  views::LearnView view{{workspace, actions}};
};

}  // namespace

class LearnViewTest : public QObject {
  Q_OBJECT

 private:
  Database database_;
  store::StudyId data_set_ = 0;
  store::PredictorId trained_ = 0;

  /** Trains in this window and waits for the end. */
  store::PredictorId train(workspace::Workspace& workspace, const study::TrainingRequest& request,
                           QString& error) const {
    QSignalSpy created(&workspace.training_runner(), &workspace::TrainingRunner::created);
    QSignalSpy refused(&workspace.training_runner(), &workspace::TrainingRunner::refused);
    QSignalSpy ended(&workspace.training_runner(), &workspace::TrainingRunner::ended);
    workspace.training_runner().start(request);
    if (!QTest::qWaitFor([&] { return !ended.empty() || !refused.empty(); }, deadline_milliseconds))
      qFatal("the training does not end");
    if (!refused.empty()) {
      error = refused.front()[1].toString();
      return 0;
    }
    error = ended.front()[1].toString();
    return created.front()[1].toLongLong();
  }

 private slots:
  void initTestCase() {
    data_set_ = add_study(database_.path(), small_data_set());
    workspace::Workspace workspace(database_.path(), run_scripted);
    QString error;
    trained_ = train(workspace, small_training(data_set_), error);
    QVERIFY2(error.isEmpty(), qPrintable(error));
    QVERIFY(workspace.training_runner().idle());
  }

  void what_cannot_be_trained_is_refused() {
    workspace::Workspace workspace(database_.path(), run_scripted);
    QString error;
    study::TrainingRequest request = small_training(data_set_);
    request.sources = {"study 99"};
    QCOMPARE(train(workspace, request, error), store::PredictorId{0});
    QVERIFY(error.contains(QStringLiteral("99")));
  }

  void a_data_set_shows_its_tasks() {
    Bench bench(database_);
    bench.view.open_data_set(data_set_);
    auto* page = bench.view.findChild<views::DataSetPage*>();
    auto* table = page->findChild<QTableView*>();
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 6, deadline_milliseconds);
    QVERIFY(page->isVisible());
    QVERIFY(page->state().contains(QStringLiteral("6 of 6 runs")));
    QVERIFY(page->state().contains(QStringLiteral("240 trials")));
    // Away and back before anybody has read it again.
    bench.view.open_data_set(data_set_ + 1000);
    bench.view.open_data_set(data_set_);
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 6, deadline_milliseconds);
    // A task's session opens in Tune.
    QSignalSpy opened(page, &views::DataSetPage::session_opened);
    table->selectRow(2);
    table->setCurrentIndex(table->model()->index(2, 0));
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(opened.size(), 1);
    QVERIFY(bench.workspace.opened().has_value());
  }

  void what_is_not_there_yet_is_said() {
    const Database empty;
    Bench bench(empty);
    const auto panel = [&](const QString& name) -> QWidget& {
      for (views::LearningPanel* found : bench.view.findChildren<views::LearningPanel*>())
        if (found->accessibleName() == name) return *found;
      qFatal("there is no such panel");
    };
    QWidget& data_sets = panel(QStringLiteral("Data sets"));
    const auto says = [&](const QString& begin) {
      for (const QLabel* label : data_sets.findChildren<QLabel*>())
        if (label->isVisible() && label->text().startsWith(begin)) return true;
      return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(says(QStringLiteral("No data set yet")), deadline_milliseconds);
    QVERIFY(!data_sets.findChild<QTableView*>()->isVisible());
    const auto* nothing = bench.view.findChild<widgets::EmptyState*>();
    QCOMPARE(nothing->headline(), QStringLiteral("Nothing is chosen"));
    for (const QString& name : {QStringLiteral("Data sets"), QStringLiteral("Predictors")}) {
      const QPushButton& run = bench.button(panel(name), QStringLiteral("Resume"));
      QVERIFY(!run.isEnabled() && !run.toolTip().isEmpty());
    }
    // What is nowhere is not waited for in silence.
    bench.view.open_data_set(77);
    QCOMPARE(nothing->headline(), QStringLiteral("Not in the lists"));
    const store::StudyId made = add_study(empty.path(), small_data_set());
    bench.view.open_data_set(made);
    auto* page = bench.view.findChild<views::DataSetPage*>();
    QTRY_VERIFY_WITH_TIMEOUT(page->isVisible(), deadline_milliseconds);
    QVERIFY(data_sets.findChild<QTableView*>()->isVisible() && !says(QStringLiteral("No data set yet")));
    const QPushButton& run = bench.button(data_sets, QStringLiteral("Resume"));
    QTRY_COMPARE_WITH_TIMEOUT(run.toolTip(), QStringLiteral("All of its tasks are measured."),
                              deadline_milliseconds);
    page->set_run(std::nullopt, true);
    QVERIFY2(page->state().contains(QStringLiteral("waits for another study")), qPrintable(page->state()));
  }

  /** Predicted in the background, of a task that it did not learn from. */
  void a_predictor_is_asked_about_a_held_out_task() {
    Bench bench(database_);
    bench.view.open_predictor(models::stored_predictor_key(trained_));
    auto* pages = bench.view.findChild<views::PredictorPages*>();
    QTRY_VERIFY_WITH_TIMEOUT(pages->shown() && pages->shown()->predictors.front().description,
                             deadline_milliseconds);
    QCOMPARE(bench.view.predictor(), models::stored_predictor_key(trained_));
    QVERIFY(!bench.view.data_set());
    const study::KnownPredictor predictor = pages->shown()->predictors.front();
    QCOMPARE(predictor.epochs.size(), std::size_t{3});
    auto* table = pages->findChild<QTableView*>();
    QVERIFY(table->model()->rowCount() > 1);
    // Nothing is predicted for charts that nobody sees.
    pages->findChild<QTabWidget*>()->setCurrentIndex(1);
    table->selectRow(1);
    auto* chart = &shown_chart<charts::PredictionChart>(*pages);
    QTRY_VERIFY_WITH_TIMEOUT(!chart->table().rows.empty(), deadline_milliseconds);
    QVERIFY(chart->notice().isEmpty());
    const predictor::TaskOutcome* outcome = models::find_outcome(predictor, pages->shown()->task);
    QVERIFY(outcome != nullptr);
    QCOMPARE(static_cast<std::int64_t>(chart->table().rows.size()), outcome->samples);
  }

  void a_stopped_training_resumes() {
    workspace::Workspace workspace(database_.path(), run_scripted);
    workspace::TrainingRunner& runner = workspace.training_runner();
    study::TrainingRequest request = small_training(data_set_);
    request.settings["epochs"] = "10000";
    request.settings["patience"] = "10000";
    store::PredictorId id = 0;
    connect(&runner, &workspace::TrainingRunner::created, this,
            [&](qint64, qint64 predictor) { id = predictor; });
    QSignalSpy ended(&runner, &workspace::TrainingRunner::ended);
    for (const bool resumed : {false, true}) {
      ended.clear();
      if (resumed) {
        runner.resume(id);
      } else {
        runner.start(request);
      }
      QTRY_VERIFY_WITH_TIMEOUT(
          runner.active() && runner.active()->max_epochs == 10000 && !runner.active()->epochs.empty(),
          deadline_milliseconds);
      runner.stop(id);
      QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, deadline_milliseconds);
      QVERIFY(ended.front()[1].toString().isEmpty());
      store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
      QCOMPARE(store.predictors().get(id)->state, store::PredictorState::Interrupted);
      QVERIFY(!study::training_epochs_from_json(store.predictors().get(id)->epochs_json)->empty());
    }
  }

  void a_new_data_set_shows_its_tasks_before_it_starts() {
    Bench bench(database_);
    bench.view.new_data_set();
    auto* dialog = bench.view.findChild<views::DataSetDialog*>();
    study::DataSetRequest wanted;
    wanted.template_name = "matmul-packed";
    wanted.tasks = 3;
    wanted.trials = 8;
    wanted.tuner = "random";
    wanted.seed = 11;
    wanted.max_gflop = 0.5;
    wanted.name = "drawn in the window";
    dialog->set_request(wanted);
    QCOMPARE(dialog->request()->tasks, wanted.tasks);
    QCOMPARE(dialog->request()->tuner, wanted.tuner);
    auto* drawn = dialog->findChild<QListWidget*>();
    dialog->draw();
    QTRY_COMPARE_WITH_TIMEOUT(drawn->count(), 3, deadline_milliseconds);
    // Another number of tasks is another draw.
    wanted.tasks = 2;
    dialog->set_request(wanted);
    QCOMPARE(drawn->count(), 0);
    QSignalSpy created(dialog, &views::DataSetDialog::created);
    dialog->start();
    QTRY_COMPARE_WITH_TIMEOUT(created.size(), 1, deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(bench.workspace.study_runner().idle(), deadline_milliseconds);
    const store::StudyId id = created.front()[0].toLongLong();
    QCOMPARE(bench.view.data_set(), std::optional(id));
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    QCOMPARE(study::stored_study(store, id)->tasks.size(), std::size_t{2});
  }

  void a_wrong_form_says_why() {
    Bench bench(database_);
    bench.view.new_data_set();
    auto* data_set = bench.view.findChild<views::DataSetDialog*>();
    study::DataSetRequest wanted;
    wanted.template_name = "matmul-packed";
    wanted.layers = {"no-such-network"};
    data_set->set_request(wanted);
    data_set->draw();
    QTRY_VERIFY_WITH_TIMEOUT(data_set->message().contains(QStringLiteral("no-such-network")),
                             deadline_milliseconds);
    bench.view.new_training();
    auto* training = bench.view.findChild<views::TrainingDialog*>();
    QVERIFY(!training->request());
    QVERIFY(training->message().contains(QStringLiteral("no measurements")));
  }

  void the_data_set_that_is_shown_is_what_is_trained_on() {
    Bench bench(database_);
    bench.view.open_data_set(data_set_);
    auto* page = bench.view.findChild<views::DataSetPage*>();
    QTRY_VERIFY_WITH_TIMEOUT(page->isVisible(), deadline_milliseconds);
    bench.view.new_training();
    auto* dialog = bench.view.findChild<views::TrainingDialog*>();
    const Result<study::TrainingRequest> request = dialog->request();
    QVERIFY(request.has_value());
    QCOMPARE(request->sources, std::vector<std::string>{"study " + std::to_string(data_set_)});
    QVERIFY(request->settings.empty());
  }

  /** Each model has defaults of its own; what the user changed stays. */
  void settings_follow_their_model() {
    workspace::Workspace workspace(database_.path(), run_scripted);
    views::TrainingDialog dialog(workspace);
    const auto line = [&](const char* name) {
      for (QLineEdit* field : dialog.findChildren<QLineEdit*>())
        if (field->accessibleName() == QLatin1String(name)) return field;
      qFatal("there is no such field");
    };
    QComboBox* model = nullptr;
    for (QComboBox* box : dialog.findChildren<QComboBox*>())
      if (box->accessibleName() == QStringLiteral("model")) model = box;
    QVERIFY(model != nullptr);
    line("Other measurements")->setText(QStringLiteral("session 1"));
    line("patience")->setText(QStringLiteral("7"));
    const QString tokens = line("learning_rate")->text();
    model->setCurrentText(QStringLiteral("one-shot"));
    const double expected = predictor::parse_training_settings({{"model", "one-shot"}})->learning_rate;
    QCOMPARE(line("learning_rate")->text().toDouble(), expected);
    QCOMPARE(line("patience")->text(), QStringLiteral("7"));
    const std::map<std::string, std::string> published{{"model", "one-shot"}, {"patience", "7"}};
    QVERIFY(dialog.request()->settings == published);
    model->setCurrentIndex(0);
    QCOMPARE(line("learning_rate")->text(), tokens);
    QCOMPARE(dialog.request()->settings.size(), std::size_t{1});
  }

  /** Exported, deleted after a question, and brought in again. */
  void the_library_exports_deletes_and_imports() {
    workspace::Workspace workspace(database_.path(), run_scripted);
    views::PredictorsPage page(workspace);
    page.resize(1000, 500);
    page.show();
    auto* table = page.findChild<QTableView*>();
    const auto row_of = [&] {
      for (int row = 0; row < table->model()->rowCount(); ++row)
        if (table->model()->index(row, models::PredictorModel::StateColumn).data().toString() ==
            QStringLiteral("done"))
          return row;
      return -1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(row_of() >= 0, deadline_milliseconds);
    table->selectRow(row_of());
    QCOMPARE(page.selected().size(), std::size_t{1});
    const study::KnownPredictor predictor = page.selected().front();
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("small.kspred"));
    page.write(predictor, file);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), deadline_milliseconds);
    workspace::JobTracker::wait_for_all();

    page.delete_selected();
    auto* question = page.findChild<QMessageBox*>();
    QVERIFY(question != nullptr);
    QTest::keyClick(question, Qt::Key_Escape);
    store::Store store = *store::Store::open(database_.path(), store::OpenMode::ReadOnly);
    QVERIFY(store.predictors().get(*predictor.id));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    page.delete_selected();
    question = page.findChild<QMessageBox*>();
    for (QPushButton* button : question->findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Delete")) button->click();
    QVERIFY(!store.predictors().get(*predictor.id));

    workspace::FileImport imports(workspace);
    QSignalSpy imported(&imports, &workspace::FileImport::predictor_imported);
    imports.start({file});
    QTRY_COMPARE_WITH_TIMEOUT(imported.size(), 1, deadline_milliseconds);
    const store::PredictorId again = imported.front()[0].toLongLong();
    QCOMPARE(store.predictors().get(again)->hash, predictor.hash);
    // The same file once more is the same predictor.
    imports.start({file});
    QTRY_COMPARE_WITH_TIMEOUT(imported.size(), 2, deadline_milliseconds);
    QCOMPARE(imported.back()[0].toLongLong(), again);
  }
};

KERNELSCAPE_TEST(LearnViewTest, QApplication)

}  // namespace kernelscape::learn_view_test
#include "learn_view_test.moc"
