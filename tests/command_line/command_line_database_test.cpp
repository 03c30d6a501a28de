#include <sqlite3.h>
#include <unistd.h>

#include <QFile>
#include <QTest>

#include "core/measure/cpu/cpu_target.h"
#include "core/session/setup.h"
#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

using namespace kernelscape;
using namespace kernelscape::command_line_tests;

/** Databases and sessions that can't be used as they are: a clear error, and nothing lost. */
class CommandLineDatabaseTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  QString database_;

  Store store() const { return *Store::open(database_.toStdString()); }
  SessionId make_session(const std::function<void(SessionSetup&)>& change, bool owned = false);

 private slots:
  void init();
  void unwritablePlaces_data();
  void unwritablePlaces();
  void newerSchema();
  void noDatabase();
  void aLivingOwner();
  void anotherTemplateVersion();
  void anotherMachine();
  void aTemplateThatIsGone();
  void lowerBudgets();
  void ambiguousNames();
};

void CommandLineDatabaseTest::init() {
  static int count = 0;
  database_ = shell_.path(QString("test%1.db").arg(++count));
}

/** An interrupted session of this machine without trials, changed as the test wants. */
SessionId CommandLineDatabaseTest::make_session(const std::function<void(SessionSetup&)>& change,
                                                bool owned) {
  const Task task = *parse_task("matmul 32x32 32x32 f32");
  const ScheduledKernel kernel = *apply_template(task, *describe_cpu_target());
  SessionSetup setup{.space = kernel.space()};
  setup.name = "changed";
  setup.task = task;
  setup.target = kernel.target();
  setup.template_name = kernel.template_name();
  setup.template_version = kernel.template_version();
  setup.tuner = "random";
  setup.settings = *parse_settings(**find_tuner("random"), {});
  setup.batch_size = 4;
  setup.budget.trials = 4;
  change(setup);
  Store database = store();
  const Owner owner = Owner::this_process();
  const SessionId id = *database.create_session(make_record(setup), owner);
  if (!owned) {
    SessionStatus status;
    status.state = SessionState::Interrupted;
    [[maybe_unused]] const Status stored = database.update_status(id, status);
    [[maybe_unused]] const Status released = database.release_session(id, owner);
  }
  return id;
}

void CommandLineDatabaseTest::unwritablePlaces_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<int>("code");
  QTest::addRow("no folder can be made") << "/proc/nowhere/kernelscape.db" << 1;
  QTest::addRow("a folder") << "/tmp" << 2;
}

void CommandLineDatabaseTest::unwritablePlaces() {
  QFETCH(QString, path);
  QFETCH(int, code);
  const CommandResult result = shell_.run({"tune", "resnet18/C2", "--trials", "1", "--db", path});
  QVERIFY2(result.code == code, result.all().c_str());
  QVERIFY2(result.error.find(path.toStdString()) != std::string::npos, result.error.c_str());
}

void CommandLineDatabaseTest::newerSchema() {
  make_session([](SessionSetup&) {});
  sqlite3* raw = nullptr;
  QCOMPARE(sqlite3_open(database_.toUtf8().constData(), &raw), SQLITE_OK);
  QCOMPARE(sqlite3_exec(raw, "PRAGMA user_version = 999", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  for (const QStringList& command :
       {QStringList{"sessions"}, {"show", "1"}, {"resume", "1"}, {"delete", "1"}}) {
    const CommandResult result = shell_.run(QStringList(command) << "--db" << database_);
    QVERIFY2(result.code == 1, result.all().c_str());
    QVERIFY2(result.error.find("999") != std::string::npos, result.error.c_str());
    QVERIFY2(result.error.find(database_.toStdString()) != std::string::npos, result.error.c_str());
  }
}

void CommandLineDatabaseTest::noDatabase() {
  QFile file(database_);
  QVERIFY(file.open(QIODevice::WriteOnly));
  const QByteArray content = QByteArray("this is a letter to my mother\n").repeated(300);
  file.write(content);
  file.close();
  const CommandResult result = shell_.run({"tune", "resnet18/C2", "--trials", "1", "--db", database_});
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY(result.error.find(database_.toStdString()) != std::string::npos);
  QVERIFY(file.open(QIODevice::ReadOnly));
  QVERIFY(file.readAll() == content);
}

void CommandLineDatabaseTest::aLivingOwner() {
  const QString id = QString::number(make_session([](SessionSetup&) {}, true));
  for (const char* command : {"resume", "delete"}) {
    const CommandResult result = shell_.run({command, id, "--db", database_});
    QVERIFY2(result.code == 1, result.all().c_str());
    QVERIFY2(result.error.find(std::to_string(getpid())) != std::string::npos, result.error.c_str());
  }
  QCOMPARE(shell_.run({"show", id, "--db", database_}).code, 0);
}

void CommandLineDatabaseTest::anotherTemplateVersion() {
  const QString id = QString::number(make_session([](SessionSetup& setup) { setup.template_version = 999; }));
  const CommandResult result = shell_.run({"resume", id, "--db", database_});
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY(result.error.find("can be viewed, not resumed") != std::string::npos);
  QVERIFY(result.error.find("version 999") != std::string::npos);
  QVERIFY(result.error.find("--warm-start") != std::string::npos);
  QCOMPARE(shell_.run({"show", id, "--db", database_}).code, 0);
}

void CommandLineDatabaseTest::anotherMachine() {
  const QString id = QString::number(make_session([](SessionSetup& setup) {
    setup.target.device = "Z80";
    setup.target.cores += 1;
  }));
  const CommandResult result = shell_.run({"resume", id, "--db", database_});
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY(result.error.find("Z80") != std::string::npos);
  QVERIFY(result.error.find("cores") != std::string::npos);
  const CommandResult shown = shell_.run({"show", id, "--db", database_});
  QCOMPARE(shown.code, 0);
  QVERIFY(shown.output.find("Z80") != std::string::npos);
}

void CommandLineDatabaseTest::aTemplateThatIsGone() {
  const QString id =
      QString::number(make_session([](SessionSetup& setup) { setup.template_name = "long-gone"; }));
  const CommandResult result = shell_.run({"resume", id, "--db", database_});
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY(result.error.find("long-gone") != std::string::npos);
  QCOMPARE(shell_.run({"show", id, "--db", database_}).code, 0);
}

void CommandLineDatabaseTest::lowerBudgets() {
  const QString id = QString::number(make_session([](SessionSetup&) {}));
  const CommandResult result = shell_.run({"resume", id, "--trials", "3", "--db", database_});
  QVERIFY2(result.code == 2, result.all().c_str());
  QVERIFY(result.error.find("trials") != std::string::npos);
}

void CommandLineDatabaseTest::ambiguousNames() {
  const SessionId first = make_session([](SessionSetup&) {});
  const SessionId second = make_session([](SessionSetup&) {});
  const CommandResult result = shell_.run({"delete", "changed", "--db", database_});
  QVERIFY2(result.code == 1 || result.code == 2, result.all().c_str());
  QVERIFY(result.error.find(std::to_string(first)) != std::string::npos);
  QVERIFY(result.error.find(std::to_string(second)) != std::string::npos);
  QCOMPARE(store().sessions()->size(), std::size_t(2));
}

KERNELSCAPE_TEST(CommandLineDatabaseTest, QCoreApplication)
#include "command_line_database_test.moc"
