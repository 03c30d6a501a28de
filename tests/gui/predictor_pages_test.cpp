#include "ui/views/learn/predictor_pages.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <set>

#include "core/base/random.h"
#include "tests/gui/predictor_gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/charts/curves/predictor_curve_chart.h"
#include "ui/charts/row.h"
#include "ui/models/data_set_task_model.h"
#include "ui/models/predictor_model.h"
#include "ui/models/predictor_text.h"
#include "ui/models/task_outcome_model.h"
#include "ui/report/report.h"

namespace kernelscape::predictor_pages_test {
namespace {

using namespace gui_tests;

constexpr int deadline_milliseconds = 30'000;

QString read(const charts::Chart& chart) {
  return QStringList{chart.title(), chart.notice(), chart.caption(),
                     QString::fromStdString(charts::to_csv(chart.table()))}
      .join(QLatin1Char('\n'));
}

QStringList cells_of(const QAbstractItemModel& model, int row) {
  QStringList cells;
  for (int column = 0; column < model.columnCount(); ++column)
    cells.append(model.index(row, column).data().toString());
  return cells;
}

}  // namespace

class PredictorPagesTest : public QObject {
  Q_OBJECT

 private:
  Database database_;

  /** The pages, without anything chosen. */
  struct Bench {
    explicit Bench(const Database& database) : workspace(database.path(), run_scripted) {
      pages.resize(1100, 800);
      pages.show();
    }
    ~Bench() { workspace::JobTracker::wait_for_all(); }

    QComboBox& box(const QString& name) {
      for (QComboBox* box : pages.findChildren<QComboBox*>())
        if (box->accessibleName() == name) return *box;
      qFatal("there is no such box");
    }
    std::set<QString> charts() {
      std::set<QString> texts;
      for (const charts::Chart* chart : pages.findChildren<charts::Chart*>())
        if (!chart->isHidden()) texts.insert(read(*chart));
      return texts;
    }

    workspace::Workspace workspace;
    views::PredictorPages pages{workspace};
    QTableView& table = *pages.findChild<QTableView*>();
  };

 private slots:
  void initTestCase() { QVERIFY(store::Store::open(database_.path())); }

  void the_window_and_reports_show_the_same() {
    Bench bench(database_);
    bench.pages.set_lists(lists_of({known_predictor(2, "second", 0.5), known_predictor(1, "first")}));
    bench.pages.open(models::stored_predictor_key(1));
    for (const bool beside : {false, true}) {
      if (beside) bench.pages.open_second(models::stored_predictor_key(2));
      const std::shared_ptr<const figures::ShownPredictors> shown = bench.pages.shown();
      QCOMPARE(shown->predictors.size(), std::size_t{beside ? 2U : 1U});
      std::set<QString> reported;
      const report::Document document = report::predictors_report_document(shown);
      for (const report::Block& block : document.blocks)
        if (const auto* figure = std::get_if<figures::Figure>(&block)) reported.insert(read(*figure->make()));
      const std::set<QString> charts = bench.charts();
      for (const figures::Kind& kind : figures::figure_kinds()) {
        if (kind.part != figures::ReportPart::Predictor) continue;
        const std::vector<figures::Figure> figures =
            kind.figures({.predictors = shown}, figures::uncontrolled_job());
        QVERIFY2(!figures.empty(), kind.name.data());
        for (const figures::Figure& figure : figures) {
          QVERIFY2(charts.contains(read(*figure.make())), kind.name.data());
          if (figure.text.notice.isEmpty())
            QVERIFY2(reported.contains(read(*figure.make())), kind.name.data());
        }
      }
      QVERIFY(reported.size() >= 3);
    }
  }

  void only_predictors_of_one_template_stand_beside_each_other() {
    Bench bench(database_);
    study::KnownPredictor other = known_predictor(3, "other");
    other.template_name = "conv2d-packed";
    bench.pages.set_lists(lists_of({other, known_predictor(2, "second"), known_predictor(1, "first")}));
    bench.pages.open(models::stored_predictor_key(1));
    const QComboBox& box = bench.box(QStringLiteral("Predictor to compare with"));
    QCOMPARE(box.count(), 2);
    QCOMPARE(box.itemData(1).toString(), models::stored_predictor_key(2));
    bench.pages.open_second(models::stored_predictor_key(2));
    QCOMPARE(box.currentIndex(), 1);
    // One that is deleted stands beside nobody.
    bench.pages.set_lists(lists_of({known_predictor(1, "first")}));
    QCOMPARE(bench.pages.shown()->predictors.size(), std::size_t{1});
  }

  void charts_that_do_not_fit_beside_each_other_have_tabs() {
    Bench bench(database_);
    bench.pages.set_lists(lists_of({known_predictor(2, "second", 0.5), known_predictor(1, "first")}));
    bench.pages.open(models::stored_predictor_key(1));
    bench.pages.open_second(models::stored_predictor_key(2));
    bench.pages.findChild<QTabWidget*>()->setCurrentIndex(1);
    auto* row = bench.pages.findChild<charts::Row*>();
    const auto seen = [&] {
      std::vector<charts::Chart*> charts;
      for (charts::Chart* chart : row->findChildren<charts::Chart*>())
        if (chart->isVisible()) charts.push_back(chart);
      return charts;
    };
    bench.pages.resize(1600, 800);
    QTRY_VERIFY(!row->has_tabs());
    const std::vector<charts::Chart*> all = seen();
    QCOMPARE(all.size(), std::size_t{3});
    QVERIFY(bench.pages.minimumSizeHint().width() <= 600);
    bench.pages.resize(600, 800);
    QTRY_VERIFY(row->has_tabs());
    auto* tabs = row->findChild<QTabBar*>();
    QCOMPARE(tabs->count(), 3);
    std::set<charts::Chart*> reached;
    std::set<QString> names;
    for (int tab = 0; tab < tabs->count(); ++tab) {
      tabs->setCurrentIndex(tab);
      QCOMPARE(seen().size(), std::size_t{1});
      reached.insert(seen().front());
      names.insert(tabs->tabText(tab));
    }
    QCOMPARE(reached, (std::set<charts::Chart*>{all.begin(), all.end()}));
    QCOMPARE(names.size(), std::size_t{3});
    // One predictor alone has a chart less; the tab that was chosen stays.
    tabs->setCurrentIndex(1);
    bench.pages.open_second({});
    QCOMPARE(tabs->count(), 2);
    QCOMPARE(tabs->currentIndex(), 1);
    QCOMPARE(seen().size(), std::size_t{1});
    bench.pages.resize(1600, 800);
    QTRY_COMPARE(seen().size(), std::size_t{2});
  }

  void a_task_is_chosen_in_the_table() {
    Bench bench(database_);
    bench.pages.set_lists(lists_of({known_predictor(1, "first")}));
    bench.pages.open(models::stored_predictor_key(1));
    bench.pages.findChild<QTabWidget*>()->setCurrentIndex(1);
    QVERIFY(bench.pages.shown()->task.empty());
    for (int row = 0; row < bench.table.model()->rowCount(); ++row)
      if (bench.table.model()->index(row, 0).data().toString() == QStringLiteral("tested"))
        bench.table.selectRow(row);
    QCOMPARE(bench.pages.shown()->task, std::string("tested"));
    // Its file is in no database: the chart says so, once somebody has looked.
    const auto* chart = &shown_chart<charts::PredictionChart>(bench.pages);
    QTRY_VERIFY_WITH_TIMEOUT(
        !chart->notice().isEmpty() && !chart->notice().contains(QStringLiteral("Predicting")),
        deadline_milliseconds);
    QVERIFY(chart->table().rows.empty());
  }

  void epochs_are_followed_live() {
    Bench bench(database_);
    study::KnownPredictor training = known_predictor(1, "first");
    training.description.reset();
    training.hash.clear();
    training.state = "training";
    training.epochs.clear();
    bench.pages.set_lists(lists_of({training}));
    bench.pages.open(models::stored_predictor_key(1));
    const charts::PredictorCurveChart* loss = nullptr;
    for (const charts::PredictorCurveChart* chart : bench.pages.findChildren<charts::PredictorCurveChart*>())
      if (!chart->isHidden() && chart->data().quantity == charts::PredictorQuantity::Loss) loss = chart;
    QVERIFY(loss != nullptr);
    QVERIFY(!loss->notice().isEmpty());
    const auto* samples = &shown_chart<charts::PredictionChart>(bench.pages);
    QVERIFY2(samples->notice().contains(QStringLiteral("once the predictor is trained")),
             qPrintable(samples->notice()));
    workspace::TrainingView view{.id = 1, .max_epochs = 50, .seconds_left = 70};
    for (std::int64_t epoch = 1; epoch <= 3; ++epoch) {
      view.epochs.push_back({.epoch = epoch, .training_loss = 1, .validation_loss = 2});
      bench.pages.set_training(view);
      QCOMPARE(loss->data().curves.front().points.size(), static_cast<std::size_t>(epoch));
    }
    QVERIFY(loss->notice().isEmpty());
    QCOMPARE(models::training_text(view), QStringLiteral("epoch 3 of 50, 1 min 10 s left"));
  }

  void outcomes_say_what_was_learnt_from() {
    models::TaskOutcomeModel model;
    const QAbstractItemModelTester tester(&model);
    study::KnownPredictor first = known_predictor(1, "first", 0.25);
    auto changed = std::make_shared<predictor::Description>(*known_predictor(2, "second", 0.5).description);
    // The second learnt from the first's test task, and was tested on one of its training tasks.
    for (predictor::TaskOutcome& outcome : changed->tasks) {
      if (outcome.task == "tested") outcome.part = predictor::DataPart::Training;
      if (outcome.task == "a") outcome.part = predictor::DataPart::Test;
    }
    study::KnownPredictor second = known_predictor(2, "second");
    second.description = changed;
    model.set_predictors({first, second});
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.columnCount(), models::TaskOutcomeModel::first_predictor_column + 10);
    QCOMPARE(cells_of(model, 0)[0], QStringLiteral("median of the test tasks"));
    QCOMPARE(cells_of(model, 0)[2], QStringLiteral("0.75"));
    const QStringList tested = cells_of(model, model.row_of("tested"));
    QCOMPARE(tested[2], QStringLiteral("0.75"));
    QCOMPARE(tested[6], QStringLiteral("2.5 % (random 10 %)"));
    QCOMPARE(tested[7], QStringLiteral("training task"));
    QCOMPARE(cells_of(model, model.row_of("a"))[2], QStringLiteral("training task"));
    QVERIFY(cells_of(model, model.row_of("validated"))[0].endsWith(QStringLiteral("(validation)")));
    model.set_predictors({});
    QCOMPARE(model.rowCount(), 0);
  }

  /** Rows that stay keep their place, whatever comes and goes. */
  void lists_of_predictors_are_merged() {
    base::Random random(testing::random_seed());
    models::PredictorModel model;
    const QAbstractItemModelTester tester(&model);
    for (int round = 0; round < 50; ++round) {
      std::vector<study::KnownPredictor> predictors;
      for (store::PredictorId id = 12; id > 0; --id)
        if (random.chance(0.5)) predictors.push_back(known_predictor(id, "p" + std::to_string(id)));
      for (const char* file : {"x.kspred", "y.kspred"}) {
        if (random.chance(0.5)) continue;
        study::KnownPredictor bundled = known_predictor(1, file);
        bundled.id.reset();
        bundled.file = file;
        predictors.push_back(bundled);
      }
      model.set_predictors(predictors);
      QCOMPARE(model.rowCount(), static_cast<int>(predictors.size()));
      for (int row = 0; row < model.rowCount(); ++row) {
        const study::KnownPredictor& expected = predictors[static_cast<std::size_t>(row)];
        QCOMPARE(models::predictor_key(model.predictor(row)), models::predictor_key(expected));
        QCOMPARE(model.row_of(models::predictor_key(expected)), row);
      }
    }
  }

  void medians_are_over_tasks_of_one_part() {
    std::vector<predictor::TaskOutcome> outcomes;
    for (const double good : {0.1, 0.2, 0.6})
      outcomes.push_back(outcome_of("t", predictor::DataPart::Test, good));
    outcomes.push_back(outcome_of("v", predictor::DataPart::Validation, 1));
    const std::vector<predictor::RegretAt> medians =
        predictor::median_regret(outcomes, predictor::DataPart::Test);
    QCOMPARE(medians.size(), std::size_t{4});
    QCOMPARE(medians.front().measurements, std::int64_t{1});
    QVERIFY(qAbs(medians.front().predicted - 0.16) < 1e-12);
    QVERIFY(qAbs(medians.back().random - 0.1) < 1e-12);
    QVERIFY(!models::regret_after(medians, 2));
    QVERIFY(predictor::median_regret(outcomes, predictor::DataPart::Training).empty());
  }
};

KERNELSCAPE_TEST(PredictorPagesTest, QApplication)

}  // namespace kernelscape::predictor_pages_test
#include "predictor_pages_test.moc"
