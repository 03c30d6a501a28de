// Two terminals and a Redis, as the page says: a worker joins, a search runs on it, and it leaves.
#include <signal.h>
#include <sys/stat.h>

#include <QTest>
#include <fstream>

#include "tests/command_line/command_line_support.h"
#include "tests/fleet/redis_server.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_fleet_test {
using namespace kernelscape::command_line_tests;
using fleet_tests::RedisServer;
using nlohmann::json;

namespace {

const QString small_task = "matmul 32x48 48x64 f32";

/** A worker of this machine, as another terminal starts it; ends with this object. */
class Worker {
 public:
  Worker(const Shell& shell, const RedisServer& server, const QString& password_file,
         const QStringList& options = {}) {
    process_.setProcessEnvironment(shell.environment());
    process_.setProcessChannelMode(QProcess::MergedChannels);
    process_.start(QStringLiteral(KERNELSCAPE_BINARY_DIR "/bin/kernelscape-worker"),
                   QStringList{"--join", QString::fromStdString(server.address().text()), "--builders", "1",
                               "--password-file", password_file} +
                       options);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    process_.kill();
    process_.waitForFinished();
  }

  /** Waits until it has said so; all that it said. */
  QByteArray says(const QByteArray& text) {
    while (!said_.contains(text) && process_.waitForReadyRead(60'000)) said_ += process_.readAll();
    return said_;
  }

  void stop() { kill(static_cast<pid_t>(process_.processId()), SIGTERM); }
  int code() {
    process_.waitForFinished(60'000);
    said_ += process_.readAll();
    return process_.exitCode();
  }
  QByteArray said() const { return said_; }

 private:
  QProcess process_;
  QByteArray said_;
};

}  // namespace

class CommandLineFleetTest : public QObject {
  Q_OBJECT

 private slots:
  void a_worker_and_a_search();
  void what_is_wrong_is_reported();
  void jobs_are_written();

 private:
  static QString write_password(const Shell& shell, const std::string& password) {
    const QString path = shell.path("password");
    std::ofstream(path.toStdString()) << password << "\n";
    chmod(path.toUtf8().constData(), 0600);
    return path;
  }
};

void CommandLineFleetTest::a_worker_and_a_search() {
  NEEDS_REDIS();
  const RedisServer server;
  Shell shell;
  const QString password = write_password(shell, server.password());
  const QString address = QString::fromStdString(server.address().text());
  Worker worker(shell, server, password);
  const QByteArray said = worker.says(" joins ");
  QVERIFY2(said.contains(" joins "), said.constData());

  shell.set("KERNELSCAPE_FLEET_PASSWORD_FILE", password);
  const auto status = [&] {
    return json_lines(shell.run({"fleet", "status", address, "--json"}).output).at(0);
  };
  QTRY_COMPARE_WITH_TIMEOUT(status().at("workers").size(), std::size_t{1}, 20'000);
  const json there = status().at("workers").at(0);
  QVERIFY(there.at("class").is_string());
  QVERIFY(there.at("reference_seconds").get<double>() > 0);
  QVERIFY(shell.run({"fleet", "status", address}).output.contains(there.at("worker").get<std::string>()));

  const QStringList quick{"--repeats", "2", "--min-repeat-ms", "0.1", "--json"};
  const QStringList tune = QStringList{"tune",   small_task, "--target", "fleet:" + address, "--tuner",
                                       "random", "--seed",   "7",        "--trials",         "6"} +
                           quick;
  const CommandResult tuned = shell.run(tune);
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  const auto lines = json_lines(tuned.output);
  const auto trials = events(lines, "trial");
  QCOMPARE(trials.size(), std::size_t{6});
  const json summary = events(lines, "summary").at(0);
  QVERIFY(!summary.at("best").is_null());
  QVERIFY2(!summary.at("confirmed").empty(), tuned.output.c_str());
  QCOMPARE(QString::fromStdString(summary.at("target").get<std::string>()).section('#', 0, 0),
           "fleet:" + address);

  // On this machine the same is proposed, and the database has no secret.
  const CommandResult local =
      shell.run(QStringList{"tune", small_task, "--tuner", "random", "--seed", "7", "--trials", "6"} + quick);
  const auto local_trials = events(json_lines(local.output), "trial");
  QCOMPARE(local_trials.size(), trials.size());
  std::map<int, json> here;
  for (const json& trial : local_trials) here[trial.at("trial").get<int>()] = trial.at("configuration");
  for (const json& trial : trials) QCOMPARE(here.at(trial.at("trial").get<int>()), trial.at("configuration"));
  QFile database(shell.default_database());
  QVERIFY(database.open(QIODevice::ReadOnly) && !database.readAll().contains("sesame"));

  const CommandResult resumed = shell.run({"resume", "1", "--trials", "8", "--json"});
  QVERIFY2(resumed.code == 0, resumed.all().c_str());
  QCOMPARE(events(json_lines(resumed.output), "trial").size(), std::size_t{2});

  worker.stop();
  QCOMPARE(worker.code(), 0);
  QVERIFY2(worker.said().contains("left the fleet"), worker.said().constData());
  QTRY_COMPARE_WITH_TIMEOUT(status().at("workers").at(0).at("state").get<std::string>(), std::string("left"),
                            5000);
}

void CommandLineFleetTest::what_is_wrong_is_reported() {
  NEEDS_REDIS();
  const RedisServer server;
  Shell shell;
  for (const char* name : {"KERNELSCAPE_FLEET_PASSWORD", "KERNELSCAPE_FLEET_PASSWORD_FILE"})
    shell.set(name, "");
  const QString address = QString::fromStdString(server.address().text());
  const CommandResult no_password = shell.run({"fleet", "status", address});
  QCOMPARE(no_password.code, 1);
  QVERIFY(no_password.error.contains("--password-file"));
  const CommandResult tune = shell.run({"tune", small_task, "--target", "fleet:" + address});
  QCOMPARE(tune.code, 1);
  QVERIFY(tune.error.contains("no password"));

  const QString wrong = write_password(shell, "another");
  Worker refused(shell, server, wrong);
  QCOMPARE(refused.code(), 1);
  QVERIFY2(refused.said().contains("rejects the password"), refused.said().constData());

  shell.set("KERNELSCAPE_FLEET_PASSWORD", QString::fromStdString(server.password()));
  const CommandResult nobody = shell.run({"tune", small_task, "--target", "fleet:" + address});
  QCOMPARE(nobody.code, 2);
  QVERIFY2(nobody.error.contains("no worker") && nobody.error.contains("--join"), nobody.error.c_str());
  const CommandResult elsewhere =
      shell.run({"tune", small_task, "--target", "fleet:redis+unix:///nowhere/redis.sock"});
  QCOMPARE(elsewhere.code, 1);
  QVERIFY(elsewhere.error.contains("no Redis responds"));
  QCOMPARE(shell.run({"tune", small_task, "--target", "fleet:host"}).code, 2);
  QCOMPARE(shell.run({"fleet", "drain", address, "nobody"}).code, 2);
  QCOMPARE(shell.run({"fleet", "drain", address}).code, 2);
  QCOMPARE(shell.run({"fleet", "drain", address, "--all"}).code, 0);
}

void CommandLineFleetTest::jobs_are_written() {
  const Shell shell;
  const std::string plan = shell.path("plan.json").toStdString();
  std::ofstream(plan) << R"({"groups": [{"name": "gpus", "gpus": "h100:1"}]})";
  const CommandResult up = shell.run(
      {"fleet", "up", "redis://worker@host", "--slurm", shell.path("plan.json"), "--out", shell.path(".")});
  QVERIFY2(up.code == 0, up.all().c_str());
  QVERIFY(up.output.contains("user kernelscape on >PASSWORD"));
  QVERIFY(QFile::exists(shell.path("kernelscape-gpus.sbatch")));
  QCOMPARE(shell.run({"fleet", "up", "redis://host"}).code, 2);
  QCOMPARE(shell.run({"fleet", "up", "nowhere", "--slurm", shell.path("plan.json")}).code, 2);
  QVERIFY(shell.run({"fleet", "acl", "--user", "someone"}).output.starts_with("user someone on"));
}

KERNELSCAPE_TEST(CommandLineFleetTest, QCoreApplication)

}  // namespace kernelscape::command_line_fleet_test
#include "command_line_fleet_test.moc"
