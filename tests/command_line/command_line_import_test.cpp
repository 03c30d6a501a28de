#include <QFile>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/exchange/generated_log.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_import_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

namespace {

const QByteArray cache =
    R"({"device_name": "GPU", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["x"],
"tune_params": {"x": [1, 2]}, "objective": "time", "cache": {
"1": {"x": 1, "time": 2.5, "times": [2, 3]},
"2": {"x": 2, "time": "CompilationFailedConfig"})";

}  // namespace

/** What `import` takes in and says of it. */
class CommandLineImportTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;

  QString write(const QString& name, const QByteArray& bytes) {
    QFile file(shell_.path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) return {};
    return shell_.path(name);
  }
  std::size_t sessions() { return json_lines(shell_.run({"sessions", "--json"}).output).size(); }

 private slots:
  void filesOfBothKinds() {
    const QString closed = write("closed.json", cache + "}\n}");
    const QString open = write("open.json", cache + ",");
    const CommandResult first = shell_.run({"import", closed, open});
    QVERIFY2(first.code == 0, first.all().c_str());
    QVERIFY(first.output.contains("session 1: recorded space closed, 2 trials; tune on it with `"));
    QVERIFY(first.output.contains("kernelscape tune --target recorded:1`"));
    QVERIFY(first.output.contains("session 2: imported session open, 2 trials"));
    const CommandResult again = shell_.run({"import", closed, "--json"});
    const std::vector<json> lines = json_lines(again.output);
    QCOMPARE(lines.size(), std::size_t{1});
    QCOMPARE(lines[0].at("session").get<int>(), 1);
    QCOMPARE(lines[0].at("existed").get<bool>(), true);
    QCOMPARE(lines[0].at("format").get<std::string>(), std::string("kernel-tuner"));
    QCOMPARE(sessions(), std::size_t{2});
    QCOMPARE(shell_.run({"show", "2"}).code, 0);
    QCOMPARE(shell_.run({"show", "1"}).code, 0);
  }

  void asAUserSaysAndNames() {
    const QString path = write("named.json", cache + "}\n}");
    const CommandResult result =
        shell_.run({"import", path, "--as", "session", "--name", "my name", "--json"});
    QVERIFY2(result.code == 0, result.all().c_str());
    const json line = json_lines(result.output).at(0);
    QCOMPARE(line.at("name").get<std::string>(), std::string("my name"));
    QCOMPARE(line.at("kind").get<std::string>(), std::string("imported"));
    const CommandResult exported =
        shell_.run({"export", "my name", "--format", "kernel-tuner", "--out", shell_.path("back.json")});
    QVERIFY2(exported.code == 0, exported.all().c_str());
    QVERIFY(exported.error.contains("note: "));
    QCOMPARE(shell_.run({"import", shell_.path("back.json")}).code, 0);
  }

  void several_tasks_are_one_line() {
    base::Random random(7);
    const std::string log = exchange_tests::generated_log(3, random);
    const QString path = write("three.log", QByteArray::fromStdString(log));
    const std::size_t before = sessions();
    const CommandResult imported = shell_.run({"import", path});
    QVERIFY2(imported.code == 0, imported.all().c_str());
    QVERIFY2(imported.output.contains("3 sessions of 3 tasks in collection 1 (three): 3 trials"),
             imported.all().c_str());
    QVERIFY(!imported.output.contains("imported session"));
    // A program gets each session; a person the collection.
    QCOMPARE(sessions(), before + 3);
    const CommandResult listed = shell_.run({"sessions"});
    QVERIFY(listed.output.contains("three") && !listed.output.contains("batch_matmul"));
    const CommandResult members = shell_.run({"sessions", "--collection", "three"});
    QVERIFY2(members.output.contains("batch_matmul " + exchange_tests::generated_shape(2)),
             members.all().c_str());
    QCOMPARE(json_lines(shell_.run({"sessions", "--collection", "1", "--json"}).output).size(),
             std::size_t{3});
    const CommandResult exported =
        shell_.run({"export", "three", "--format", "csv", "--out", shell_.path("three.csv")});
    QCOMPARE(exported.code, 2);
    QVERIFY2(exported.error.contains("sessions --collection 1"), exported.all().c_str());
    QVERIFY(!shell_.run({"study", "--list"}).output.contains("three"));
    const std::vector<json> lines =
        json_lines(shell_.run({"import", path, "--name", "mine", "--json"}).output);
    QCOMPARE(lines.size(), std::size_t{3});
    QVERIFY(lines[0].at("name").get<std::string>().starts_with("batch_matmul "));
    QCOMPARE(lines[0].at("collection").get<int>(), 2);
    const CommandResult deleted = shell_.run({"delete", "--collection", "mine"});
    QVERIFY2(deleted.code == 0 && deleted.output.contains("collection 2 (mine)"), deleted.all().c_str());
    QCOMPARE(shell_.run({"delete", "--collection", "1"}).code, 0);
    QCOMPARE(sessions(), before);
    QCOMPARE(shell_.run({"delete"}).code, 2);
  }

  void mistakes() {
    const std::size_t before = sessions();
    const CommandResult missing = shell_.run({"import", shell_.path("missing")});
    QCOMPARE(missing.code, 2);
    QVERIFY(missing.error.contains("missing"));
    const CommandResult unknown = shell_.run({"import", write("text", "hello")});
    QCOMPARE(unknown.code, 2);
    QVERIFY(unknown.error.contains("kernel-tuner") && unknown.error.contains("hello"));
    const CommandResult database = shell_.run({"import", shell_.default_database()});
    QVERIFY(database.code == 2 && database.error.contains("--db"));
    QCOMPARE(shell_.run({"import"}).code, 2);
    QCOMPARE(shell_.run({"import", shell_.path("text"), "--as", "other"}).code, 2);
    QCOMPARE(sessions(), before);
    // One bad file does not keep the others out.
    const CommandResult mixed = shell_.run({"import", shell_.path("text"), write("good.json", cache + ",")});
    QCOMPARE(mixed.code, 2);
    QVERIFY(mixed.output.contains("good"));
    QCOMPARE(sessions(), before + 1);
  }

  void tables_are_previewed_and_corrected() {
    const QString path = write("blocks.csv", "block,warps,cost\n16,1,5\n32,2,4\n32,4,99\n");
    const std::size_t before = sessions();
    const CommandResult unknown = shell_.run({"import", path});
    QVERIFY2(unknown.code != 0 && unknown.all().contains("--unit"), unknown.all().c_str());
    const QStringList options{"--unit", "us", "--failed-when", "cost>=99", "--parameters", "block,warps"};
    const CommandResult preview = shell_.run(QStringList{"import", path, "--preview"} + options);
    QVERIFY2(preview.code == 0 && preview.output.contains("3 trials"), preview.all().c_str());
    QVERIFY(preview.output.contains("block: 2 values") && preview.all().contains("objective cost in us"));
    QCOMPARE(sessions(), before);
    const CommandResult imported = shell_.run(QStringList{"import", path} + options);
    QVERIFY2(imported.code == 0 && imported.output.contains("recorded space blocks, 3 trials"),
             imported.all().c_str());
    QVERIFY(imported.all().contains("1 of 3 rows failed"));
    QCOMPARE(sessions(), before + 1);
    const CommandResult metric =
        shell_.run(QStringList{"import", path, "--preview", "--metrics", "warps", "--unit", "us"});
    QVERIFY2(metric.code == 0 && metric.all().contains("further numbers warps"), metric.all().c_str());
    const CommandResult twice = shell_.run(
        QStringList{"import", path, "--preview", "--metrics", "warps", "--ignore", "warps", "--unit", "us"});
    QVERIFY2(twice.code == 2 && twice.error.contains("two roles"), twice.all().c_str());
    const QString log = write("other.json", cache + "}\n}");
    const CommandResult other = shell_.run({"import", log, "--unit", "ms"});
    QVERIFY2(other.code != 0 && other.all().contains("whose columns are known"), other.all().c_str());
  }

  void files_and_sessions_are_joined() {
    const QString first = write("first.csv", "block,time_ms\n16,5\n32,4\n");
    const QString second = write("second.csv", "block,stages,time_ms\n32,1,6\n32,3,2\n");
    const CommandResult kept = shell_.run({"import", first, "--name", "first list"});
    QVERIFY2(kept.code == 0, kept.all().c_str());
    const std::size_t before = sessions();
    const CommandResult refused = shell_.run({"import", first, second, "--join", "both"});
    QVERIFY2(refused.code == 2 && refused.error.contains("--missing stages=VALUE"), refused.all().c_str());
    const QStringList join{"import", "recorded:first list", second,    "--join",
                           "both",   "--missing",           "stages=1"};
    const CommandResult preview = shell_.run(join + QStringList{"--preview"});
    QVERIFY2(preview.code == 0 && preview.output.contains("both: 3 trials, joined; nothing was stored"),
             preview.all().c_str());
    QCOMPARE(sessions(), before);
    const CommandResult joined = shell_.run(join + QStringList{"--json"});
    QVERIFY2(joined.code == 0, joined.all().c_str());
    const json line = json_lines(joined.output).at(0);
    QCOMPARE(line.at("name").get<std::string>(), std::string("both"));
    QCOMPARE(line.at("format").get<std::string>(), std::string("joined"));
    QCOMPARE(line.at("trials").get<int>(), 3);
    QCOMPARE(sessions(), before + 1);
    for (const auto& [options, words] :
         {std::pair{QStringList{"import", first, "--join", "one"}, "at least two"},
          {QStringList{"import", first, "--missing", "stages=1"}, "--join NAME"},
          {QStringList{"import", first, second, "--join", "both", "--missing", "stages"},
           "no value of a parameter"},
          {QStringList{"import", "recorded:nowhere", second, "--join", "both"}, "nowhere"},
          {QStringList{"import", first, second, "--join", "both", "--as", "session"}, "--as"}}) {
      const CommandResult wrong = shell_.run(options);
      QVERIFY2(wrong.code == 2 && wrong.error.contains(words), wrong.all().c_str());
    }
  }
};

KERNELSCAPE_TEST(CommandLineImportTest, QCoreApplication)

}  // namespace kernelscape::command_line_import_test
#include "command_line_import_test.moc"
