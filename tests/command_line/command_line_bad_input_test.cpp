#include <QDir>
#include <QFile>
#include <QTest>

#include "core/tuner/tuner.h"
#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_bad_input_test {
using namespace kernelscape::command_line_tests;

/** Wrong usage: exit code 2 or 1, a message that names the thing, and the way out. */
class CommandLineBadInputTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;

 private slots:
  void mistakes_data();
  void mistakes();
  void hyperparametersOutOfRange_data();
  void hyperparametersOutOfRange();
  void mistypedHyperparameters();
  void compilersThatDoNotWork_data();
  void compilersThatDoNotWork();
  void damagedTaskFiles_data();
  void damagedTaskFiles();
};

void CommandLineBadInputTest::mistakes_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("names");  ///< what the message names
  QTest::addColumn<QString>("offers");
  const auto add = [](const char* row, const QStringList& arguments, const char* names, const char* offers) {
    QTest::addRow("%s", row) << arguments << names << offers;
  };
  const QString task = "resnet18/C2";
  add("unknown command", {"tunee", task}, "tunee", "tune");
  add("unknown option", {"tune", task, "--trails", "5"}, "--trails", "--trials");
  add("unknown option with a value", {"tune", task, "--trails=5"}, "--trails", "--trials");
  add("no task", {"tune"}, "TASK", "kernelscape tasks");
  add("task in two words", {"tune", "matmul", "8x8", "8x8"}, "8x8", "quotes");
  add("unknown task", {"tune", "resnet18/C22"}, "resnet18/C22", "resnet18/C2");
  add("unknown task of space", {"space", "resnet18/C22"}, "resnet18/C22", "resnet18/C2");
  add("unknown task of best", {"best", "resnet18/C22"}, "resnet18/C22", "resnet18/C2");
  add("task without a kernel yet", {"best", task}, "resnet18/C2", "kernelscape tune");
  add("unknown network", {"tasks", "--network", "resnet19"}, "resnet19", "did you mean");
  add("unknown tuner", {"tune", task, "--tuner", "noze"}, "noze", "nose");
  add("unknown tuner of tuners", {"tuners", "noze"}, "noze", "nose");
  add("unknown template", {"tune", task, "--template", "conv2d-nchw"}, "conv2d-nchw", "conv2d-nchwc");
  add("template of another operator", {"space", "matmul 8x8 8x8 f32", "--template", "conv2d-nchwc"},
      "conv2d-nchwc", "");
  add("unknown target", {"space", task, "--target", "gpu"}, "gpu", "cpu");
  add("no device number", {"tune", task, "--target", "cuda:first"}, "cuda:first", "kernelscape devices");
  add("device that is not there", {"tune", task, "--target", "opencl:900"}, "opencl:900", "");
  add("unknown architecture", {"tune", task, "--target", "cuda", "--arch", "sm_33", "--build-only"}, "sm_33",
      "sm_80");
  add("unknown architecture of space", {"space", task, "--target", "cuda", "--arch", "ampere"}, "ampere",
      "sm_80");
  add("architecture that is to run", {"tune", task, "--target", "cuda", "--arch", "sm_80"}, "--arch sm_80",
      "add --build-only");
  add("architecture of OpenCL", {"tune", task, "--target", "opencl:0", "--arch", "sm_80"}, "--arch sm_80",
      "leave --arch out");
  add("patience without timings",
      {"tune", task, "--target", "cuda", "--arch", "sm_80", "--build-only", "--patience", "9"}, "--patience",
      "--trials");
  add("build only of a recorded space", {"tune", "--target", "recorded:x.ksrec", "--build-only"}, "replayed",
      "--build-only");
  add("architecture on cpu", {"tune", task, "--arch", "sm_90"}, "--arch sm_90", "leave --arch out");
  add("build only on cpu", {"tune", task, "--build-only"}, "--build-only", "leave --build-only out");
  add("setting without a value", {"tune", task, "--set", "k"}, "--set k", "kernelscape tuners");
  add("negative trials", {"tune", task, "--trials", "-5"}, "--trials", "0 to");
  add("trials that are no number", {"tune", task, "--trials", "many"}, "--trials", "many");
  add("fractional trials", {"tune", task, "--trials", "1.5"}, "--trials", "1.5");
  add("trials beyond 64 bits", {"tune", task, "--trials", "99999999999999999999"}, "99999999999999999999",
      "0 to");
  add("trials with a 0 before them", {"tune", task, "--trials", "010"}, "010", "write 10");
  add("no value behind =", {"tasks", "--network=", "resnet18"}, "--network=", "write --network VALUE");
  add("database of the window before a command", {"--db", "x.db", "tasks"}, "--db",
      "kernelscape tasks --db FILE");
  add("trials with a unit", {"tune", task, "--trials", "1e3"}, "1e3", "whole number");
  add("option where a database belongs", {"sessions", "--db", "--json"}, "--json", "./--json");
  add("option where a file belongs", {"export", "1", "--format", "csv", "--out", "--db"}, "--db", "./--db");
  add("position that the knob lacks", {"tune", task, "--restrict", "unroll_kw[9]=1"}, "unroll_kw[9]",
      "unroll_kw=VALUE");
  add("position that the factors lack", {"tune", task, "--restrict", "tile_oc[9]=1"}, "tile_oc[9]",
      "from 0 to");
  add("threads of a recorded space", {"tune", "--target", "recorded:x.ksrec", "--threads", "2"}, "--threads",
      "leave --threads out");
  add("samples of a recorded space", {"tune", "--target", "recorded:x.ksrec", "--min-repeat-ms", "2"},
      "--min-repeat-ms", "leave --min-repeat-ms out");
  add("time-out of a recorded space", {"tune", "--target", "recorded:x.ksrec", "--run-timeout", "2"},
      "--run-timeout", "leave --run-timeout out");
  add("threads of a GPU's kernels", {"tune", task, "--target", "cuda:0", "--threads", "2"}, "--threads",
      "leave --threads out");
  add("trials of a list of studies", {"study", "--list", "--trials", "5"}, "--trials", "leave it out");
  add("seed of a stored study", {"study", "--show", "1", "--seed", "5"}, "--seed", "leave it out");
  add("negative minutes", {"tune", task, "--minutes", "-1"}, "--minutes", "0 to");
  add("minutes that are no number", {"tune", task, "--minutes", "nan"}, "--minutes", "0 to");
  add("no repeats", {"tune", task, "--repeats", "0"}, "--repeats", "1 to");
  add("evaluator that never ends anything", {"tune", task, "--adaptive-batch", "3"}, "3 micro-batches of 3",
      "more than 9 samples");
  add("evaluator with too few repeats", {"tune", task, "--adaptive", "--repeats", "150"}, "a trial has 150",
      "at most 49");
  add("threshold without an evaluator", {"tune", task, "--adaptive-threshold", "0.1"}, "--adaptive-threshold",
      "add --adaptive");
  add("minimum without an evaluator", {"sweep", task, "--adaptive-minimum", "4"}, "--adaptive-minimum",
      "--adaptive-batch N");
  add("performance without an evaluator", {"tune", task, "--adaptive-performance", "micro-batch"},
      "--adaptive-performance", "add --adaptive");
  add("unknown performance", {"tune", task, "--adaptive", "--adaptive-performance", "micro"},
      "--adaptive-performance", "micro-batch");
  add("empty micro-batch", {"tune", task, "--adaptive-batch", "0"}, "--adaptive-batch", "1 to");
  add("threshold zero", {"tune", task, "--adaptive", "--adaptive-threshold", "0"}, "--adaptive-threshold",
      "0.0001 to");
  add("calls of a replay", {"tune", "--target", "recorded:x.ksrec", "--calls-per-sample", "5"},
      "--calls-per-sample", "leave --calls-per-sample out");
  add("beyond the limits of a recorded space", {"tune", "--target", "recorded:x.ksrec", "--beyond-limits"},
      "--beyond-limits", "leave --beyond-limits out");
  add("beyond limits that are respected", {"tune", task, "--beyond-limits", "--respect-limits"},
      "--beyond-limits", "leave one of them out");
  add("a micro-batch within a sample",
      {"tune", task, "--calls-per-sample", "20", "--adaptive-batch", "30", "--repeats", "10"}, "30 calls",
      "multiple of 20");
  add("no time to build", {"tune", task, "--build-timeout", "0"}, "--build-timeout", "0.001 to");
  add("negative threads", {"tune", task, "--threads", "-1"}, "--threads", "0 to");
  add("seed that is no number", {"tune", task, "--seed", "abc"}, "--seed", "abc");
  add("negative seed", {"tune", task, "--seed", "-1"}, "--seed", "-1");
  add("empty sample", {"sweep", task, "--sample", "0"}, "--sample", "1 to");
  add("option of another command", {"sweep", task, "--tuner", "nose"}, "--tuner", "");
  add("unknown session to show", {"show", "99"}, "99", "");
  add("unknown session to resume", {"resume", "99"}, "99", "");
  add("unknown session to delete", {"delete", "no-such-name"}, "no-such-name", "");
  add("unknown session to warm-start from", {"tune", task, "--warm-start", "99"}, "99", "");
  for (const char* command : {"show", "resume", "delete"})
    add(("empty name to " + QByteArray(command)).constData(), {command, ""}, "empty", "give its id");
  add("empty name of a session to export", {"export", "", "--format", "csv", "--out", "-"}, "empty",
      "give its id");
  add("empty name of a session to report", {"report", "", "--out", "r.html"}, "empty", "give its id");
  add("empty path of a file", {"import", ""}, "empty", "name an existing file");
  add("empty path of a database", {"delete", "1", "--db", ""}, "--db", "leave --db out");
  add("folder as a database to read", {"sessions", "--db", "/tmp"}, "/tmp is a folder", "name a file");
  add("folder as a database of studies", {"study", "--list", "--db", "/tmp"}, "/tmp is a folder",
      "name a file");
  add("zero extent", {"space", "conv2d 1x64x0x56 64x64x3x3 pad=1"}, "0", "");
  add("negative extent", {"space", "conv2d 1x64x-56x56 64x64x3x3 pad=1"}, "-56", "");
  add("overflow", {"space", "matmul 4294967296x4294967296 4294967296x4294967296 f32"}, "4294967296", "");
  add("beyond 64 bits", {"space", "matmul 99999999999999999999x8 8x8 f32"}, "99999999999999999999", "");
  add("shapes that don't fit", {"space", "matmul 8x16 32x8 f32"}, "16", "");
  add("kernel larger than its input", {"space", "conv2d 1x8x4x4 8x8x7x7 pad=1"}, "7", "");
  add("groups that don't divide", {"space", "conv2d 1x64x8x8 64x21x3x3 groups=3 pad=1"}, "3", "");
  add("unknown type", {"space", "matmul 8x8 8x8 f33"}, "f33", "");
  add("unknown operator", {"space", "conv9d 1x8x4x4 8x8x3x3"}, "conv9d", "");
  add("unknown attribute", {"space", "conv2d 1x8x4x4 8x8x3x3 stripe=1"}, "stripe", "");
  add("stride zero", {"space", "conv2d 1x8x4x4 8x8x3x3 stride=0"}, "stride", "");
}

void CommandLineBadInputTest::mistakes() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, names);
  QFETCH(QString, offers);
  const CommandResult result = shell_.run(arguments);
  QVERIFY2(result.code == 2, result.all().c_str());
  QVERIFY2(result.error.starts_with("kernelscape: error: "), result.all().c_str());
  QVERIFY2(result.error.find(names.toStdString()) != std::string::npos, result.error.c_str());
  QVERIFY2(result.error.find(offers.toStdString()) != std::string::npos, result.error.c_str());
}

void CommandLineBadInputTest::hyperparametersOutOfRange_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("name");
  const auto add = [](const tuner::Declaration& tuner, const std::string& name, const QString& value) {
    QTest::addRow("%s %s=%s", tuner.name.c_str(), name.c_str(), qPrintable(value))
        << QStringList{"tune",    "resnet18/C2",
                       "--tuner", QString::fromStdString(tuner.name),
                       "--set",   QString::fromStdString(name) + "=" + value}
        << QString::fromStdString(name);
  };
  for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
    for (const tuner::HyperparameterDeclaration& declared : tuner.hyperparameters) {
      if (declared.minimum) add(tuner, declared.name, QString::number(*declared.minimum - 1, 'g', 17));
      if (declared.maximum) add(tuner, declared.name, QString::number(*declared.maximum + 1, 'g', 17));
      if (!declared.choices.empty()) add(tuner, declared.name, "no-such-choice");
      if (!std::holds_alternative<std::string>(declared.default_value)) add(tuner, declared.name, "maybe");
    }
  }
}

void CommandLineBadInputTest::hyperparametersOutOfRange() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, name);
  const CommandResult result = shell_.run(arguments);
  QVERIFY2(result.code == 2, result.all().c_str());
  QVERIFY2(result.error.find(name.toStdString()) != std::string::npos, result.error.c_str());
}

void CommandLineBadInputTest::mistypedHyperparameters() {
  for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
    for (const tuner::HyperparameterDeclaration& declared : tuner.hyperparameters) {
      const std::string wrong = declared.name + "s";
      const CommandResult result =
          shell_.run({"tune", "resnet18/C2", "--tuner", QString::fromStdString(tuner.name), "--set",
                      QString::fromStdString(wrong + "=1")});
      QVERIFY2(result.code == 2, result.all().c_str());
      QVERIFY2(result.error.find(wrong) != std::string::npos, result.error.c_str());
      QVERIFY2(result.error.find(declared.name + "?") != std::string::npos ||
                   result.error.find(declared.name + ",") != std::string::npos,
               result.error.c_str());
    }
  }
}

void CommandLineBadInputTest::compilersThatDoNotWork_data() {
  QTest::addColumn<QString>("compiler");
  QTest::addRow("missing") << "/no/such/compiler";
  QTest::addRow("fails on everything") << "/bin/false";
}

void CommandLineBadInputTest::compilersThatDoNotWork() {
  QFETCH(QString, compiler);
  Shell shell;
  shell.set("CC", compiler);
  const CommandResult result = shell.run({"tune", "resnet18/C2", "--trials", "2"});
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY2(result.error.find(compiler.toStdString()) != std::string::npos, result.error.c_str());
  QVERIFY(shell.run({"sessions", "--json"}).output.empty());
  // Looking at a space needs no compiler.
  QCOMPARE(shell.run({"space", "resnet18/C2"}).code, 0);
}

void CommandLineBadInputTest::damagedTaskFiles_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::addRow("empty") << QByteArray();
  QTest::addRow("no JSON") << QByteArray("{{{");
  QTest::addRow("another type") << QByteArray("[1, 2, 3]");
  QTest::addRow("zeros") << QByteArray(1000, '\0');
  QTest::addRow("deep") << QByteArray(100'000, '[');
}

void CommandLineBadInputTest::damagedTaskFiles() {
  QFETCH(QByteArray, content);
  const QString path = shell_.path("task.json");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
  file.write(content);
  file.close();
  const CommandResult result = shell_.run({"space", path});
  QVERIFY2(result.code == 1 || result.code == 2, result.all().c_str());
  QVERIFY2(result.error.find("task.json") != std::string::npos, result.error.c_str());
}

KERNELSCAPE_TEST(CommandLineBadInputTest, QCoreApplication)

}  // namespace kernelscape::command_line_bad_input_test
#include "command_line_bad_input_test.moc"
