#include <QFile>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/session/session_support.h"
#include "tests/store/damage_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_unreadable_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

namespace {

const QString task = QStringLiteral("matmul 8x8 8x8 f32");

/** Sessions of one task and target, as a tuning run leaves them. */
std::vector<store::SessionId> add_sessions(const QString& database, int count) {
  session_tests::Bench bench(database.toStdString());
  std::vector<store::SessionId> ids;
  for (int i = 0; i < count; ++i) {
    session::Setup setup = session_tests::make_setup("random", static_cast<std::uint64_t>(i) + 1, 12, 4);
    setup.task = *task::parse_task(task.toStdString());
    ids.push_back(bench.run(setup)->id);
  }
  return ids;
}

}  // namespace

/** A session whose row was damaged or forged hides nobody else. */
class CommandLineUnreadableTest : public QObject {
  Q_OBJECT

 private slots:
  void others_stay_in_sight() {
    const Shell shell;
    const QString database = shell.path("test.db");
    const auto run = [&](QStringList arguments) {
      return shell.run(std::move(arguments) << "--db" << database);
    };
    std::vector<store::SessionId> left = add_sessions(database, 3);
    while (left.size() > 1) {
      const CommandResult before = run({"best", task, "--json"});
      QVERIFY2(before.code == 0, before.all().c_str());
      const auto best =
          events(json_lines(before.output), "summary").at(0).at("session").get<store::SessionId>();
      QCOMPARE(std::erase(left, best), std::size_t{1});
      store::Store store = *store::Store::open(database.toStdString());
      QVERIFY(store.sessions().update_budget(best, R"({"trials": -1})"));

      const CommandResult after = run({"best", task, "--json"});
      QVERIFY2(after.code == 0, after.all().c_str());
      const json other = events(json_lines(after.output), "summary").at(0);
      QVERIFY(std::ranges::count(left, other.at("session").get<store::SessionId>()) == 1);
      QVERIFY2(after.error.contains("session " + std::to_string(best)) && after.error.contains("budget"),
               after.error.c_str());
      QCOMPARE(std::ranges::count(after.error, '\n'), std::ptrdiff_t{3} - std::ssize(left));

      const CommandResult shown = run({"show", QString::number(best)});
      QVERIFY2(shown.code == 0, shown.all().c_str());
      QVERIFY2(shown.output.contains("unreadable  budget: ") && shown.output.contains("GFLOPS"),
               shown.output.c_str());
      const json summary =
          events(json_lines(run({"show", QString::number(best), "--json"}).output), "summary").at(0);
      QCOMPARE(summary.at("problems").size(), std::size_t{1});
      QCOMPARE(summary.at("trials").get<int>(), 12);
    }
    const QString other = QString::number(left.front());
    const CommandResult shown = run({"show", other});
    QVERIFY(shown.code == 0 && !shown.output.contains("unreadable"));
    QCOMPARE(json_lines(run({"sessions", "--json"}).output).size(), std::size_t{3});
    const CommandResult reported = run({"report", other, "--out", shell.path("report.html")});
    QVERIFY2(reported.code == 0, reported.all().c_str());
  }

  /** What can be read is reported; the rest is named, here and there. */
  void a_report_of_the_others() {
    const Shell shell;
    const QString database = shell.path("test.db");
    const std::vector<store::SessionId> ids = add_sessions(database, 3);
    // A damaged part of its record, and a row that is not what was stored.
    QVERIFY(
        store::Store::open(database.toStdString())->sessions().update_budget(ids[0], R"({"trials": -1})"));
    store_test::RawDatabase raw(database.toStdString());
    QVERIFY(raw.run("UPDATE session SET seed = seed + 1 WHERE id = " + std::to_string(ids[1])));
    const auto report = [&](const QString& file, const std::vector<store::SessionId>& sessions) {
      QStringList arguments{"report", "--db", database, "--out", shell.path(file)};
      for (const store::SessionId id : sessions) arguments << QString::number(id);
      return shell.run(arguments);
    };
    const CommandResult some = report("some.html", ids);
    QVERIFY2(some.code == 1, some.all().c_str());
    QVERIFY2(some.output.contains("wrote "), some.all().c_str());
    const std::string page = store_test::bytes_of(shell.path("some.html").toStdString()).toStdString();
    QVERIFY(page.contains("1 of 3 sessions"));
    for (const auto& [id, reason] :
         {std::pair(ids[0], "budget"), std::pair(ids[1], "from what was stored")}) {
      const std::string named = "session " + std::to_string(id);
      for (const std::string& text : {some.error, page})
        QVERIFY2(text.contains(named) && text.contains(reason), text.c_str());
    }
    QVERIFY(!some.error.contains("session " + std::to_string(ids[2])));

    const CommandResult none = report("none.html", {ids[0], ids[1]});
    QVERIFY2(none.code == 1, none.all().c_str());
    QVERIFY2(none.error.contains("budget") && none.error.contains("from what was stored"),
             none.error.c_str());
    const CommandResult one = report("none.html", {ids[1]});
    QVERIFY2(one.code == 1, one.all().c_str());
    QVERIFY(!QFile::exists(shell.path("none.html")));
  }
};

KERNELSCAPE_TEST(CommandLineUnreadableTest, QCoreApplication)

}  // namespace kernelscape::command_line_unreadable_test
#include "command_line_unreadable_test.moc"
