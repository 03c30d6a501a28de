#include "ui/views/explore/constraints_page.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTest>
#include <set>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/charts/landscape/constraint_text.h"
#include "ui/views/explore/constraint_model.h"
#include "ui/views/explore/shown_watch.h"
#include "ui/workspace/run_queue.h"

namespace kernelscape::constraints_page_test {
namespace {

constexpr std::int64_t trial_count = 60;
constexpr int deadline_milliseconds = 30'000;

/** The page of an open session. */
struct Bench {
  explicit Bench(const gui_tests::Database& database) : workspace(database.path(), gui_tests::run_scripted) {
    watch.set_active(true);
    QObject::connect(&workspace, &workspace::Workspace::current_row_changed, &page,
                     &views::ExplorePage::follow_current);
    page.resize(1200, 700);
    page.show();
  }

  bool open(store::SessionId session) {
    workspace.open_session(session);
    if (!QTest::qWaitFor([&] { return watch.shown() != nullptr; }, deadline_milliseconds)) return false;
    page.set_shown(watch.shown());
    return QTest::qWaitFor([&] { return chart().data().scene != nullptr; }, deadline_milliseconds);
  }
  bool shows(std::int64_t row) {
    workspace.set_current_row(row);
    const QString name = QStringLiteral("trial %1").arg(workspace.source()->trials.row(row).number);
    return QTest::qWaitFor([&] { return chart().data().trial && chart().data().trial->name == name; },
                           deadline_milliseconds);
  }
  charts::ConstraintChart& chart() { return *page.findChild<charts::ConstraintChart*>(); }
  QTableView& table() { return *page.findChild<QTableView*>(); }
  QString words() { return page.findChild<QPlainTextEdit*>()->toPlainText(); }

  workspace::Workspace workspace;
  views::ShownWatch watch{workspace};
  views::ConstraintsPage page{workspace};
};

}  // namespace

class ConstraintsPageTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId gpu_ = 0;

 private slots:
  void initTestCase() { gpu_ = database_.add_gpu_session(trial_count, false); }

  void the_limits_of_the_target_are_in_the_graph() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    const charts::ConstraintScene& scene = *bench.chart().data().scene;
    const store::Store store = *store::Store::open(database_.path());
    const store::SessionRecord record = store.sessions().get(gpu_)->record;
    const schedule::ScheduledKernel kernel = *schedule::apply_template(
        *task::task_from_json(record.task_json), gui_tests::scripted_gpu(), record.template_name);
    const std::size_t own = kernel.space().constraints().constraints().size();
    QCOMPARE(scene.roles.size(), own + kernel.limits().constraints().size());
    QCOMPARE(scene.count(charts::ConstraintRole::Limit), kernel.limits().constraints().size());
    QVERIFY(scene.limits_unknown.isEmpty());
    // Without a current trial, the best one's values.
    const workspace::Source& source = bench.workspace.source();
    QCOMPARE(bench.chart().data().trial->name,
             QStringLiteral("trial %1").arg(source->trials.row(source->headline.row).number));
  }

  void values_and_violations_follow_the_current_trial() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    const space::SearchSpace& space = bench.workspace.source()->space();
    for (std::int64_t row = 0; row < trial_count; row += 7) {
      QVERIFY(bench.shows(row));
      const charts::ConstraintData& data = bench.chart().data();
      const space::Evaluation expected =
          data.scene->system.evaluate(space.knobs(), bench.workspace.source()->trials.configuration(row));
      QVERIFY(data.trial->evaluation.values == expected.values);
      QVERIFY(data.trial->evaluation.violated == expected.violated);
      for (const std::size_t violated : expected.violated)
        QVERIFY(
            bench.words().contains(QString::fromStdString(data.scene->system.explain(violated, expected))));
    }
  }

  void everything_is_chosen_from_the_list_without_a_mouse() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    const charts::ConstraintScene& scene = *bench.chart().data().scene;
    QTableView& table = bench.table();
    table.setFocus();
    std::set<std::size_t> chosen;
    table.setCurrentIndex(table.model()->index(0, 0));
    for (std::size_t row = 0; row < scene.items.size(); ++row) {
      QCOMPARE(table.currentIndex().row(), static_cast<int>(row));
      QVERIFY(bench.chart().chosen() == scene.items[row].node);
      QCOMPARE(bench.words(),
               charts::node_text(bench.chart().data(), scene.items[row].node).join(QStringLiteral("\n\n")));
      chosen.insert(scene.items[row].node);
      QTest::keyClick(&table, Qt::Key_Down);
    }
    QCOMPARE(chosen.size(), scene.net.nodes.size());
  }

  void what_is_clicked_is_found_in_the_list() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    const charts::ConstraintScene& scene = *bench.chart().data().scene;
    auto* model = bench.page.findChild<views::ConstraintModel*>();
    const QAbstractItemModelTester tester(model);
    auto* search = bench.page.findChild<QLineEdit*>();
    search->setText(QStringLiteral("no such variable"));
    QCOMPARE(bench.table().model()->rowCount(), 0);
    const std::size_t node = scene.net.nodes.size() - 1;
    QTest::mouseClick(&bench.chart(), Qt::LeftButton, {}, bench.chart().box_of(node).center().toPoint());
    // The search hid it.
    QVERIFY(search->text().isEmpty());
    QCOMPARE(bench.table().currentIndex().row(), model->row_of(node));
    QVERIFY(bench.chart().chosen() == node);
    // Another trial leaves the choice alone.
    QVERIFY(bench.shows(3));
    QVERIFY(bench.chart().chosen() == node);
    QCOMPARE(bench.table().currentIndex().row(), model->row_of(node));
    QTest::keyClick(&bench.chart(), Qt::Key_Home);
    QVERIFY(!bench.chart().chosen() && !bench.table().currentIndex().isValid());
  }

  void a_search_shows_the_rows_with_its_words() {
    Bench bench(database_);
    QVERIFY(bench.open(gpu_));
    auto* search = bench.page.findChild<QLineEdit*>();
    search->setText(QStringLiteral("limit threads"));
    const QAbstractItemModel& rows = *bench.table().model();
    QVERIFY(rows.rowCount() > 0 &&
            rows.rowCount() < static_cast<int>(bench.chart().data().scene->items.size()));
    for (int row = 0; row < rows.rowCount(); ++row) {
      QString all;
      for (int column = 0; column < rows.columnCount(); ++column)
        all += rows.index(row, column).data().toString();
      QVERIFY(all.contains(QStringLiteral("limit")) && all.contains(QStringLiteral("threads")));
    }
  }

  void a_space_without_constraints_says_so() {
    const store::SessionId free = database_.add_session(session_tests::make_setup("random", 5, 20, 10));
    Bench bench(database_);
    QVERIFY(bench.open(free));
    const charts::ConstraintScene& scene = *bench.chart().data().scene;
    QVERIFY(scene.system.empty());
    QVERIFY(bench.chart().notice().contains(QStringLiteral("No constraint restricts this space")));
    QVERIFY(!scene.limits_unknown.isEmpty());
    QVERIFY(bench.chart().notice().contains(scene.limits_unknown));
    // The next session starts anew.
    bench.page.set_shown(nullptr);
    QVERIFY(bench.chart().data().scene == nullptr && bench.words().isEmpty());
  }

  void cleanupTestCase() { workspace::JobTracker::wait_for_all(); }
};

KERNELSCAPE_TEST(ConstraintsPageTest, QApplication)

}  // namespace kernelscape::constraints_page_test
#include "constraints_page_test.moc"
