#include <QDir>
#include <QFile>
#include <QTest>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <random>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_failing_reads_test {
using namespace kernelscape::command_line_tests;

namespace {

const QByteArray cache =
    R"({"device_name": "GPU", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["x"],
"tune_params": {"x": [1, 2]}, "objective": "time", "cache": {
"1": {"x": 1, "time": 2.0, "times": [2.0]}, "2": {"x": 2, "time": 1.0, "times": [1.0]}}})";

/** KERNELSCAPE_TEST_ROUNDS=1000 makes so many commands fail. */
int rounds() {
  constexpr int usual = 30;
  const int given = qEnvironmentVariableIntValue("KERNELSCAPE_TEST_ROUNDS");
  return given > 0 ? given : usual;
}

std::uint32_t first_seed() {
  bool given = false;
  const uint seed = qEnvironmentVariable("KERNELSCAPE_TEST_SEED").toUInt(&given);
  return given ? seed : std::random_device()();
}

}  // namespace

/** Files that cannot be read at any moment: the program ends with a message, or goes on without them. */
class CommandLineFailingReadsTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  QString project_;
  QString database_;
  QString import_;

  QStringList tune(const QString& database) const {
    return {"tune", project_, "--trials", "2",       "--repeats", "1",     "--min-repeat-ms",
            "0",    "--seed", "1",        "--trust", "--db",      database};
  }

  /** What the random commands read: a kernel of the user's, its session, and its trials as a file. */
  void make_inputs() {
    const CommandResult made =
        shell_.run({"new-kernel", "scale", "--language", "c", "--folder", shell_.path("kernel")});
    QVERIFY2(made.code == 0, made.all().c_str());
    project_ = shell_.path("kernel/scale.json");
    database_ = shell_.path("database/test.db");
    const CommandResult tuned = shell_.run(tune(database_));
    QVERIFY2(tuned.code == 0, tuned.all().c_str());
    import_ = shell_.path("import/cache.json");
    QVERIFY(QDir().mkpath(shell_.path("import")));
    QFile file(import_);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(cache) == cache.size());
  }

  /** A round never changes what later rounds read. */
  QString copied_database() const {
    const QString folder = shell_.path("database");
    const QString copy = shell_.path("copy");
    QDir(copy).removeRecursively();
    QDir().mkpath(copy);
    for (const QString& name : QDir(folder).entryList(QDir::Files))
      QFile::copy(folder + "/" + name, copy + "/" + name);
    return copy + "/test.db";
  }

  QList<QStringList> commands(const QString& database) const {
    return {tune(database),
            {"space", project_},
            {"import", import_, "--db", database},
            {"devices"},
            {"sessions", "--db", database},
            {"show", "1", "--db", database}};
  }

 private slots:
  void initTestCase() {
    shell_.set("XDG_CONFIG_HOME", shell_.path("config"));
    shell_.set("LD_PRELOAD", KERNELSCAPE_FAILING_READS);
    make_inputs();
  }

  void cleanup() { shell_.set("KERNELSCAPE_FAILING_READS", {}); }
  void every_failure_is_a_message();
  void a_file_that_cannot_be_read_is_named_data();
  void a_file_that_cannot_be_read_is_named();
  void processes_may_end_at_any_time();
  void a_folder_that_is_gone_is_named();
};

void CommandLineFailingReadsTest::every_failure_is_a_message() {
  const std::uint32_t seed = first_seed();
  qInfo("KERNELSCAPE_TEST_SEED=%u", seed);
  std::mt19937 random(seed);
  const auto one_of = [&](const auto& values) {
    const auto count = static_cast<std::uint32_t>(std::size(values));
    return *std::next(std::begin(values), static_cast<std::ptrdiff_t>(random() % count));
  };
  const std::array<int, 4> errors{EIO, ESRCH, ENOENT, EACCES};
  const std::array<int, 6> shares{1, 2, 5, 20, 50, 200};
  const std::array<QString, 2> calls{"all", "read"};
  int failures = 0;
  for (int round = 0; round < rounds(); ++round) {
    const QString database = copied_database();
    const QString own =
        QStringList{shell_.path("copy"), shell_.path("kernel"), shell_.path("import")}.join(' ');
    const std::vector<QString> folders{"/proc", "/sys", own, own, own + " /proc /sys"};
    const QString faults = QStringLiteral("%1 %2 %3 %4 %5")
                               .arg(random())
                               .arg(one_of(shares))
                               .arg(one_of(errors))
                               .arg(one_of(calls))
                               .arg(one_of(folders));
    shell_.set("KERNELSCAPE_FAILING_READS", faults);
    const QStringList arguments = one_of(commands(database));
    const CommandResult result = shell_.run(arguments);
    const std::string said = QStringLiteral("round %1, KERNELSCAPE_FAILING_READS=\"%2\", kernelscape %3: ")
                                 .arg(QString::number(round), faults, arguments.join(' '))
                                 .toStdString() +
                             result.all();
    QVERIFY2(result.code == 0 || result.code == 1 || result.code == 2, said.c_str());
    QVERIFY2(result.code == 0 || result.error.contains("kernelscape: error: "), said.c_str());
    QVERIFY2(!result.error.contains("terminate called") && !result.error.contains("internal error"),
             said.c_str());
    failures += result.code != 0 ? 1 : 0;
  }
  qInfo("%d of %d commands failed, each with a message", failures, rounds());
  QVERIFY(failures > 0);
}

void CommandLineFailingReadsTest::a_file_that_cannot_be_read_is_named_data() {
  QTest::addColumn<QStringList>("command");
  for (const QStringList& command : {QStringList{"space"},
                                     {"tune"},
                                     {"study"},
                                     {"import"},
                                     {"network", "show"},
                                     {"tune", "matmul 8x8 8x8 f32", "--target"}})
    QTest::newRow(qPrintable(command.join(' '))) << command;
}

void CommandLineFailingReadsTest::a_file_that_cannot_be_read_is_named() {
  QFETCH(QStringList, command);
  const QString file = shell_.path("import/broken.json");
  QFile::copy(import_, file);
  if (command.contains("--target"))
    command << "recorded:" + file;
  else
    command << file;
  for (const char* faults : {"1 1 5 read", "1 1 13 all"}) {
    shell_.set("KERNELSCAPE_FAILING_READS", faults + (" " + file));
    const CommandResult result = shell_.run(command + QStringList{"--db", shell_.path("unread.db")});
    QVERIFY2(result.code == 2, result.all().c_str());
    QVERIFY2(result.error.contains("broken.json"), result.all().c_str());
    QVERIFY2(result.error.contains("Input/output error") || result.error.contains("Permission denied"),
             result.all().c_str());
  }
}

void CommandLineFailingReadsTest::processes_may_end_at_any_time() {
  shell_.set("KERNELSCAPE_FAILING_READS", QStringLiteral("1 1 %1 read /proc/1/").arg(ESRCH));
  const CommandResult tuned = shell_.run(tune(shell_.path("ended.db")));
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
}

/** Paths from / on need no current folder. */
void CommandLineFailingReadsTest::a_folder_that_is_gone_is_named() {
  const QString gone = shell_.path("gone");
  const auto run = [&](const QStringList& arguments) {
    QDir().mkpath(gone);
    return shell_.run_in_deleted_folder(gone, arguments);
  };
  const CommandResult relative = run(tune("mine.db"));
  QVERIFY2(relative.code == 2, relative.all().c_str());
  QVERIFY2(relative.error.contains("mine.db") && relative.error.contains("is gone"), relative.all().c_str());
  const CommandResult absolute = run(tune(shell_.path("absolute.db")));
  QVERIFY2(absolute.code == 0, absolute.all().c_str());
}

KERNELSCAPE_TEST(CommandLineFailingReadsTest, QCoreApplication)

}  // namespace kernelscape::command_line_failing_reads_test
#include "command_line_failing_reads_test.moc"
