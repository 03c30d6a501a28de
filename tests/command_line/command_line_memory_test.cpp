#include <QFile>
#include <QTest>

#include "core/base/random.h"
#include "tests/command_line/command_line_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_memory_test {
using namespace kernelscape::command_line_tests;

namespace {

constexpr int one_gigabyte = 1'000'000;  // in KiB, as ulimit counts
constexpr const char* header =
    R"({"device_name": "GPU", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["x"],
"tune_params": {"x": [1, 2]}, "objective": "time", )";
constexpr const char* cache = R"("cache": {
"1": {"x": 1, "time": 2.5, "times": [2, 3]},
"2": {"x": 2, "time": 1.5}}
})";

}  // namespace

/** Files that take more memory than there is: an error of the import, never the end of the program. */
class CommandLineMemoryTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  base::Random random_{testing::random_seed()};

  QString write(const QString& name, const QByteArray& bytes) {
    QFile file(shell_.path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) return {};
    return shell_.path(name);
  }
  QByteArray database() const {
    QFile file(shell_.default_database());
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  QByteArray repeated(const QByteArray& one, const QByteArray& other, int times) {
    QByteArray all;
    for (int i = 0; i < times; ++i) all += random_.chance(0.5) ? one : other;
    return all;
  }
  /** A recorded space whose one knob has many values. */
  QString write_large() {
    constexpr int entries = 40'000;
    QByteArray values;
    QByteArray results;
    for (int i = 0; i < entries; ++i) {
      const QByteArray comma = i == 0 ? "" : ",";
      const QByteArray number = QByteArray::number(i);
      values += comma + number;
      results += comma + "\n\"" + number + "\": {\"x\": " + number + ", \"time\": 2, \"times\": [1, 2, 3]}";
    }
    return write("large.json", QByteArray(header).replace("[1, 2]", "[" + values + "]") + "\"cache\": {" +
                                   results + "}\n}");
  }

  /**
   * The exit code is 0 or 1, and an error says these words. Below some 145,000 KiB the loader finds no place
   * for the libraries, before there is anything of ours.
   */
  void ends_in_words(int kibibytes, const QStringList& arguments, const char* words) const {
    constexpr int not_loaded = 127;
    const CommandResult result = shell_.run_with_memory(kibibytes, arguments);
    if (result.code == not_loaded) return;
    const std::string reported = arguments.front().toStdString() + ", " + std::to_string(kibibytes) +
                                 " KiB: " + std::to_string(result.code) + " " + result.all();
    QVERIFY2(result.code == 0 || result.code == 1, reported.c_str());
    QVERIFY2(result.code == 0 || result.error.contains(words), reported.c_str());
  }

 private slots:
  void bombs_are_refused_data() {
    QTest::addColumn<QByteArray>("member");
    QTest::newRow("values") << "\"v\": [" + repeated("[],", "{},", 20'000'000) + "1], ";
    QTest::newRow("texts") << "\"t\": [" + repeated("\"" + QByteArray(1'000'000, 'a') + "\",", "1,", 700) +
                                  "1], ";
    QTest::newRow("keys") << "\"k\": {" + [] {
      QByteArray keys;
      for (int i = 0; i < 4'000'000; ++i) keys += "\"" + QByteArray::number(i) + "\":[],";
      return keys;
    }() + "\"z\":1}, ";
    QTest::newRow("one text") << "\"o\": \"" + QByteArray(400'000'000, 'a') + "\", ";
  }

  void bombs_are_refused() {
    QFETCH(QByteArray, member);
    const QString good = write("good.json", QByteArray(header) + cache);
    QCOMPARE(shell_.run({"import", good}).code, 0);
    const QByteArray before = database();
    QVERIFY(!before.isEmpty());
    const QString bomb = write("bomb.json", header + member + cache);
    QVERIFY(!bomb.isEmpty());
    const CommandResult result = shell_.run_with_memory(one_gigabyte, {"import", bomb});
    QVERIFY2(result.code == 1, result.all().c_str());
    QVERIFY2(result.error.contains("bomb.json"), result.error.c_str());
    QVERIFY2(result.error.contains("values") || result.error.contains("memory") ||
                 result.error.contains("longer than"),
             result.error.c_str());
    QVERIFY(database() == before);
    // The others come in all the same.
    const QString other = write("other.json", QByteArray(header).replace("\"k\"", "\"l\"") + cache);
    const CommandResult both = shell_.run_with_memory(one_gigabyte, {"import", bomb, other});
    QCOMPARE(both.code, 1);
    QVERIFY2(both.output.contains("other"), both.all().c_str());
  }

  /** Wherever the memory ends: an exit code and words, no abort. */
  void ends_with_an_error_wherever_it_is() {
    const QString large = write_large();
    for (int kibibytes = 140'000; kibibytes <= 300'000; kibibytes += kibibytes < 180'000 ? 2'500 : 15'000) {
      ends_in_words(kibibytes, {"import", large}, "memory");
      QVERIFY(shell_.run({"sessions"}).code == 0);
    }
  }

  /** Also where long texts come from the database, and where threads and workers are started. */
  void other_commands_end_so_too() {
    const CommandResult imported = shell_.run({"import", write_large()});
    QVERIFY2(imported.code == 0, imported.all().c_str());
    const QStringList commands[] = {
        {"show", "large"},
        {"export", "large", "--format", "json", "--out", shell_.path("large.out.json"), "--force"},
        {"tune", "matmul 8x8 8x8 f32", "--trials", "1", "--repeats", "1", "--min-repeat-ms", "1"}};
    for (const QStringList& command : commands)
      for (const int kibibytes : {147'500, 152'500, 160'000, 167'500, 190'000, 265'000, 279'000})
        ends_in_words(kibibytes, command, "kernelscape: ");
  }
};

KERNELSCAPE_TEST(CommandLineMemoryTest, QCoreApplication)

}  // namespace kernelscape::command_line_memory_test
#include "command_line_memory_test.moc"
