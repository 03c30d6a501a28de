#include <QAbstractItemModelTester>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/frame/sessions/session_delegate.h"
#include "ui/models/session_model.h"
#include "ui/models/session_text.h"

namespace kernelscape::frame_session_model_test {

/** The list of sessions follows the database, row by row. */
class FrameSessionModelTest : public QObject {
  Q_OBJECT

 private slots:
  void sessionsAppearNewestFirst();
  void columnsSayWhatIsStored();
  void changesTouchOnlyTheirRow();
  void deletedSessionsLeave();
  void confirmedAndUnconfirmedAreTold();
  void progressIsTheNearestLimit();
  void theSparklineOnlyRises();
  void timesAreAsShortAsAListNeedsThem();
};

namespace {

constexpr int deadline_milliseconds = 20'000;

QString cell(const models::SessionModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

}  // namespace

void FrameSessionModelTest::sessionsAppearNewestFirst() {
  const gui_tests::Database database;
  const store::SessionId first = database.add_session(8);
  workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
  models::SessionModel model(workspace);
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, deadline_milliseconds);
  const QPersistentModelIndex kept(model.index(0, 0));
  const store::SessionId second = database.add_session(4);
  workspace.watch().refresh();
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, deadline_milliseconds);
  QCOMPARE(model.row_of(second), 0);
  QCOMPARE(model.row_of(first), 1);
  QCOMPARE(kept.row(), 1);
  QCOMPARE(model.row_of(second + 1), -1);
}

void FrameSessionModelTest::columnsSayWhatIsStored() {
  const gui_tests::Database database;
  const store::SessionId id = database.add_session(8);
  store::Store store = *store::Store::open(database.path());
  QVERIFY(store.sessions().set_name(id, "my run"));
  QVERIFY(store.sessions().set_note(id, "first line\nsecond line"));
  QVERIFY(store.sessions().set_tags(id, std::vector<std::string>{"fast", "new"}));
  workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
  const models::SessionModel model(workspace);
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, deadline_milliseconds);
  QCOMPARE(cell(model, 0, models::SessionModel::IdColumn), QString::number(id));
  QCOMPARE(cell(model, 0, models::SessionModel::NameColumn), QStringLiteral("my run"));
  QCOMPARE(cell(model, 0, models::SessionModel::TaskColumn), QStringLiteral("resnet18/C6"));
  QCOMPARE(cell(model, 0, models::SessionModel::TunerColumn), QStringLiteral("random"));
  QCOMPARE(cell(model, 0, models::SessionModel::TrialsColumn), QStringLiteral("8/8"));
  QCOMPARE(cell(model, 0, models::SessionModel::ProgressColumn), QStringLiteral("100 %"));
  QCOMPARE(cell(model, 0, models::SessionModel::StateColumn), QStringLiteral("done"));
  QCOMPARE(cell(model, 0, models::SessionModel::TagsColumn), QStringLiteral("fast, new"));
  QCOMPARE(cell(model, 0, models::SessionModel::NoteColumn), QStringLiteral("first line"));
  QVERIFY(cell(model, 0, models::SessionModel::BestColumn).contains(QStringLiteral("FLOPS")));
  QCOMPARE(
      model.index(0, models::SessionModel::TrialsColumn).data(models::SessionModel::SortRole).toLongLong(),
      8);
  for (int column = 0; column < models::SessionModel::column_count; ++column)
    QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
}

void FrameSessionModelTest::changesTouchOnlyTheirRow() {
  const gui_tests::Database database;
  database.add_session(8);
  const store::SessionId second = database.add_session(4);
  workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
  const models::SessionModel model(workspace);
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, deadline_milliseconds);
  QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  QVERIFY(workspace.write([&](store::Store& store) { return store.sessions().set_name(second, "other"); }));
  QTRY_COMPARE_WITH_TIMEOUT(cell(model, 0, models::SessionModel::NameColumn), QStringLiteral("other"),
                            deadline_milliseconds);
  QCOMPARE(changed.size(), 1);
  QCOMPARE(changed.front().at(0).toModelIndex().row(), 0);
  QCOMPARE(changed.front().at(1).toModelIndex().row(), 0);
  QCOMPARE(reset.size(), 0);
}

void FrameSessionModelTest::deletedSessionsLeave() {
  const gui_tests::Database database;
  std::vector<store::SessionId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(database.add_session(2));
  workspace::Workspace workspace(database.path(), gui_tests::run_scripted);
  models::SessionModel model(workspace);
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 4, deadline_milliseconds);
  QVERIFY(workspace.write([&](store::Store& store) -> Status {
    if (const Status first = store.sessions().trash(ids[1]); !first) return first;
    return store.sessions().trash(ids[3]);
  }));
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, deadline_milliseconds);
  QCOMPARE(model.row_of(ids[2]), 0);
  QCOMPARE(model.row_of(ids[0]), 1);
  QVERIFY(workspace.write([&](store::Store& store) { return store.sessions().restore(ids[1]); }));
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 3, deadline_milliseconds);
  QCOMPARE(model.row_of(ids[1]), 1);
}

void FrameSessionModelTest::confirmedAndUnconfirmedAreTold() {
  workspace::SessionEntry session;
  session.flops = 2e9;
  QCOMPARE(models::session_speed_text(session), models::session_best_text(session));
  session.best.trial = 3;
  session.best.kind = analysis::BestKind::Measured;
  session.best.value.seconds = 0.01;
  QCOMPARE(models::session_best_text(session), QStringLiteral("200 GFLOPS unconfirmed"));
  session.best.kind = analysis::BestKind::ConfirmedSlow;
  session.best.machine_share = 0.5;
  QCOMPARE(models::session_best_text(session),
           QStringLiteral("200 GFLOPS confirmed at 50 % of the machine's usual speed"));
  session.best.kind = analysis::BestKind::Confirmed;
  session.best.value.seconds = 0.02;
  QCOMPARE(models::session_best_text(session), QStringLiteral("100 GFLOPS"));
  QCOMPARE(models::session_best_speed(session), 100.0);
  session.flops = 0;
  QCOMPARE(models::session_best_text(session), QStringLiteral("20 ms"));
}

void FrameSessionModelTest::progressIsTheNearestLimit() {
  workspace::SessionEntry session;
  session.summary.status.trial_count = 20;
  session.summary.status.session_seconds = 45;
  QCOMPARE(models::session_progress(session, trial::Budget{.trials = 0}), -1.0);
  QCOMPARE(models::session_progress(session, trial::Budget{.trials = 100}), 0.2);
  QCOMPARE(models::session_progress(session, trial::Budget{.trials = 100, .minutes = 1}), 0.75);
  QCOMPARE(models::session_progress(session, trial::Budget{.trials = 10}), 1.0);
  const store::SessionStatus& status = session.summary.status;
  QVERIFY(std::isinf(models::session_seconds_left(status, trial::Budget{.trials = 0})));
  QCOMPARE(models::session_seconds_left(status, trial::Budget{.trials = 100}), 180.0);
  QCOMPARE(models::session_seconds_left(status, trial::Budget{.trials = 100, .minutes = 1}), 15.0);
  QCOMPARE(models::session_seconds_left(status, trial::Budget{.trials = 10}), 0.0);
  QVERIFY(std::isinf(models::session_seconds_left({}, trial::Budget{.trials = 100})));
  session.summary.status.state = store::SessionState::Done;
  QCOMPARE(models::session_progress(session, trial::Budget{.trials = 100}), 1.0);
}

void FrameSessionModelTest::theSparklineOnlyRises() {
  workspace::SessionEntry session;
  QVERIFY(frame::sparkline(session, QRectF(0, 0, 10, 10)).isEmpty());
  session.summary.status.trial_count = 50;
  session.improvements = {{2, 2, 0.5, 4e-3}, {10, 10, 1, 2e-3}, {30, 30, 2, 1e-3}};
  const QRectF area(5, 7, 60, 20);
  const QPolygonF line = frame::sparkline(session, area);
  QVERIFY(line.size() > 4);
  for (qsizetype i = 1; i < line.size(); ++i) {
    QVERIFY(line[i].x() >= line[i - 1].x());
    QVERIFY(line[i].y() <= line[i - 1].y());
  }
  QCOMPARE(line.front(), area.bottomLeft());
  QCOMPARE(line.back(), area.topRight());
}

void FrameSessionModelTest::timesAreAsShortAsAListNeedsThem() {
  const std::string noon = "2026-06-15T12:00:00Z";
  QVERIFY(QRegularExpression(QStringLiteral("^\\d\\d:\\d\\d$"))
              .match(models::short_created_text(noon, QDate(2026, 6, 15)))
              .hasMatch());
  QCOMPARE(models::short_created_text(noon, QDate(2026, 9, 1)), QStringLiteral("Jun 15"));
  QCOMPARE(models::short_created_text(noon, QDate(2027, 1, 1)), QStringLiteral("2026-06-15"));
  QCOMPARE(models::short_created_text("no time", QDate(2027, 1, 1)), QStringLiteral("no time"));
}

KERNELSCAPE_TEST(FrameSessionModelTest, QApplication)

}  // namespace kernelscape::frame_session_model_test
#include "frame_session_model_test.moc"
