#include <QFile>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_simulation_test {
namespace {

using namespace command_line_tests;

QByteArray bytes_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/** A fleet that is simulated in a moment. */
QStringList small_fleet(const QStringList& more = {}) {
  return QStringList{"fleet", "simulate",   "--up-to", "8",        "--workers",
                     "4",     "--sessions", "4",       "--trials", "40"} +
         more;
}

}  // namespace

class CommandLineSimulationTest : public QObject {
  Q_OBJECT

 private slots:
  void tables_and_where_it_ends() {
    const CommandResult result = shell_.run(small_fleet());
    QVERIFY2(result.code == 0, result.all().c_str());
    for (const char* text : {"resnet18/C6 conv2d-nchwc: 768 trials", "of the time of 4 workers is work",
                             "one controller carries", "4 sessions at once", "a session for each worker"})
      QVERIFY2(result.output.find(text) != std::string::npos, result.all().c_str());
    QCOMPARE(shell_.run(small_fleet()).output, result.output);
    // Heartbeats follow the lease, as a worker's do.
    QCOMPARE(shell_.run(small_fleet({"--lease-seconds", "1", "--kill-minutes", "0.1"})).code, 0);
  }

  void events_and_a_report() {
    const QString page = shell_.path("fleet.html");
    const CommandResult result = shell_.run(small_fleet({"--json", "--out", page, "--seed", "7"}));
    QVERIFY2(result.code == 0, result.all().c_str());
    const std::vector<nlohmann::json> lines = json_lines(result.output);
    QCOMPARE(events(lines, "simulation").size(), std::size_t{1});
    QCOMPARE(events(lines, "simulation").front()["seed"], 7);
    const std::vector<nlohmann::json> fleets = events(lines, "fleet");
    QCOMPARE(fleets.size() + 1, lines.size());
    for (const nlohmann::json& fleet : fleets) {
      QVERIFY(fleet["efficiency"] > 0 && fleet["efficiency"] <= 1);
      QCOMPARE(fleet["trials"], fleet["sessions"].get<int>() * 40);
    }
    for (const char* text : {"<!DOCTYPE html>", "<svg ", "A simulated fleet", "Simulation parameters"})
      QVERIFY2(bytes_of(page).contains(text), text);
    // A report of its own is replaced, anything else is not.
    QCOMPARE(shell_.run(small_fleet({"--out", page})).code, 0);
    const QString foreign = shell_.path("foreign.html");
    QFile file(foreign);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
    file.close();
    const CommandResult occupied = shell_.run(small_fleet({"--out", foreign}));
    QCOMPARE(occupied.code, 1);
    QVERIFY2(occupied.error.find("--force") != std::string::npos, occupied.error.c_str());
  }

  void errors_name_the_way_out() {
    struct Case {
      QStringList more;
      int code;
      const char* says;
    };
    const Case cases[] = {
        {{shell_.path("none.ksrec")}, 2, "none.ksrec"},
        {{"--workers", "0"}, 2, "--workers"},
        {{"--redis", "5"}, 2, "5 Redis"},
        {{"--builder-share", "1"}, 2, "--builder-share"},
        {{"--kill-minutes", "0.001"}, 2, "is killed after"},
        {{"--out", shell_.path("fleet.txt")}, 2, ".html or .pdf"},
    };
    for (const Case& one : cases) {
      const CommandResult result = shell_.run(small_fleet() + one.more);
      QVERIFY2(result.code == one.code, result.all().c_str());
      QVERIFY2(result.error.find(one.says) != std::string::npos, result.error.c_str());
    }
  }

 private:
  Shell shell_;
};

KERNELSCAPE_TEST(CommandLineSimulationTest, QCoreApplication)

}  // namespace kernelscape::command_line_simulation_test
#include "command_line_simulation_test.moc"
