#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>
#include <algorithm>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_project_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

/** What `space` says of a user's own kernel. */
class CommandLineProjectTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;

  QString write(const QString& name, const QByteArray& text) const {
    QFile file(shell_.path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("%s", qPrintable(name));
    return file.fileName();
  }

  /** A new project of 26 configurations, with another kernel. */
  QString broken_project(const QString& name, const QByteArray& kernel) const {
    const QString folder = shell_.path(name);
    if (shell_.run({"new-kernel", "scale", "--language", "c", "--folder", folder}).code != 0)
      qFatal("%s", qPrintable(folder));
    write(name + "/scale.c", kernel);
    return folder + "/scale.json";
  }

  /** Batches of one: whatever order a session measures in, its first trials are these. */
  CommandResult tune_slowly(const QString& file, const QString& database,
                            const QStringList& more = {}) const {
    return shell_.run(QStringList{"tune", file, "--tuner", "sa", "--seed", "1", "--trials", "20", "--repeats",
                                  "1", "--min-repeat-ms", "0", "--trust", "--db", database} +
                      more);
  }

  /** A project of one parameter, with what a test is about. */
  QString project(const QByteArray& values, const QByteArray& condition, const QByteArray& more = {}) const {
    write("scale.c", "void scale(float* y) { for (int i = 0; i < 64; ++i) y[i] = TILE > 0; }\n");
    return write("scale.json",
                 R"({"ConfigurationSpace": {"TuningParameters": [
  {"Name": "TILE", "Type": "int", "Values": ")" +
                     values + R"("}],
  "Conditions": [{"Expression": ")" +
                     condition + R"(", "Parameters": ["TILE"]}]},
"KernelSpecification": {"Language": "C", "KernelName": "scale", "KernelFile": "scale.c", "ProblemSize": [64],
  "Arguments": [{"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 64}])" +
                     more + "}}\n");
  }

 private slots:
  void bundled_projects_are_shown_data();
  void bundled_projects_are_shown();
  void a_space_is_counted();
  void what_is_odd_is_said_on_standard_error();
  void files_outside_the_folder_are_read_if_allowed();
  void a_new_kernel_can_be_looked_at_data();
  void a_new_kernel_can_be_looked_at();
  void nothing_is_written_over();
  void initTestCase() { shell_.set("XDG_CONFIG_HOME", shell_.path("config")); }
  void nothing_runs_before_its_content_is_trusted();
  void a_session_resumes_and_goes_home();
  void other_machines_trust_nothing_of_it();
  void a_kernel_that_never_compiles_says_where_and_ends_early();
  void wrong_results_and_crashes_are_reported_at_once_data();
  void wrong_results_and_crashes_are_reported_at_once();
  void mistakes_name_file_and_place_data();
  void mistakes_name_file_and_place();
};

void CommandLineProjectTest::bundled_projects_are_shown_data() {
  QTest::addColumn<QString>("file");
  for (const char* file :
       {"matmul/matmul-opencl.json", "matmul/matmul-cuda.json", "convolution/convolution-opencl.json",
        "convolution/convolution-cuda.json", "stencil/stencil.json"})
    QTest::newRow(file) << QStringLiteral(KERNELSCAPE_SOURCE_DIR "/data/kernels/") + file;
}

/** They are there to start from: nothing about them is odd, and something is left by their conditions. */
void CommandLineProjectTest::bundled_projects_are_shown() {
  QFETCH(QString, file);
  const CommandResult shown = shell_.run({"space", file, "--json"});
  QVERIFY2(shown.code == 0, shown.all().c_str());
  const json space = json_lines(shown.output).at(0);
  QCOMPARE(space["notices"].size(), std::size_t{0});
  const std::int64_t size = std::stoll(space["size"].get<std::string>());
  const std::int64_t members = std::stoll(space["members"].get<std::string>());
  QVERIFY(0 < members && members <= size);
  QCOMPARE(space["right"].get<std::string>(), std::string("a C function"));
  const CommandResult text = shell_.run({"space", file});
  QVERIFY2(text.code == 0 && text.output.find(space["hash"].get<std::string>()) != std::string::npos,
           text.all().c_str());
}

void CommandLineProjectTest::a_space_is_counted() {
  const CommandResult shown =
      shell_.run({"space", project("[1, 2, 3, 4, 6]", "12 % TILE == 0 and TILE > 1"), "--json"});
  QVERIFY2(shown.code == 0, shown.all().c_str());
  const json space = json_lines(shown.output).at(0);
  QCOMPARE(space["size"].get<std::string>(), std::string("5"));
  QCOMPARE(space["members"].get<std::string>(), std::string("4"));
  QCOMPARE(space["arguments"][0]["bytes"].get<int>(), 256);
  QCOMPARE(space["language"].get<std::string>(), std::string("C"));
}

void CommandLineProjectTest::what_is_odd_is_said_on_standard_error() {
  const CommandResult shown =
      shell_.run({"space", project("[1, 2]", "TILE > 0", R"(, "Colour": "red")"), "--json"});
  QVERIFY2(shown.code == 0, shown.all().c_str());
  QVERIFY2(shown.error.find("always true") != std::string::npos, shown.error.c_str());
  QVERIFY2(shown.error.find("Colour") != std::string::npos, shown.error.c_str());
  QCOMPARE(json_lines(shown.output).size(), std::size_t{1});
}

void CommandLineProjectTest::files_outside_the_folder_are_read_if_allowed() {
  QFile file(project("[1, 2]", "TILE > 0"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  QVERIFY(QDir().mkpath(shell_.path("inner")));
  const QString inner =
      write("inner/scale.json", file.readAll().replace("\"KernelFile\": \"", "\"KernelFile\": \"../"));
  QVERIFY(shell_.run({"space", inner, "--json"}).code != 0);
  const CommandResult shown = shell_.run({"space", inner, "--json", "--outside-files"});
  QVERIFY2(shown.code == 0, shown.error.c_str());
}

void CommandLineProjectTest::a_new_kernel_can_be_looked_at_data() {
  QTest::addColumn<QString>("language");
  for (const char* language : {"c", "opencl", "cuda"}) QTest::newRow(language) << language;
}

void CommandLineProjectTest::a_new_kernel_can_be_looked_at() {
  QFETCH(QString, language);
  const QString folder = shell_.path("new-" + language);
  const CommandResult written =
      shell_.run({"new-kernel", "scale", "--language", language, "--folder", folder});
  QVERIFY2(written.code == 0, written.all().c_str());
  QVERIFY(QFile::exists(folder + "/reference.c"));
  const CommandResult shown = shell_.run({"space", folder + "/scale.json", "--json"});
  QVERIFY2(shown.code == 0, shown.all().c_str());
  QCOMPARE(json_lines(shown.output).at(0)["notices"].size(), std::size_t{0});
  // Its second argument is called x: a name as the others, at the left of its column.
  const CommandResult text = shell_.run({"space", folder + "/scale.json"});
  QVERIFY2(text.output.find("\nx  ") != std::string::npos, text.output.c_str());
}

void CommandLineProjectTest::nothing_is_written_over() {
  const QString folder = shell_.path("taken");
  QVERIFY(QDir().mkpath(folder));
  write("taken/reference.c", "int mine;\n");
  const CommandResult refused = shell_.run({"new-kernel", "scale", "--folder", folder});
  QVERIFY2(refused.code != 0 && refused.error.find("reference.c") != std::string::npos,
           refused.all().c_str());
  QCOMPARE(QDir(folder).entryList(QDir::Files), QStringList{QStringLiteral("reference.c")});
  const CommandResult unknown = shell_.run({"new-kernel", "scale", "--language", "fortran"});
  QVERIFY2(unknown.code == 2 && unknown.error.find("fortran") != std::string::npos, unknown.all().c_str());
}

void CommandLineProjectTest::nothing_runs_before_its_content_is_trusted() {
  const QString database = shell_.path("trust.db");
  const auto tune = [&](const QStringList& more) {
    return shell_.run(QStringList{"tune", project("[1, 2, 3]", "TILE < 3"), "--trials", "2", "--repeats", "1",
                                  "--min-repeat-ms", "0", "--db", database} +
                      more);
  };
  const CommandResult refused = tune({});
  QVERIFY2(refused.code != 0 && refused.error.contains("--trust") && refused.error.contains("scale.c"),
           refused.all().c_str());
  QVERIFY(json_lines(shell_.run({"sessions", "--json", "--db", database}).output).empty());
  const CommandResult run = tune({"--trust"});
  QVERIFY2(run.code == 0 && run.output.contains("same output as the first valid configuration"),
           run.all().c_str());
  QVERIFY2(tune({}).code == 0, "what was trusted once is trusted");
  // One letter more is another content.
  write("scale.c", "void scale(float* y) { for (int i = 0; i < 64; ++i) y[i] = TILE > 0 ; }\n");
  const CommandResult changed =
      shell_.run({"tune", shell_.path("scale.json"), "--trials", "2", "--db", database});
  QVERIFY2(changed.code != 0 && changed.error.contains("--trust"), changed.all().c_str());
  const CommandResult again =
      shell_.run({"tune", shell_.path("scale.json"), "--trials", "2", "--db", database, "--trust"});
  QVERIFY2(again.code == 0 && again.all().contains("differs from that of session"), again.all().c_str());
  const CommandResult no_project = shell_.run({"tune", "resnet18/C6", "--trust"});
  QVERIFY2(no_project.code == 2 && no_project.error.contains("--trust"), no_project.all().c_str());
}

/** Resumed, exported as source that a compiler takes, replayed and recorded. */
void CommandLineProjectTest::a_session_resumes_and_goes_home() {
  const QString database = shell_.path("home.db");
  const QString file = project("[1, 2, 3, 4]", "TILE < 5", R"(, "CompilerOptions": ["-DTWICE=1"])");
  QVERIFY(shell_.run({"tune", file, "--trials", "2", "--seed", "3", "--trust", "--db", database}).code == 0);
  const CommandResult resumed = shell_.run({"resume", "1", "--trials", "4", "--db", database});
  QVERIFY2(resumed.code == 0 && resumed.output.contains("4 trials"), resumed.all().c_str());
  QVERIFY(shell_.run({"show", "1", "--db", database}).output.contains("project     content "));
  QVERIFY(shell_.run({"tune", "project:1", "--trials", "2", "--db", database}).code == 0);
  const QString folder = shell_.path("scale-kernel");
  const CommandResult exported =
      shell_.run({"export", "1", "--format", "kernel", "--out", folder, "--db", database});
  QVERIFY2(exported.code == 0, exported.all().c_str());
  const QString text = folder + "/" + QDir(folder).entryList({"*.c"}).value(0);
  QFile source(text);
  QVERIFY(source.open(QIODevice::ReadOnly));
  QVERIFY(source.readAll().contains("#define TILE "));
  QProcess compiler;
  compiler.start("cc", {"-c", "-DTWICE=1", text, "-o", shell_.path("scale.o")});
  QVERIFY(compiler.waitForFinished() && compiler.exitCode() == 0);
  for (const char* format : {"t4", "kernel-tuner", "recorded", "csv"}) {
    const CommandResult written = shell_.run({"export", "1", "--format", format, "--out",
                                              shell_.path(QString("out.") + format), "--db", database});
    QVERIFY2(written.code == 0, written.all().c_str());
  }
  const CommandResult replayed = shell_.run(
      {"tune", "--target", "recorded:" + shell_.path("out.recorded"), "--trials", "3", "--db", database});
  QVERIFY2(replayed.code == 0, replayed.all().c_str());
}

/** A database, a session and a recorded space bring the project along, and no consent. */
void CommandLineProjectTest::other_machines_trust_nothing_of_it() {
  const QString database = shell_.path("away.db");
  const QString file = project("[1, 2]", "TILE < 5", R"(, "CompilerOptions": ["-DSECRET_FLAG=1"])");
  QVERIFY(shell_.run({"tune", file, "--trials", "1", "--trust", "--db", database}).code == 0);
  for (const char* format : {"json", "recorded"})
    QVERIFY(shell_
                .run({"export", "1", "--format", format, "--out", shell_.path(QString("away.") + format),
                      "--db", database})
                .code == 0);
  const auto readme_of = [&](const QString& from, const QString& into) {
    const CommandResult exported =
        shell_.run({"export", "1", "--format", "kernel", "--out", into, "--db", from});
    QFile readme(into + "/README.md");
    return exported.code == 0 && readme.open(QIODevice::ReadOnly) ? readme.readAll()
                                                                  : QByteArray::fromStdString(exported.all());
  };
  QVERIFY(readme_of(database, shell_.path("trusted")).contains("SECRET_FLAG"));
  shell_.set("XDG_CONFIG_HOME", shell_.path("elsewhere"));
  const CommandResult resumed = shell_.run({"resume", "1", "--trials", "2", "--db", database});
  const QByteArray untrusted = readme_of(database, shell_.path("untrusted"));
  const CommandResult consent = shell_.run({"resume", "1", "--trials", "2", "--trust", "--db", database});
  shell_.set("XDG_CONFIG_HOME", shell_.path("third"));
  QByteArrayList imported;
  for (const char* format : {"json", "recorded"}) {
    const QString other = shell_.path(QString("other-") + format + ".db");
    const CommandResult read = shell_.run({"import", shell_.path(QString("away.") + format), "--db", other});
    imported.append(read.code == 0 ? readme_of(other, shell_.path(QString("from-") + format))
                                   : QByteArray::fromStdString(read.all()));
  }
  shell_.set("XDG_CONFIG_HOME", shell_.path("config"));
  QVERIFY2(resumed.code != 0 && resumed.error.contains("not trusted"), resumed.all().c_str());
  QVERIFY2(consent.code == 0, consent.all().c_str());
  for (const QByteArray& readme : imported + QByteArrayList{untrusted}) {
    QVERIFY2(readme.contains("found by Kernelscape"), readme.constData());
    QVERIFY2(!readme.contains("SECRET_FLAG"), readme.constData());
  }
}

/** Of C, by the compiler of this machine. */
void CommandLineProjectTest::a_kernel_that_never_compiles_says_where_and_ends_early() {
  const QString database = shell_.path("never compiles.db");
  const QString file =
      broken_project("never",
                     "#include <math.h>\n"
                     "void scale_and_add(int part, int parts, float* y, const float* x, float a,\n"
                     "                   int n) {\n"
                     "  int unused;\n"
                     "  for (int i = part; i < n; i += parts) y[i] += a * x[i] * BLOK / BLOCK;\n"
                     "}\n");
  const CommandResult run = tune_slowly(file, database, {"--json"});
  QVERIFY2(run.code == 1, run.all().c_str());
  const std::vector<json> lines = json_lines(run.output);
  const auto first_trial =
      std::ranges::find(lines, "trial", [](const json& line) { return line.value("event", ""); });
  QVERIFY(first_trial != lines.end() && first_trial + 1 != lines.end());
  const json& reported = *(first_trial + 1);
  QCOMPARE(reported["event"].get<std::string>(), std::string("message"));
  const auto text = reported["text"].get<std::string>();
  QVERIFY2(text.contains("does not compile: scale.c:5:") && text.contains("error: ") && text.contains("BLOK"),
           text.c_str());
  const std::vector<json> messages = events(lines, "message");
  QCOMPARE(std::ranges::count_if(messages,
                                 [](const json& message) {
                                   return message["text"].get<std::string>().contains("does not compile");
                                 }),
           1);
  const json summary = events(lines, "summary").at(0);
  QVERIFY(summary["trials"].get<int>() < 20);
  QCOMPARE(summary["reason"].get<std::string>(), std::string("all trials failed in the same way"));
  QCOMPARE(summary["failure"]["file"].get<std::string>(), std::string("scale.c"));
  QCOMPARE(summary["failure"]["line"].get<int>(), 5);
  QVERIFY2(run.error.contains("Correct scale.c:5, then run the command again") &&
               !run.error.contains("--template"),
           run.error.c_str());
  // The command of the hint, as a shell takes it.
  const std::string command = "kernelscape resume 1 --keep-going --db '" + database.toStdString() + "'";
  QVERIFY2(run.error.contains(command), run.error.c_str());
  const CommandResult same = shell_.run({"resume", "1", "--db", database});
  QVERIFY2(same.code == 1 && same.output.contains("all trials failed in the same way"), same.all().c_str());
  const CommandResult more = shell_.run({"resume", "1", "--keep-going", "--db", database});
  QVERIFY2(more.code == 1 && more.output.contains("20 trials") && !more.error.contains("--keep-going"),
           more.all().c_str());
  const CommandResult kept = tune_slowly(file, database, {"--keep-going"});
  QVERIFY2(kept.code == 1 && kept.output.contains("20 trials"), kept.all().c_str());
  QVERIFY2(kept.output.contains("does not compile: scale.c:5:"), kept.all().c_str());
}

void CommandLineProjectTest::wrong_results_and_crashes_are_reported_at_once_data() {
  QTest::addColumn<QByteArray>("body");
  QTest::addColumn<QString>("reported");
  QTest::addColumn<QString>("advice");
  QTest::newRow("wrong") << QByteArray("y[0] = 7;") << "computes a wrong result" << "reference";
  QTest::newRow("a crash") << QByteArray("*(volatile int*)8 = BLOCK;")
                           << "fails while it runs: " << "Correct the kernel";
}

void CommandLineProjectTest::wrong_results_and_crashes_are_reported_at_once() {
  QFETCH(QByteArray, body);
  QFETCH(QString, reported);
  QFETCH(QString, advice);
  const QString name = QString("fails-%1").arg(QTest::currentDataTag()).replace(' ', '-');
  const QString file = broken_project(name,
                                      "void scale_and_add(int part, int parts, float* y, const float* x, "
                                      "float a, int n) {\n  if (part == 0) " +
                                          body + "\n}\n");
  const CommandResult run = tune_slowly(file, shell_.path(name + ".db"));
  QVERIFY2(run.code == 1 && QString::fromStdString(run.output).contains(reported), run.all().c_str());
  QVERIFY2(run.output.contains("all trials failed in the same way"), run.all().c_str());
  QVERIFY2(QString::fromStdString(run.error).contains(advice), run.error.c_str());
}

void CommandLineProjectTest::mistakes_name_file_and_place_data() {
  QTest::addColumn<QByteArray>("values");
  QTest::addColumn<QByteArray>("condition");
  QTest::addColumn<QString>("words");
  QTest::newRow("never true") << QByteArray("[1, 2]") << QByteArray("TILE > 2") << "never true";
  QTest::newRow("unknown name") << QByteArray("[1, 2]") << QByteArray("TILES > 2") << "TILES";
  QTest::newRow("unbalanced") << QByteArray("[1, 2]") << QByteArray("(TILE > 2") << "(TILE > 2";
  QTest::newRow("division by zero") << QByteArray("[0]") << QByteArray("8 % TILE == 0") << "8 % TILE == 0";
  QTest::newRow("no list") << QByteArray("[1, 2") << QByteArray("TILE > 1") << "[1, 2";
  QTest::newRow("overflow") << QByteArray("[99999999999999999999]") << QByteArray("TILE > 1")
                            << "99999999999999999999";
}

void CommandLineProjectTest::mistakes_name_file_and_place() {
  QFETCH(QByteArray, values);
  QFETCH(QByteArray, condition);
  QFETCH(QString, words);
  const CommandResult shown = shell_.run({"space", project(values, condition)});
  QVERIFY2(shown.code == 2, shown.all().c_str());
  QVERIFY2(QString::fromStdString(shown.error).contains(words), shown.error.c_str());
  QVERIFY2(shown.output.empty(), shown.output.c_str());
}

KERNELSCAPE_PLAIN_TEST(CommandLineProjectTest)

}  // namespace kernelscape::command_line_project_test
#include "command_line_project_test.moc"
