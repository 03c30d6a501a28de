#include <QAbstractItemModelTester>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

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

QString cell(const SessionModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

}  // namespace

void FrameSessionModelTest::sessionsAppearNewestFirst() {
  const gui_tests::Database database;
  const SessionId first = database.add_session(8);
  Workspace workspace(database.path(), gui_tests::run_scripted);
  SessionModel model(workspace);
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, deadline_milliseconds);
  const QPersistentModelIndex kept(model.index(0, 0));
  const SessionId second = database.add_session(4);
  workspace.watch().refresh();
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, deadline_milliseconds);
  QCOMPARE(model.row_of(second), 0);
  QCOMPARE(model.row_of(first), 1);
  QCOMPARE(kept.row(), 1);
  QCOMPARE(model.row_of(second + 1), -1);
}

void FrameSessionModelTest::columnsSayWhatIsStored() {
  const gui_tests::Database database;
  const SessionId id = database.add_session(8);
  Store store = *Store::open(database.path());
  QVERIFY(store.set_name(id, "my run"));
  QVERIFY(store.set_note(id, "first line\nsecond line"));
  QVERIFY(store.set_tags(id, std::vector<std::string>{"fast", "new"}));
  Workspace workspace(database.path(), gui_tests::run_scripted);
  const SessionModel model(workspace);
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, deadline_milliseconds);
  QCOMPARE(cell(model, 0, SessionModel::IdColumn), QString::number(id));
  QCOMPARE(cell(model, 0, SessionModel::NameColumn), QStringLiteral("my run"));
  QCOMPARE(cell(model, 0, SessionModel::TaskColumn), QStringLiteral("resnet18/C6"));
  QCOMPARE(cell(model, 0, SessionModel::TunerColumn), QStringLiteral("random"));
  QCOMPARE(cell(model, 0, SessionModel::TrialsColumn), QStringLiteral("8/8"));
  QCOMPARE(cell(model, 0, SessionModel::ProgressColumn), QStringLiteral("100 %"));
  QCOMPARE(cell(model, 0, SessionModel::StateColumn), QStringLiteral("done"));
  QCOMPARE(cell(model, 0, SessionModel::TagsColumn), QStringLiteral("fast, new"));
  QCOMPARE(cell(model, 0, SessionModel::NoteColumn), QStringLiteral("first line"));
  QVERIFY(cell(model, 0, SessionModel::BestColumn).contains(QStringLiteral("FLOPS")));
  QCOMPARE(model.index(0, SessionModel::TrialsColumn).data(SessionModel::SortRole).toLongLong(), 8);
  for (int column = 0; column < SessionModel::column_count; ++column)
    QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
}

void FrameSessionModelTest::changesTouchOnlyTheirRow() {
  const gui_tests::Database database;
  database.add_session(8);
  const SessionId second = database.add_session(4);
  Workspace workspace(database.path(), gui_tests::run_scripted);
  const SessionModel model(workspace);
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, deadline_milliseconds);
  QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  QVERIFY(workspace.write([&](Store& store) { return store.set_name(second, "other"); }));
  QTRY_COMPARE_WITH_TIMEOUT(cell(model, 0, SessionModel::NameColumn), QStringLiteral("other"),
                            deadline_milliseconds);
  QCOMPARE(changed.size(), 1);
  QCOMPARE(changed.front().at(0).toModelIndex().row(), 0);
  QCOMPARE(changed.front().at(1).toModelIndex().row(), 0);
  QCOMPARE(reset.size(), 0);
}

void FrameSessionModelTest::deletedSessionsLeave() {
  const gui_tests::Database database;
  std::vector<SessionId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(database.add_session(2));
  Workspace workspace(database.path(), gui_tests::run_scripted);
  SessionModel model(workspace);
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 4, deadline_milliseconds);
  QVERIFY(workspace.write([&](Store& store) -> Status {
    if (const Status first = store.trash_session(ids[1]); !first) return first;
    return store.trash_session(ids[3]);
  }));
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, deadline_milliseconds);
  QCOMPARE(model.row_of(ids[2]), 0);
  QCOMPARE(model.row_of(ids[0]), 1);
  QVERIFY(workspace.write([&](Store& store) { return store.restore_trashed(ids[1]); }));
  QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 3, deadline_milliseconds);
  QCOMPARE(model.row_of(ids[1]), 1);
}

void FrameSessionModelTest::confirmedAndUnconfirmedAreTold() {
  SessionEntry session;
  session.flops = 2e9;
  QCOMPARE(session_speed_text(session), session_best_text(session));
  session.summary.status.best_trial = 3;
  session.summary.status.best_seconds = 0.01;
  QCOMPARE(session_best_text(session), QStringLiteral("200 GFLOPS unconfirmed"));
  session.confirmed_seconds = Quartiles{.count = 1, .median = 0.02};
  QCOMPARE(session_best_text(session), QStringLiteral("100 GFLOPS"));
  QCOMPARE(session_best_speed(session), 100.0);
  session.flops = 0;
  QCOMPARE(session_best_text(session), QStringLiteral("20 ms"));
}

void FrameSessionModelTest::progressIsTheNearestLimit() {
  SessionEntry session;
  session.summary.status.trial_count = 20;
  session.summary.status.session_seconds = 45;
  QCOMPARE(session_progress(session, Budget{.trials = 0}), -1.0);
  QCOMPARE(session_progress(session, Budget{.trials = 100}), 0.2);
  QCOMPARE(session_progress(session, Budget{.trials = 100, .minutes = 1}), 0.75);
  QCOMPARE(session_progress(session, Budget{.trials = 10}), 1.0);
  session.summary.status.state = SessionState::Done;
  QCOMPARE(session_progress(session, Budget{.trials = 100}), 1.0);
}

void FrameSessionModelTest::theSparklineOnlyRises() {
  SessionEntry session;
  QVERIFY(sparkline(session, QRectF(0, 0, 10, 10)).isEmpty());
  session.summary.status.trial_count = 50;
  session.improvements = {{2, 2, 0.5, 4e-3}, {10, 10, 1, 2e-3}, {30, 30, 2, 1e-3}};
  const QRectF area(5, 7, 60, 20);
  const QPolygonF line = sparkline(session, area);
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
              .match(short_created_text(noon, QDate(2026, 6, 15)))
              .hasMatch());
  QCOMPARE(short_created_text(noon, QDate(2026, 9, 1)), QStringLiteral("Jun 15"));
  QCOMPARE(short_created_text(noon, QDate(2027, 1, 1)), QStringLiteral("2026-06-15"));
  QCOMPARE(short_created_text("no time", QDate(2027, 1, 1)), QStringLiteral("no time"));
}

KERNELSCAPE_TEST(FrameSessionModelTest, QApplication)

}  // namespace kernelscape::frame_session_model_test
#include "frame_session_model_test.moc"
