#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <map>
#include <random>

#include "tests/command_line/command_line_support.h"
#include "tests/exchange/random_cache.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_objective_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

namespace {

/** "0.5536 ms [0.5489 ms, 0.5499 ms]": a value with an interval that is presented as its own. */
bool values_lie_in_their_intervals(const std::string& text) {
  static const QRegularExpression interval(
      QStringLiteral("([\\d.]+) (ms|us|s) \\[([\\d.]+) (ms|us|s), ([\\d.]+) (ms|us|s)\\]"));
  const std::map<QString, double> units{{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  auto matches = interval.globalMatch(QString::fromStdString(text));
  while (matches.hasNext()) {
    const QRegularExpressionMatch match = matches.next();
    const auto number = [&](int group) {
      return match.captured(group).toDouble() * units.at(match.captured(group + 1));
    };
    if (number(1) < number(3) || number(1) > number(5)) return false;
  }
  return true;
}

/** The lines of a CSV file without quoted texts, by the names of its columns. */
std::vector<std::map<QString, QString>> csv_rows(const std::string& text) {
  const QStringList lines = QString::fromStdString(text).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
  const QStringList names = lines.value(0).split(QLatin1Char(','));
  std::vector<std::map<QString, QString>> rows;
  for (const QString& line : lines.mid(1)) {
    const QStringList cells = line.split(QLatin1Char(','));
    std::map<QString, QString>& row = rows.emplace_back();
    for (qsizetype i = 0; i < names.size(); ++i) row[names[i]] = cells.value(i);
  }
  return rows;
}

}  // namespace

/** Files that rank by another number than the median of the samples: no text passes it off as the median. */
class CommandLineObjectiveTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;

 private slots:
  void initTestCase() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    QFile file(shell_.path("cache.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(exchange_tests::random_cache(40, random)));
    file.close();
    for (const char* as : {"recorded", "session"}) {
      const CommandResult imported = shell_.run({"import", file.fileName(), "--as", as, "--name", as});
      QVERIFY2(imported.code == 0, imported.all().c_str());
    }
  }

  void texts_say_what_the_objective_is() {
    for (const char* session : {"recorded", "session"}) {
      const CommandResult shown = shell_.run({"show", session});
      QVERIFY2(shown.code == 0, shown.all().c_str());
      QVERIFY2(shown.output.contains("objective of the file: mean of the samples"), shown.all().c_str());
      QVERIFY2(shown.output.contains("samples: median "), shown.all().c_str());
      QVERIFY2(values_lie_in_their_intervals(shown.output), shown.all().c_str());
    }
  }

  void json_medians_are_of_the_samples() {
    const CommandResult shown = shell_.run({"show", "session", "--json"});
    QVERIFY2(shown.code == 0, shown.all().c_str());
    const json best = events(json_lines(shown.output), "summary").at(0).at("best");
    QCOMPARE(best.at("objective").get<std::string>(), std::string("mean"));
    const double median = best.at("median_seconds").get<double>();
    QVERIFY(best.at("first_quartile_seconds").get<double>() <= median);
    QVERIFY(median <= best.at("third_quartile_seconds").get<double>());
    QVERIFY(best.at("objective_seconds").get<double>() > best.at("third_quartile_seconds").get<double>());
  }

  void csv_names_the_objective() {
    for (const char* session : {"recorded", "session"}) {
      const CommandResult exported = shell_.run({"export", session, "--format", "csv", "--out", "-"});
      QVERIFY2(exported.code == 0, exported.all().c_str());
      const auto rows = csv_rows(exported.output);
      QCOMPARE(rows.size(), std::size_t{40});
      for (const auto& row : rows) {
        const auto number = [&](const char* name) { return row.at(QString::fromLatin1(name)).toDouble(); };
        QVERIFY(number("ms_q1") <= number("ms_median") && number("ms_median") <= number("ms_q3"));
        if (row.at("objective") == QStringLiteral("median"))
          QVERIFY(number("ms_q1") <= number("ms") && number("ms") <= number("ms_q3"));
      }
      QCOMPARE(rows.front().at("objective"), QStringLiteral("mean"));
    }
    const CommandResult chosen = shell_.run({"export", "session", "--format", "csv", "--out", "-", "--where",
                                             "objective = mean", "--columns", "trial,objective"});
    QVERIFY2(chosen.code == 0, chosen.all().c_str());
    for (const auto& row : csv_rows(chosen.output)) QCOMPARE(row.at("objective"), QStringLiteral("mean"));
  }
};

KERNELSCAPE_TEST(CommandLineObjectiveTest, QCoreApplication)

}  // namespace kernelscape::command_line_objective_test

#include "command_line_objective_test.moc"
