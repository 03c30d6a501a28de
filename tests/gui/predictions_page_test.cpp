#include "ui/views/explore/predictions_page.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <memory>

#include "core/analysis/filter/filter.h"
#include "tests/gui/gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/charts/curves/prediction_chart.h"
#include "ui/figures/misjudged_trials.h"
#include "ui/views/explore/misjudged_model.h"
#include "ui/views/explore/shown_watch.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/source.h"

namespace kernelscape::predictions_page_test {
namespace {

constexpr std::int64_t trial_count = 120;
constexpr std::int64_t predicted_from = 20;
constexpr int deadline_milliseconds = 30'000;

}  // namespace

class PredictionsPageTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId predicted_ = 0;
  store::SessionId silent_ = 0;

  /** A tuner that is off by a random factor. */
  void predict(store::SessionId id) const {
    store::Store store = *store::Store::open(database_.path());
    const workspace::Source source = *workspace::SourceReader(store, id).read();
    base::Random random(testing::random_seed());
    std::vector<store::StoredSeries> values;
    for (std::int64_t row = predicted_from; row < source->trials.size(); ++row) {
      const trial::Row trial = source->trials.row(row);
      const double speed =
          trial.median_seconds > 0 ? trial::fitness_of(trial.median_seconds, source->flops()) : 50;
      values.push_back({trial.number, "predicted_mean", speed * (0.2 + 4 * random.uniform())});
    }
    QVERIFY(store.series().append(id, values));
  }

  /** What a page needs; it shows the session's trials that pass the filters. */
  struct Bench {
    explicit Bench(const gui_tests::Database& database)
        : workspace(database.path(), gui_tests::run_scripted) {
      QObject::connect(&watch, &views::ShownWatch::changed, &page, [this] { page.set_shown(watch.shown()); });
      QObject::connect(&workspace, &workspace::Workspace::current_row_changed, &page,
                       [this] { page.follow_current(); });
      watch.set_active(true);
      page.resize(1000, 600);
      page.show();
    }
    ~Bench() { workspace::JobTracker::wait_for_all(); }

    bool open(store::SessionId session) {
      workspace.open_session(session);
      return QTest::qWaitFor([&] { return watch.shown() != nullptr; }, deadline_milliseconds);
    }

    workspace::Workspace workspace;
    views::ShownWatch watch{workspace};
    views::PredictionsPage page{workspace};
    QTableView& table = *page.findChild<QTableView*>();
    views::MisjudgedModel& model = *page.findChild<views::MisjudgedModel*>();
    charts::PredictionChart& chart = *page.findChild<charts::PredictionChart*>();
  };

 private slots:
  void initTestCase() {
    predicted_ = database_.add_session(trial_count);
    silent_ = database_.add_session(trial_count);
    predict(predicted_);
  }

  void the_worst_misjudged_come_first() {
    Bench bench(database_);
    const QAbstractItemModelTester tester(&bench.model);
    QVERIFY(bench.open(predicted_));
    QTRY_VERIFY_WITH_TIMEOUT(bench.model.rowCount() > 0, deadline_milliseconds);
    const workspace::Source source = bench.workspace.source();
    std::int64_t judged = 0;
    for (std::int64_t row = predicted_from; row < source->trials.size(); ++row)
      if (source->trials.row(row).median_seconds > 0) ++judged;
    QCOMPARE(std::int64_t{bench.model.rowCount()}, judged);
    for (int row = 0; row < bench.model.rowCount(); ++row) {
      const figures::MisjudgedTrial& trial = bench.model.trial(row);
      QCOMPARE(trial.measured,
               trial::fitness_of(source->trials.row(trial.row).median_seconds, source->flops()));
      const double factor = std::max(trial.predicted / trial.measured, trial.measured / trial.predicted);
      QVERIFY(qAbs(trial.off() - (1 - 1 / factor)) < 1e-9);
      if (row > 0) QVERIFY(bench.model.trial(row - 1).off() >= trial.off());
    }
  }

  void a_row_of_the_list_is_the_current_trial() {
    Bench bench(database_);
    QVERIFY(bench.open(predicted_));
    QTRY_VERIFY_WITH_TIMEOUT(bench.model.rowCount() > 3, deadline_milliseconds);
    const QRect cell = bench.table.visualRect(bench.model.index(3, 0));
    QTest::mouseClick(bench.table.viewport(), Qt::LeftButton, {}, cell.center());
    QCOMPARE(bench.workspace.current_row(), bench.model.trial(3).row);
    bench.workspace.set_current_row(bench.model.trial(1).row);
    QCOMPARE(bench.table.currentIndex().row(), 1);
    // One that was not predicted is in no row of the list.
    bench.workspace.set_current_row(0);
    QVERIFY(!bench.table.selectionModel()->hasSelection());
  }

  void filters_leave_trials_out() {
    Bench bench(database_);
    QVERIFY(bench.open(predicted_));
    QTRY_VERIFY_WITH_TIMEOUT(bench.model.rowCount() > 0, deadline_milliseconds);
    const int all = bench.model.rowCount();
    QVERIFY(bench.workspace.set_filters({QStringLiteral("trial < 60")}));
    QTRY_VERIFY_WITH_TIMEOUT(bench.model.rowCount() < all && bench.model.rowCount() > 0,
                             deadline_milliseconds);
    for (int row = 0; row < bench.model.rowCount(); ++row) QVERIFY(bench.model.trial(row).trial < 60);
  }

  void a_tuner_without_a_model_is_named() {
    Bench bench(database_);
    QVERIFY(bench.open(silent_));
    QTRY_VERIFY_WITH_TIMEOUT(bench.chart.notice().startsWith(QStringLiteral("random ")),
                             deadline_milliseconds);
    QCOMPARE(bench.model.rowCount(), 0);
  }

  void what_no_tuner_chose_is_said_without_a_name_data() {
    QTest::addColumn<store::SessionKind>("kind");
    QTest::addColumn<QString>("start");
    QTest::newRow("recorded space") << store::SessionKind::Recorded << QStringLiteral("A recorded space ");
    QTest::newRow("log") << store::SessionKind::Imported << QStringLiteral("The imported log ");
  }

  void what_no_tuner_chose_is_said_without_a_name() {
    QFETCH(const store::SessionKind, kind);
    QFETCH(const QString, start);
    Bench bench(database_);
    QVERIFY(bench.open(silent_));
    auto source = std::make_shared<workspace::SourceData>(*bench.workspace.source());
    auto origin = std::make_shared<workspace::SourceOrigin>(*source->origin);
    origin->record.kind = kind;
    origin->record.tuner.clear();
    source->origin = origin;
    auto shown = std::make_shared<figures::ShownTrials>(*bench.watch.shown());
    shown->source = source;
    bench.page.set_shown(shown);
    QTRY_VERIFY_WITH_TIMEOUT(bench.chart.notice().startsWith(start), deadline_milliseconds);
    QVERIFY(!bench.chart.notice().contains(QStringLiteral("reported")));
  }

  void predictions_of_nothing_are_the_worst() {
    const figures::MisjudgedTrial none{
        .row = 0, .trial = 0, .predicted = -3, .measured = 10, .configuration = {}};
    const figures::MisjudgedTrial high{
        .row = 1, .trial = 1, .predicted = 90, .measured = 10, .configuration = {}};
    QVERIFY(none.off() > 1 && high.off() < 1);
  }
};

KERNELSCAPE_TEST(PredictionsPageTest, QApplication)

}  // namespace kernelscape::predictions_page_test
#include "predictions_page_test.moc"
