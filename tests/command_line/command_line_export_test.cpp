#include <QDir>
#include <QTest>
#include <cmath>
#include <filesystem>

#include "tests/command_line/command_line_support.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_export_test {
using namespace kernelscape::command_line_tests;
using nlohmann::json;

/** What `export` writes of a real session, and what it refuses. */
class CommandLineExportTest : public QObject {
  Q_OBJECT

 private:
  Shell shell_;
  json summary_;

  static void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("%s", qPrintable(path));
  }
  static QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private slots:
  void initTestCase();
  void aKernelBuildsAndChecks();
  void theBestConfiguration();
  void oneTrial();
  void trialsAsCsv();
  void someTrialsAndColumns();
  void mistakes_data();
  void mistakes();
  void fullFolders();
  void aFasterFileIsNamedBesideWhatWasMeasured();
  void theDatabaseIsNeverReplaced_data();
  void theDatabaseIsNeverReplaced();
  void otherFilesNeedForce();
  void linksOutOfTheFolderAreNotFollowed();
  void streams();
  void aForgedManifestRemovesNothing();
};

void CommandLineExportTest::initTestCase() {
  const CommandResult tuned =
      shell_.run({"tune", "matmul 32x48 48x64 f32", "--tuner", "random", "--trials", "6", "--seed", "3",
                  "--name", "mine", "--repeats", "3", "--min-repeat-ms", "0.1", "--threads", "1", "--json"});
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  summary_ = events(json_lines(tuned.output), "summary").at(0);
}

void CommandLineExportTest::aKernelBuildsAndChecks() {
  const QString folder = shell_.path("kernel");
  const CommandResult result = shell_.run({"export", "mine", "--format", "kernel", "--out", folder});
  QVERIFY2(result.code == 0, result.all().c_str());
  QProcess process;
  process.setWorkingDirectory(folder);
  process.start("sh", {"-c", "cmake -G Ninja -S . -B build && cmake --build build && build/check 2"});
  QVERIFY(process.waitForFinished(240'000));
  QVERIFY2(process.exitCode() == 0, process.readAll().constData());
  // Once more over the earlier export; what was built beside it stays.
  QCOMPARE(shell_.run({"export", "1", "--format", "kernel", "--out", folder}).code, 0);
  QVERIFY(QFile::exists(folder + "/build/check"));
}

void CommandLineExportTest::theBestConfiguration() {
  const CommandResult result = shell_.run({"export", "mine", "--format", "configuration", "--out", "-"});
  QVERIFY2(result.code == 0, result.all().c_str());
  const json object = json::parse(result.output);
  QVERIFY(object.at("provenance").at("trial") == summary_.at("best").at("trial"));
  QVERIFY(object.at("configuration") == summary_.at("best").at("configuration"));
  QVERIFY(object.at("confirmed").at("median_seconds") == summary_.at("best").at("median_seconds"));
  QCOMPARE(object.at("provenance").at("session_name").get<std::string>(), std::string("mine"));
  QCOMPARE(object.at("threads").get<int>(), 1);

  const QString path = shell_.path("best.json");
  QCOMPARE(shell_.run({"export", "mine", "--format", "configuration", "--out", path}).code, 0);
  QCOMPARE(read(path).toStdString(), result.output);
}

void CommandLineExportTest::oneTrial() {
  for (const char* trial : {"0", "5"}) {
    const CommandResult result =
        shell_.run({"export", "mine", "--format", "configuration", "--out", "-", "--trial", trial});
    QVERIFY2(result.code == 0, result.all().c_str());
    QCOMPARE(json::parse(result.output).at("provenance").at("trial").get<int>(), std::atoi(trial));
  }
}

void CommandLineExportTest::trialsAsCsv() {
  const CommandResult result = shell_.run({"export", "mine", "--format", "csv", "--out", "-"});
  QVERIFY2(result.code == 0, result.all().c_str());
  QCOMPARE(QByteArray::fromStdString(result.output).count("\r\n"), 7);
  QVERIFY2(result.output.starts_with("trial,batch,error,gflops,ms,"), result.output.c_str());
  const QString path = shell_.path("trials.csv");
  QCOMPARE(shell_.run({"export", "mine", "--format", "csv", "--out", path}).code, 0);
  QCOMPARE(read(path).toStdString(), result.output);
}

void CommandLineExportTest::someTrialsAndColumns() {
  const CommandResult result = shell_.run({"export", "mine", "--format", "csv", "--out", "-", "--where",
                                           "trial in (1, 3..4)", "--columns", "trial,message,batch"});
  QVERIFY2(result.code == 0, result.all().c_str());
  QStringList lines = QString::fromStdString(result.output).split("\r\n", Qt::SkipEmptyParts);
  QCOMPARE(lines.takeFirst(), QString("trial,message,batch"));
  lines.sort();
  QCOMPARE(lines.size(), 3);
  for (const char* number : {"1,,", "3,,", "4,,"}) QVERIFY(lines.takeFirst().startsWith(number));
}

void CommandLineExportTest::mistakes_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<int>("code");
  QTest::addColumn<QString>("names");
  QTest::addColumn<QString>("offers");
  const auto add = [](const char* row, const QStringList& arguments, int code, const char* names,
                      const char* offers) {
    QTest::addRow("%s", row) << (QStringList{"export"} << arguments) << code << names << offers;
  };
  add("no session", {"--format", "csv", "--out", "-"}, 2, "SESSION", "--help");
  add("no format", {"mine", "--out", "-"}, 2, "--format", "--help");
  add("no place", {"mine", "--format", "csv"}, 2, "--out", "--help");
  add("unknown session", {"theirs", "--format", "csv", "--out", "-"}, 2, "theirs", "mine");
  add("unknown number", {"99", "--format", "csv", "--out", "-"}, 2, "99", "");
  add("unknown format", {"mine", "--format", "jsno", "--out", "-"}, 2, "jsno", "json");
  add("unknown trial", {"mine", "--format", "configuration", "--out", "-", "--trial", "77"}, 2, "77", "");
  add("negative trial", {"mine", "--format", "configuration", "--out", "-", "--trial", "-1"}, 2, "-1", "");
  add("a trial that no session has",
      {"mine", "--format", "configuration", "--out", "-", "--trial", "99999999999999999999"}, 2,
      "99999999999999999999", "give 0 to");
  add("trial without a number", {"mine", "--format", "configuration", "--out", "-", "--trial", ""}, 2,
      "--trial", "give 0 to");
  add("trial of csv", {"mine", "--format", "csv", "--out", "-", "--trial", "1"}, 2, "csv", "--where");
  add("filter of configuration", {"mine", "--format", "configuration", "--out", "-", "--where", "valid"}, 2,
      "configuration", "--trial");
  add("columns of kernel", {"mine", "--format", "kernel", "--out", "x", "--columns", "ms"}, 2, "kernel",
      "--trial");
  for (const char* format : {"json", "autotvm", "kernel-tuner", "t4", "recorded"})
    add(("columns of " + QByteArray(format)).constData(),
        {"mine", "--format", format, "--out", "x", "--columns", "ms"}, 2, format, "remove --columns");
  add("kernel on standard output", {"mine", "--format", "kernel", "--out", "-"}, 2, "kernel", "folder");
  add("no filter", {"mine", "--format", "csv", "--out", "-", "--where", "glops > 3"}, 2, "glops", "gflops");
  add("half a filter", {"mine", "--format", "csv", "--out", "-", "--where", "ms >"}, 2, "ms >", "");
  add("unknown column", {"mine", "--format", "csv", "--out", "-", "--columns", "ms,glops"}, 2, "glops",
      "gflops");
  add("empty place", {"mine", "--format", "csv", "--out", ""}, 2, "csv", "--out");
  add("no such folder", {"mine", "--format", "csv", "--out", "/no/such/folder/x.csv"}, 2,
      "/no/such/folder/x.csv", "folder");
  add("a folder", {"mine", "--format", "json", "--out", "/tmp"}, 2, "/tmp", "file");
  add("a place that cannot be written", {"mine", "--format", "json", "--out", "/proc/x.json"}, 2,
      "/proc/x.json", "");
  add("a folder that cannot be made", {"mine", "--format", "kernel", "--out", "/proc/x"}, 1, "/proc/x", "");
  add("a full disk", {"mine", "--format", "csv", "--out", "/dev/full"}, 1, "/dev/full", "free space");
}

void CommandLineExportTest::mistakes() {
  QFETCH(QStringList, arguments);
  QFETCH(int, code);
  QFETCH(QString, names);
  QFETCH(QString, offers);
  const CommandResult result = shell_.run(arguments);
  QVERIFY2(result.code == code, result.all().c_str());
  QVERIFY2(result.output.empty(), result.output.c_str());
  QVERIFY2(result.error.starts_with("kernelscape: error: "), result.all().c_str());
  QVERIFY2(result.error.find(names.toStdString()) != std::string::npos, result.error.c_str());
  QVERIFY2(result.error.find(offers.toStdString()) != std::string::npos, result.error.c_str());
}

void CommandLineExportTest::fullFolders() {
  const QString folder = shell_.path("full");
  QVERIFY(QDir().mkpath(folder));
  QFile file(folder + "/mine.txt");
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("mine");
  file.close();
  const CommandResult result = shell_.run({"export", "mine", "--format", "kernel", "--out", folder});
  QVERIFY2(result.code == 1, result.all().c_str());
  QVERIFY2(result.error.find(folder.toStdString()) != std::string::npos, result.error.c_str());
  QCOMPARE(QDir(folder).entryList(QDir::Files), QStringList{"mine.txt"});
}

/** A session of a file never takes the place of one that was measured here, whatever it says. */
void CommandLineExportTest::aFasterFileIsNamedBesideWhatWasMeasured() {
  const CommandResult whole = shell_.run({"export", "mine", "--format", "json", "--out", "-"});
  QVERIFY2(whole.code == 0, whole.all().c_str());
  json forged = json::parse(whole.output);
  const auto halve = [](json& samples) {
    for (json& seconds : samples) seconds = seconds.get<double>() / 2;
  };
  for (json& trial : forged["trials"]) halve(trial["samples_seconds"]);
  for (json& confirmation : forged["confirmations"])
    if (confirmation["trial"].get<int>() >= 0) halve(confirmation["samples_seconds"]);
  forged["status"]["best_seconds"] = forged["status"]["best_seconds"].get<double>() / 2;
  QFile file(shell_.path("forged.json"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QByteArray::fromStdString(forged.dump()));
  file.close();
  const CommandResult taken =
      shell_.run({"import", shell_.path("forged.json"), "--name", "faster", "--json"});
  QVERIFY2(taken.code == 0, taken.all().c_str());
  const json imported = json_lines(taken.output).at(0).at("session");

  const CommandResult best = shell_.run({"best", "matmul 32x48 48x64 f32", "--json"});
  QVERIFY2(best.code == 0, best.all().c_str());
  const json found = json_lines(best.output).at(0);
  QVERIFY(found.at("session") == summary_.at("session") && found.at("origin").is_null());
  const json& claimed = found.at("claimed");
  QVERIFY(claimed.at("session") == imported);
  QVERIFY(std::abs(claimed.at("times_faster").get<double>() - 2) < 1e-6);
  QVERIFY(claimed.at("origin").get<std::string>().contains("forged.json"));
  const CommandResult reported = shell_.run({"best", "matmul 32x48 48x64 f32"});
  QVERIFY2(reported.output.contains("claimed     2.00 x faster"), reported.output.c_str());
  const CommandResult shown = shell_.run({"show", "faster"});
  QVERIFY2(shown.output.contains("imported from Kernelscape session forged.json, not measured here"),
           shown.output.c_str());
  QVERIFY2(!shown.output.contains("(confirmed"), shown.output.c_str());
}

void CommandLineExportTest::theDatabaseIsNeverReplaced_data() {
  QTest::addColumn<QString>("format");
  for (const char* format : {"csv", "json", "configuration", "autotvm", "kernel-tuner", "t4", "recorded"})
    QTest::newRow(format) << format;
}

/** By its name, by other names, and what belongs to it; also by force. */
void CommandLineExportTest::theDatabaseIsNeverReplaced() {
  QFETCH(QString, format);
  const QTemporaryDir folder;
  const QString database = folder.filePath("e2.db");
  const QString other = folder.filePath("other.db");
  for (const QString& copy : {database, other}) QVERIFY(QFile::copy(shell_.default_database(), copy));
  const QString link = folder.filePath("link.csv");
  const QString twin = folder.filePath("twin.csv");
  QVERIFY(QFile::link("e2.db", link));
  std::filesystem::create_hard_link(database.toStdString(), twin.toStdString());
  const QByteArray before = read(database);
  for (const QString& out :
       {database, other, link, twin, database + "-wal", database + "-shm", other + "-journal"}) {
    for (const bool force : {false, true}) {
      QStringList arguments{"export", "1", "--format", format, "--out", out, "--db", database};
      if (force) arguments << "--force";
      const CommandResult result = shell_.run(arguments);
      QVERIFY2(result.code == 1 && result.output.empty(), result.all().c_str());
      QVERIFY2(result.error.find(out.toStdString()) != std::string::npos, result.error.c_str());
      QVERIFY2(result.error.find("name another file") != std::string::npos, result.error.c_str());
    }
  }
  QCOMPARE(read(database), before);
  QCOMPARE(shell_.run({"show", "mine", "--db", database}).code, 0);
}

void CommandLineExportTest::otherFilesNeedForce() {
  const QTemporaryDir folder;
  const QString path = folder.filePath("kernel.c");
  for (const QStringList& command : {QStringList{"export", "mine", "--format", "csv", "--out", path},
                                     QStringList{"report", "mine", "--out", folder.filePath("kernel.html")},
                                     QStringList{"report", "mine", "--out", folder.filePath("thesis.pdf")}}) {
    const QString out = command.last();
    write(out, "int main(void) { return 0; }\n");
    const CommandResult refused = shell_.run(command);
    QVERIFY2(refused.code == 1 && refused.output.empty(), refused.all().c_str());
    for (const std::string& said : {out.toStdString(), std::string("int main"), std::string("--force")})
      QVERIFY2(refused.error.find(said) != std::string::npos, refused.error.c_str());
    QCOMPARE(read(out), QByteArray("int main(void) { return 0; }\n"));
    const CommandResult forced = shell_.run(QStringList(command) << "--force");
    QVERIFY2(forced.code == 0, forced.all().c_str());
    QVERIFY(read(out).size() > 100);
    // From now on it is ours.
    QCOMPARE(shell_.run(command).code, 0);
  }
}

void CommandLineExportTest::linksOutOfTheFolderAreNotFollowed() {
  const QTemporaryDir folder;
  write(folder.filePath("precious"), "mine");
  QVERIFY(QDir(folder.path()).mkdir("out"));
  const QString link = folder.filePath("out/trials.csv");
  QVERIFY(QFile::link("../precious", link));
  for (const char* option : {"--force", "--where=valid"}) {
    const CommandResult result =
        shell_.run({"export", "mine", "--format", "csv", "--out", link, QString::fromLatin1(option)});
    QVERIFY2(result.code == 1, result.all().c_str());
    QVERIFY2(result.error.find("symbolic link") != std::string::npos, result.error.c_str());
  }
  QCOMPARE(read(folder.filePath("precious")), QByteArray("mine"));
}

void CommandLineExportTest::streams() {
  const std::string expected = shell_.run({"export", "mine", "--format", "csv", "--out", "-"}).output;
  const CommandResult named = shell_.run({"export", "mine", "--format", "csv", "--out", "/dev/stdout"});
  QVERIFY2(named.code == 0 && named.output.starts_with(expected), named.all().c_str());
  QCOMPARE(shell_.run({"export", "mine", "--format", "json", "--out", "/dev/null"}).code, 0);
}

void CommandLineExportTest::aForgedManifestRemovesNothing() {
  const QTemporaryDir folder;
  const QString out = folder.filePath("export");
  QVERIFY(QDir().mkpath(out));
  write(out + "/thesis.c", "int mine;\n");
  write(folder.filePath("outside.c"), "int outside;\n");
  write(out + "/kernelscape.json",
        R"({"files": ["thesis.c", "../outside.c"], "format": "kernelscape-kernels"})");
  const QStringList command{"export", "mine", "--format", "kernel", "--out", out};
  const CommandResult stranger = shell_.run(command);
  QVERIFY2(stranger.code == 1 && stranger.error.contains("thesis.c"), stranger.all().c_str());
  const CommandResult result = shell_.run(QStringList(command) << "--force");
  QVERIFY2(result.code == 0, result.all().c_str());
  QCOMPARE(read(out + "/thesis.c"), QByteArray("int mine;\n"));
  QCOMPARE(read(folder.filePath("outside.c")), QByteArray("int outside;\n"));
  write(out + "/check.c", "int mine;\n");
  const CommandResult refused = shell_.run({"export", "mine", "--format", "kernel", "--out", out});
  QVERIFY2(refused.code == 1 && refused.error.find("check.c") != std::string::npos, refused.all().c_str());
  QCOMPARE(read(out + "/check.c"), QByteArray("int mine;\n"));
  QCOMPARE(shell_.run({"export", "mine", "--format", "kernel", "--out", out, "--force"}).code, 0);
}

KERNELSCAPE_TEST(CommandLineExportTest, QCoreApplication)

}  // namespace kernelscape::command_line_export_test
#include "command_line_export_test.moc"
