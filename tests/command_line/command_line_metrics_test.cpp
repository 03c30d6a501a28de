#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_metrics_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

/** Quantities beside the time of a real session, and its Pareto front. */
class CommandLineMetricsTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  std::vector<json> trials_;

 private slots:
  void initTestCase() {
    const CommandResult tuned = shell_.run({"tune", "matmul 32x48 48x64 f32", "--tuner", "random", "--trials",
                                            "8", "--seed", "3", "--name", "mine", "--repeats", "3",
                                            "--min-repeat-ms", "0.1", "--threads", "1", "--json"});
    QVERIFY2(tuned.code == 0, tuned.all().c_str());
    trials_ = events(json_lines(tuned.output), "trial");
    QCOMPARE(trials_.size(), std::size_t{8});
  }

  void kernelsHaveASize() {
    for (const json& trial : trials_) {
      if (trial.at("category") != "NO_ERROR") continue;
      QVERIFY(trial.at("metrics").at("code_size").at("value").get<double>() > 16);
      QCOMPARE(trial.at("metrics").at("code_size").at("unit").get<std::string>(), std::string("B"));
    }
    const CommandResult shown = shell_.run({"show", "mine", "--json"});
    QVERIFY2(shown.code == 0, shown.all().c_str());
    const json summary = events(json_lines(shown.output), "summary").at(0);
    QVERIFY(summary.at("best").at("metrics").contains("code_size"));
  }

  void theFrontIsListed() {
    const CommandResult result = shell_.run({"show", "mine", "--pareto", "code_size", "--json"});
    QVERIFY2(result.code == 0, result.all().c_str());
    const json front = events(json_lines(result.output), "pareto").at(0);
    QCOMPARE(front.at("unit").get<std::string>(), std::string("B"));
    QCOMPARE(front.at("better").get<std::string>(), std::string("less"));
    const json& listed = front.at("front");
    QVERIFY(!listed.empty());
    for (std::size_t i = 1; i < listed.size(); ++i) {
      QVERIFY(listed[i].at("objective_seconds") >= listed[i - 1].at("objective_seconds"));
      QVERIFY(listed[i].at("value") <= listed[i - 1].at("value"));
    }
    // No trial is better in both.
    for (const json& trial : trials_) {
      if (trial.at("category") != "NO_ERROR") continue;
      for (const json& other : listed)
        QVERIFY(trial.at("objective_seconds") >= other.at("objective_seconds") ||
                trial.at("metrics").at("code_size").at("value") >= other.at("value"));
    }
    const CommandResult text = shell_.run({"show", "mine", "--pareto", "gbs"});
    QVERIFY2(text.code == 0 && text.output.contains("(more is better): 1 of"), text.all().c_str());
  }

  void mistakesAreNamed() {
    const CommandResult unknown = shell_.run({"show", "mine", "--pareto", "code_siz"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.error.contains("code_size"), unknown.all().c_str());
    QCOMPARE(shell_.run({"show", "mine", "--pareto", "error"}).code, 2);
    QCOMPARE(shell_.run({"show", "mine", "--better", "more"}).code, 2);
  }

  void csvAndFiltersKnowTheMetric() {
    const CommandResult result = shell_.run({"export", "mine", "--format", "csv", "--out", "-", "--columns",
                                             "trial,code_size", "--where", "code_size > 0"});
    QVERIFY2(result.code == 0, result.all().c_str());
    QVERIFY2(result.output.starts_with("trial,code_size\r\n"), result.output.c_str());
  }
};

KERNELSCAPE_TEST(CommandLineMetricsTest, QCoreApplication)

}  // namespace kernelscape::command_line_metrics_test
#include "command_line_metrics_test.moc"
