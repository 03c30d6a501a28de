#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>

#include "core/analysis/filter/filter.h"
#include "core/base/random.h"
#include "tests/gui/gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/models/trial_table_model.h"
#include "ui/style/numbers.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::trials_model_test {

namespace {

/** What the table has to show, by the plainest means. */
std::vector<std::uint32_t> reference_rows(const workspace::Workspace& workspace,
                                          const std::optional<analysis::RowOrder>& by) {
  const workspace::SourceData& source = *workspace.source();
  std::vector<std::uint32_t> rows;
  for (std::int64_t row = 0; row < source.trials.size(); ++row)
    if (!workspace.filtered() || workspace.filtered()->test(row))
      rows.push_back(static_cast<std::uint32_t>(row));
  if (!by) return rows;
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    const double left = source.columns().value(source.trials, a, by->column);
    const double right = source.columns().value(source.trials, b, by->column);
    if (std::isnan(left) || std::isnan(right)) return !std::isnan(left);
    return by->ascending ? left < right : left > right;
  });
  return rows;
}

std::vector<std::uint32_t> shown_rows(const models::TrialTableModel& model) {
  return {model.rows().begin(), model.rows().end()};
}

}  // namespace

class TrialsModelTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { session_ = database_.add_session(300); }

  void it_obeys_the_rules_of_models() {
    workspace::Workspace workspace(database_.path());
    models::TrialTableModel model(workspace);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(gui_tests::open_and_wait(workspace, session_));
    QCOMPARE(model.rowCount(), 300);
    base::Random random(testing::random_seed());
    const QStringList filters = {"valid",     "gflops > 100",      "invalid",
                                 "batch < 3", "trial in (5..250)", "ms < 0"};
    for (int round = 0; round < 40; ++round) {
      if (random.chance(0.5)) {
        model.sort(static_cast<int>(random.below(static_cast<std::uint64_t>(model.columnCount()) + 1)) - 1,
                   random.chance(0.5) ? Qt::AscendingOrder : Qt::DescendingOrder);
      } else {
        const QString filter = filters[static_cast<qsizetype>(random.below(6))];
        QVERIFY(workspace.set_filters(random.chance(0.3) ? QStringList() : QStringList{filter}));
      }
      QTRY_VERIFY(!model.busy());
      QCOMPARE(shown_rows(model), reference_rows(workspace, model.order()));
    }
  }

  void workers_of_a_fleet_are_a_column_like_any_other() {
    const gui_tests::Database database;
    session::Setup setup = session_tests::make_setup("random", 5, 60, 8);
    setup.target.fleet = "redis://lab.example:6379/0#epyc";
    MeasurementScript script = gui_tests::make_script();
    script.measure = [](const space::Configuration& configuration) {
      trial::Measurement measurement = gui_tests::scripted_measurement(configuration);
      measurement.worker = "host-" + std::to_string(session_tests::hash_of(configuration) % 3);
      return measurement;
    };
    const store::SessionId session = database.add_session(setup, script);
    workspace::Workspace workspace(database.path());
    models::TrialTableModel model(workspace);
    QVERIFY(gui_tests::open_and_wait(workspace, session));
    const workspace::SourceData& source = *workspace.source();
    const std::size_t column = source.columns().find(trial::Measured::Worker).value();
    QCOMPARE(source.columns().columns()[column].labels.size(), std::size_t{3});
    QVERIFY(!source.columns().find(trial::Measured::Registers));  // its class is a processor's
    QVERIFY(workspace.set_filters({QStringLiteral("worker = \"host-1\"")}));
    QTRY_VERIFY(!model.busy());
    QVERIFY(model.rowCount() > 0 && model.rowCount() < 60);
    for (const std::uint32_t row : shown_rows(model))
      QCOMPARE(source.columns().text(source.trials, row, column), std::string("host-1"));
    model.sort(static_cast<int>(column), Qt::AscendingOrder);
    QTRY_VERIFY(!model.busy());
    QCOMPARE(model.index(0, static_cast<int>(column)).data().toString(), QStringLiteral("host-1"));
  }

  void persistent_indexes_stay_at_their_trials() {
    workspace::Workspace workspace(database_.path());
    models::TrialTableModel model(workspace);
    QVERIFY(gui_tests::open_and_wait(workspace, session_));
    const QPersistentModelIndex valid(model.index(model.position_of(workspace.source()->headline.row), 2));
    model.sort(static_cast<int>(*workspace.source()->columns().find("gflops")), Qt::DescendingOrder);
    QCOMPARE(model.row_at(valid.row()), workspace.source()->headline.row);
    QVERIFY(workspace.set_filters({"valid"}));
    QCOMPARE(model.row_at(valid.row()), workspace.source()->headline.row);
    QCOMPARE(valid.column(), 2);
    QVERIFY(workspace.set_filters({"invalid"}));
    QVERIFY(!valid.isValid());
  }

  void cells_say_what_the_columns_say() {
    workspace::Workspace workspace(database_.path());
    models::TrialTableModel model(workspace);
    QVERIFY(gui_tests::open_and_wait(workspace, session_));
    const analysis::TrialColumns& columns = workspace.source()->columns();
    for (int position = 0; position < model.rowCount(); position += 7) {
      for (int column = 0; column < model.columnCount(); ++column) {
        const QModelIndex index = model.index(position, column);
        const analysis::Column& shown = columns.columns()[static_cast<std::size_t>(column)];
        const double value =
            columns.value(workspace.source()->trials, position, static_cast<std::size_t>(column));
        const QString text = model.data(index).toString();
        if (std::isnan(value)) {
          QCOMPARE(text, style::no_number());
        } else if (shown.kind == analysis::ColumnKind::Label) {
          QCOMPARE(text.toStdString(),
                   columns.text(workspace.source()->trials, position, static_cast<std::size_t>(column)));
        } else {
          const double read = QString(text).remove(QLatin1Char(',')).toDouble();
          QVERIFY2(std::abs(read - value) <= 5.1e-4 * std::abs(value), qPrintable(text));
        }
        const auto alignment = model.data(index, Qt::TextAlignmentRole).value<Qt::Alignment>();
        QCOMPARE((alignment & Qt::AlignRight) != 0, shown.kind != analysis::ColumnKind::Label);
      }
    }
  }

  void new_trials_go_where_the_order_wants_them() {
    gui_tests::Database database;
    const store::SessionId growing = database.add_session(60);
    workspace::Workspace workspace(database.path());
    models::TrialTableModel by_arrival(workspace);
    models::TrialTableModel by_time(workspace);
    const QAbstractItemModelTester first(&by_arrival, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester second(&by_time, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(gui_tests::open_and_wait(workspace, growing));
    by_time.sort(static_cast<int>(*workspace.source()->columns().find("ms")), Qt::AscendingOrder);
    QVERIFY(workspace.set_filters({"valid"}));
    QSignalSpy resets(&by_arrival, &QAbstractItemModel::modelReset);
    database.append_trials(growing, 45);
    workspace.watch().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(workspace.source()->trials.size(), 105, 20'000);
    QCOMPARE(shown_rows(by_arrival), reference_rows(workspace, std::nullopt));
    QCOMPARE(shown_rows(by_time), reference_rows(workspace, by_time.order()));
    QCOMPARE(resets.count(), 0);
  }

  void another_session_starts_anew() {
    gui_tests::Database database;
    const store::SessionId first = database.add_session(40);
    const store::SessionId second = database.add_session(50, "random", "matmul 128x128 128x128 f32");
    workspace::Workspace workspace(database.path());
    models::TrialTableModel model(workspace);
    QVERIFY(gui_tests::open_and_wait(workspace, first));
    model.sort(model.columnCount() - 1);
    QVERIFY(gui_tests::open_and_wait(workspace, second));
    QCOMPARE(model.rowCount(), 50);
    QCOMPARE(shown_rows(model), reference_rows(workspace, model.order()));
    workspace.close_source();
    QCOMPARE(model.rowCount(), 0);
    QCOMPARE(model.columnCount(), 0);
  }

  void a_large_table_is_sorted_in_the_background() {
    gui_tests::Database database;
    const store::SessionId id = database.add_session(40);
    database.append_trials(id, 25'000);
    workspace::Workspace workspace(database.path());
    models::TrialTableModel model(workspace);
    QVERIFY(gui_tests::open_and_wait(workspace, id));
    QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 25'040, 20'000);
    model.sort(static_cast<int>(*workspace.source()->columns().find("ms")), Qt::DescendingOrder);
    QVERIFY(model.busy());
    // Meanwhile the old order stands, and what is asked for next replaces what runs.
    QCOMPARE(model.row_at(7), 7);
    QVERIFY(workspace.set_filters({"valid and batch < 3"}));
    QTRY_VERIFY_WITH_TIMEOUT(!model.busy(), 20'000);
    QCOMPARE(shown_rows(model), reference_rows(workspace, model.order()));
    QVERIFY(model.rowCount() > 0);
  }

 private:
  gui_tests::Database database_;
  store::SessionId session_ = 0;
};

KERNELSCAPE_TEST(TrialsModelTest, QApplication)

}  // namespace kernelscape::trials_model_test
#include "trials_model_test.moc"
