#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/measure/cpu/cpu_target.h"
#include "core/session/setup.h"
#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_database_test {
using namespace kernelscape::command_line_tests;

/** Databases and sessions that can't be used as they are: a clear error, and nothing lost. */
class CommandLineDatabaseTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  QString database_;

  store::Store store() const { return *store::Store::open(database_.toStdString()); }
  bool run_sql(const QString& sql) const;
  store::SessionId make_session(const std::function<void(session::Setup&)>& change, bool owned = false);

 private slots:
  void init();
  void unwritablePlaces_data();
  void unwritablePlaces();
  void newerSchema();
  void noDatabase();
  void aFreshMachine();
  void mistypedDatabases_data();
  void mistypedDatabases();
  void lookingChangesNothing_data();
  void lookingChangesNothing();
  void aDamagedSessionHidesNoOther();
  void aLivingOwner();
  void anotherTemplateVersion();
  void anotherMachine();
  void aTemplateThatIsGone();
  void lowerBudgets();
  void ambiguousNames();
  void unknownSessionsAreToldWhichThereAre();
};

void CommandLineDatabaseTest::init() {
  static int count = 0;
  database_ = shell_.path(QString("test%1.db").arg(++count));
}

/** As another program would do it. */
bool CommandLineDatabaseTest::run_sql(const QString& sql) const {
  sqlite3* raw = nullptr;
  const bool done = sqlite3_open(database_.toUtf8().constData(), &raw) == SQLITE_OK &&
                    sqlite3_exec(raw, sql.toUtf8().constData(), nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(raw);
  return done;
}

/** An interrupted session of this machine without trials, changed as the test wants. */
store::SessionId CommandLineDatabaseTest::make_session(const std::function<void(session::Setup&)>& change,
                                                       bool owned) {
  const task::Task task = *task::parse_task("matmul 32x32 32x32 f32");
  const schedule::ScheduledKernel kernel = *schedule::apply_template(task, *measure::describe_cpu_target());
  session::Setup setup{.space = kernel.space()};
  setup.name = "changed";
  setup.task = task;
  setup.target = kernel.target();
  setup.template_name = kernel.template_name();
  setup.template_version = kernel.template_version();
  setup.tuner = "random";
  setup.settings = *tuner::parse_settings(**tuner::find_tuner("random"), {});
  setup.batch_size = 4;
  setup.budget.trials = 4;
  change(setup);
  store::Store database = store();
  const store::Owner owner = store::Owner::this_process();
  const store::SessionId id = *database.sessions().create(session::make_record(setup), owner);
  if (!owned) {
    store::SessionStatus status;
    status.state = store::SessionState::Interrupted;
    [[maybe_unused]] const Status stored = database.sessions().update_status(id, status);
    [[maybe_unused]] const Status released = database.sessions().release(id, owner);
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
  make_session([](session::Setup&) {});
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

void CommandLineDatabaseTest::aFreshMachine() {
  const Shell fresh;
  const CommandResult sessions = fresh.run({"sessions"});
  QVERIFY2(sessions.code == 0, sessions.all().c_str());
  QVERIFY(sessions.output.find("no sessions in " + fresh.default_database().toStdString()) !=
          std::string::npos);
  const CommandResult as_json = fresh.run({"sessions", "--json"});
  QCOMPARE(as_json.code, 0);
  QVERIFY(as_json.all().empty());
  QCOMPARE(fresh.run({"study", "--list"}).code, 0);
  for (const QStringList& command : {QStringList{"show", "1"},
                                     {"resume", "1"},
                                     {"delete", "1"},
                                     {"best", "resnet18/C2"},
                                     {"study", "--show", "1"},
                                     {"study", "--resume", "1"}}) {
    const CommandResult result = fresh.run(command);
    QVERIFY2(result.code == 2, result.all().c_str());
  }
  QVERIFY(QDir(fresh.path("")).isEmpty());
}

void CommandLineDatabaseTest::mistypedDatabases_data() {
  QTest::addColumn<QStringList>("command");
  QTest::addRow("sessions") << QStringList{"sessions"};
  QTest::addRow("show") << QStringList{"show", "1"};
  QTest::addRow("best") << QStringList{"best", "resnet18/C2"};
  QTest::addRow("export") << QStringList{"export", "1", "--format", "csv", "--out", "-"};
  QTest::addRow("report") << QStringList{"report", "1", "--out", "never.html"};
  QTest::addRow("space") << QStringList{"space", "--target", "recorded:1"};
  QTest::addRow("study list") << QStringList{"study", "--list"};
  QTest::addRow("study show") << QStringList{"study", "--show", "1"};
  QTest::addRow("study resume") << QStringList{"study", "--resume", "1"};
  QTest::addRow("study delete") << QStringList{"study", "--delete", "1"};
  QTest::addRow("resume") << QStringList{"resume", "1"};
  QTest::addRow("delete") << QStringList{"delete", "1"};
}

void CommandLineDatabaseTest::mistypedDatabases() {
  QFETCH(QStringList, command);
  make_session([](session::Setup&) {});
  const QString wrong = shell_.path(QFileInfo(database_).fileName().replace("test", "tets"));
  const CommandResult result = shell_.run(command << "--db" << wrong);
  QVERIFY2(result.code == 2, result.all().c_str());
  QVERIFY2(result.error.find("there is no database " + wrong.toStdString()) != std::string::npos,
           result.error.c_str());
  QVERIFY2(result.error.find(QFileInfo(database_).fileName().toStdString()) != std::string::npos,
           result.error.c_str());
  QVERIFY(!QFile::exists(wrong));
}

void CommandLineDatabaseTest::lookingChangesNothing_data() {
  QTest::addColumn<QString>("sql");
  QTest::addRow("today's schema") << "";
  QTest::addRow("an older schema")
      << "DROP TABLE session_metric; ALTER TABLE trial DROP COLUMN metrics; "
         "ALTER TABLE trial DROP COLUMN uninterrupted_seconds; "
         "ALTER TABLE trial DROP COLUMN interrupted_share; "
         "ALTER TABLE trial DROP COLUMN memory_probe_after_seconds; "
         "ALTER TABLE trial DROP COLUMN compute_probe_after_seconds; "
         "ALTER TABLE trial DROP COLUMN memory_probe_before_seconds; "
         "ALTER TABLE trial DROP COLUMN compute_probe_before_seconds; DROP INDEX session_probe_machine; "
         "ALTER TABLE session DROP COLUMN usual_memory_probe_seconds; "
         "ALTER TABLE session DROP COLUMN usual_compute_probe_seconds; "
         "ALTER TABLE session DROP COLUMN probe_version; ALTER TABLE session DROP COLUMN probe_machine; "
         "DROP TABLE session_worker; ALTER TABLE trial DROP COLUMN worker; DROP TABLE study_measure; "
         "DROP INDEX session_project; ALTER TABLE session DROP COLUMN project; "
         "DROP TABLE project; "
         "DROP TABLE session_notice; DROP TABLE machine_measure; DROP TABLE trial_insight; "
         "DROP TABLE predictor; ALTER TABLE session DROP COLUMN checksum; ALTER TABLE status DROP COLUMN "
         "checksum; "
         "ALTER TABLE space DROP COLUMN checksum; ALTER TABLE batch DROP COLUMN checksum; "
         "ALTER TABLE replayed_batch DROP COLUMN checksum; ALTER TABLE confirmation DROP COLUMN checksum; "
         "ALTER TABLE trial DROP COLUMN row_checksum; ALTER TABLE trial DROP COLUMN samples_checksum; "
         "PRAGMA user_version = 5";
}

void CommandLineDatabaseTest::lookingChangesNothing() {
  QFETCH(QString, sql);
  const QTemporaryDir folder;
  const QTemporaryDir temporary;
  Shell shell;
  shell.set("TMPDIR", temporary.path());
  database_ = folder.filePath("test.db");
  make_session([](session::Setup&) {});
  QVERIFY(run_sql(sql));
  const auto state = [&] {
    QStringList files;
    for (const QFileInfo& file : QDir(folder.path()).entryInfoList(QDir::Files | QDir::Hidden)) {
      QFile content(file.filePath());
      const QByteArray bytes = content.open(QIODevice::ReadOnly) ? content.readAll() : QByteArray();
      const QByteArray hash = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
      files << file.fileName() + file.lastModified().toString(Qt::ISODateWithMs) + hash;
    }
    return files;
  };
  const QStringList before = state();
  QCOMPARE(before.size(), 1);
  const CommandResult sessions = shell.run({"sessions", "--json", "--db", database_});
  QVERIFY2(sessions.code == 0, sessions.all().c_str());
  QCOMPARE(json_lines(sessions.output).size(), std::size_t{1});
  for (const QStringList& command : {QStringList{"sessions"},
                                     {"show", "1"},
                                     {"best", "resnet18/C2"},
                                     {"study", "--list"},
                                     {"export", "1", "--format", "csv", "--out", "-"},
                                     {"report", "1", "--out", temporary.filePath("r.html")}}) {
    const CommandResult result = shell.run(QStringList(command) << "--db" << database_);
    // There is nothing best yet, and not much to report.
    const bool may_fail = command.first() == "best" || command.first() == "report";
    QVERIFY2(may_fail || result.code == 0, result.all().c_str());
    QCOMPARE(state(), before);
  }
  // Qt has a folder of its own there.
  QCOMPARE(QDir(temporary.path()).entryList({"kernelscape*"}, QDir::AllEntries | QDir::Hidden),
           QStringList());
  // Who writes brings it up to date.
  QCOMPARE(shell.run({"delete", "1", "--db", database_}).code, 0);
  QCOMPARE(store().sessions().all()->size(), std::size_t{0});
}

void CommandLineDatabaseTest::aDamagedSessionHidesNoOther() {
  make_session([](session::Setup&) {});
  const store::SessionId damaged = make_session([](session::Setup&) {});
  QVERIFY(run_sql(QString("UPDATE session SET task_json = '{}' WHERE id = %1").arg(damaged)));
  const CommandResult listed = shell_.run({"sessions", "--json", "--db", database_});
  QVERIFY2(listed.code == 0, listed.all().c_str());
  QCOMPARE(json_lines(listed.output).size(), std::size_t{1});
  QVERIFY2(listed.error.find("session " + std::to_string(damaged)) != std::string::npos,
           listed.error.c_str());
  QCOMPARE(shell_.run({"show", "1", "--db", database_}).code, 0);
  const CommandResult shown = shell_.run({"show", QString::number(damaged), "--db", database_});
  QVERIFY2(shown.code == 1, shown.all().c_str());
  QVERIFY(shown.error.find("damaged") != std::string::npos);
}

void CommandLineDatabaseTest::aLivingOwner() {
  const QString id = QString::number(make_session([](session::Setup&) {}, true));
  for (const char* command : {"resume", "delete"}) {
    const CommandResult result = shell_.run({command, id, "--db", database_});
    QVERIFY2(result.code == 1, result.all().c_str());
    QVERIFY2(result.error.find(std::to_string(getpid())) != std::string::npos, result.error.c_str());
  }
  QCOMPARE(shell_.run({"show", id, "--db", database_}).code, 0);
}

void CommandLineDatabaseTest::anotherTemplateVersion() {
  const QString id =
      QString::number(make_session([](session::Setup& setup) { setup.template_version = 999; }));
  const CommandResult result = shell_.run({"resume", id, "--db", database_});
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY(result.error.find("can be viewed, not resumed") != std::string::npos);
  QVERIFY(result.error.find("version 999") != std::string::npos);
  QVERIFY(result.error.find("--warm-start") != std::string::npos);
  QCOMPARE(shell_.run({"show", id, "--db", database_}).code, 0);
}

void CommandLineDatabaseTest::anotherMachine() {
  const QString id = QString::number(make_session([](session::Setup& setup) {
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
      QString::number(make_session([](session::Setup& setup) { setup.template_name = "long-gone"; }));
  const CommandResult result = shell_.run({"resume", id, "--db", database_});
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY(result.error.find("long-gone") != std::string::npos);
  QCOMPARE(shell_.run({"show", id, "--db", database_}).code, 0);
}

void CommandLineDatabaseTest::lowerBudgets() {
  const QString id = QString::number(make_session([](session::Setup&) {}));
  const CommandResult result = shell_.run({"resume", id, "--trials", "3", "--db", database_});
  QVERIFY2(result.code == 2, result.all().c_str());
  QVERIFY(result.error.find("trials") != std::string::npos);
}

void CommandLineDatabaseTest::ambiguousNames() {
  const store::SessionId first = make_session([](session::Setup&) {});
  const store::SessionId second = make_session([](session::Setup&) {});
  const CommandResult result = shell_.run({"delete", "changed", "--db", database_});
  QVERIFY2(result.code == 1 || result.code == 2, result.all().c_str());
  QVERIFY(result.error.find(std::to_string(first)) != std::string::npos);
  QVERIFY(result.error.find(std::to_string(second)) != std::string::npos);
  QCOMPARE(store().sessions().all()->size(), std::size_t(2));
}

/** Its one session has no name: there is one all the same. */
void CommandLineDatabaseTest::unknownSessionsAreToldWhichThereAre() {
  const store::SessionId id = make_session([](session::Setup& setup) { setup.name.clear(); });
  for (const QStringList& command :
       {QStringList{"why", "99"},
        {"show", "99"},
        {"resume", "99"},
        {"delete", "99"},
        {"export", "99", "--format", "csv", "--out", "-"},
        {"report", "99", "--out", shell_.path("never.html")},
        {"tune", "matmul 32x32 32x32 f32", "--trials", "1", "--warm-start", "99"}}) {
    const CommandResult result = shell_.run(QStringList(command) << "--db" << database_);
    QVERIFY2(result.code == 2, result.all().c_str());
    QVERIFY2(result.error.contains(fmt::format("it has 1 session: {};", id)), result.error.c_str());
    QVERIFY2(result.error.contains("kernelscape sessions"), result.error.c_str());
  }
}

KERNELSCAPE_TEST(CommandLineDatabaseTest, QCoreApplication)

}  // namespace kernelscape::command_line_database_test
#include "command_line_database_test.moc"
