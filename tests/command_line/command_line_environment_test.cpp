#include <pwd.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTest>
#include <map>
#include <span>

#include "core/base/random.h"
#include "tests/command_line/command_line_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_environment_test {
using namespace kernelscape::command_line_tests;

namespace {

/** One way in which an environment differs from the usual one. */
struct Deviation {
  QString name;
  std::map<QString, QString> variables = {};
  QStringList unset = {};
  QString shell = {};         ///< commands of a shell, before the program
  QString redirections = {};  ///< of the program
  QString refusal = {};       ///< a part of the message with which the program refuses it; empty: it works
};
using Deviations = std::vector<Deviation>;

/** A folder with what the deviations name. It is the current folder of the program. */
class Place {
 public:
  Place() {
    for (const QString& name : {QStringLiteral("plain"), odd, lines, deep, QStringLiteral("tools")})
      QDir(folder_.path()).mkpath(name);
    QFile file(path("file"));
    std::ignore = file.open(QFile::WriteOnly);
    for (const char* name : {"tools/my cc", "tools/mycc"})
      QFile::link(QStringLiteral("/usr/bin/cc"), path(QString::fromLatin1(name)));
    QProcess locale;
    locale.start("localedef", {"-i", "de_DE", "-f", "UTF-8", path("de_DE.UTF-8")});
    has_locale_ = locale.waitForFinished() && QDir(path("de_DE.UTF-8")).exists();
  }

  QString path(const QString& name) const { return folder_.filePath(name); }

  Deviations temporary_folders() const {
    const auto named = [](const QString& name, const QString& value, const QString& refusal = {}) {
      return Deviation{.name = name, .variables = {{"TMPDIR", value}}, .refusal = refusal};
    };
    return {named("current", "."),
            named("relative", "plain"),
            named("relative up", "plain/../plain"),
            named("odd", path(odd)),
            named("relative and odd", odd),
            named("two lines", path(lines)),
            named("long", path(deep)),
            named("empty", ""),
            named("missing", path("none"), "no temporary folder can be created"),
            named("file", path("file"), "no temporary folder can be created")};
  }

  Deviations homes() const {
    return {{.name = "no home", .unset = {"HOME"}},
            {.name = "relative home", .variables = {{"HOME", "."}}},
            {.name = "relative XDG", .variables = {{"XDG_DATA_HOME", "a"}, {"XDG_CONFIG_HOME", "b"}}},
            {.name = "unwritable XDG",
             .variables = {{"XDG_CACHE_HOME", "/proc/no"}, {"XDG_CONFIG_HOME", "/proc/no"}}},
            {.name = "no runtime folder", .variables = {{"XDG_RUNTIME_DIR", "/proc/no"}}}};
  }

  Deviations programs() const {
    const QString usual = qEnvironmentVariable("PATH");
    return {
        {.name = "no PATH", .unset = {"PATH"}},
        {.name = "empty PATH", .variables = {{"PATH", ""}}, .refusal = "the C compiler"},
        {.name = "relative PATH", .variables = {{"PATH", "tools:" + usual}, {"CC", "mycc"}}},
        {.name = "relative CC", .variables = {{"CC", "tools/mycc"}}},
        {.name = "CC with a blank", .variables = {{"CC", "./tools/my cc"}}},
        {.name = "CC with a flag", .variables = {{"CC", "tools/mycc -O1"}}},
        {.name = "no such CC", .variables = {{"CC", "tools/none"}}, .refusal = "the C compiler `tools/none`"},
        {.name = "no worker",
         .variables = {{"KERNELSCAPE_WORKER", "tools/none"}},
         .refusal = "KERNELSCAPE_WORKER is set to"}};
  }

  Deviations locales() const {
    Deviations all{{.name = "locale that is not there", .variables = {{"LC_ALL", "xx_YY.UTF-8"}}},
                   {.name = "C", .variables = {{"LC_ALL", "C"}}}};
    if (has_locale_)
      all.push_back(
          {.name = "decimal comma", .variables = {{"LC_ALL", "de_DE.UTF-8"}, {"LOCPATH", folder_.path()}}});
    return all;
  }

  Deviations limits() const {
    return {{.name = "private files", .shell = "umask 077"},
            {.name = "64 files", .shell = "ulimit -n 64"},
            {.name = "small files", .shell = "ulimit -f 1", .refusal = "file size limit"}};
  }

  Deviations streams() const {
    return {{.name = "no input", .redirections = "<&-"},
            {.name = "no output", .redirections = ">&-"},
            {.name = "no messages", .redirections = "2>&-"},
            {.name = "no streams", .redirections = "<&- >&- 2>&-"},
            {.name = "full disk", .redirections = ">/dev/full"}};
  }

 private:
  static inline const QString odd = QStringLiteral("b l'a\"n:k\\s%d");
  static inline const QString lines = QStringLiteral("new\nline");
  static inline const QString deep = QString(120, 'l') + "/" + QString(120, 'm');
  QTemporaryDir folder_;
  bool has_locale_ = false;
};

struct Outcome {
  bool ended_by_itself = false;
  CommandResult result;
};

/** Runs the program in a place whose environment differs. */
Outcome run_in(const Place& place, const Deviations& deviations, const QStringList& arguments) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("XDG_DATA_HOME", place.path("data"));
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
  QString script;
  QString redirections;
  for (const Deviation& deviation : deviations) {
    for (const auto& [name, value] : deviation.variables) environment.insert(name, value);
    for (const QString& name : deviation.unset) environment.remove(name);
    if (!deviation.shell.isEmpty()) script += deviation.shell + " && ";
    redirections += " " + deviation.redirections;
  }
  QProcess process;
  process.setProcessEnvironment(environment);
  process.setWorkingDirectory(place.path("."));
  process.start("/bin/sh", QStringList{"-c", script + "exec \"$0\" \"$@\"" + redirections,
                                       KERNELSCAPE_BINARY_DIR "/bin/kernelscape"} +
                               arguments);
  process.closeWriteChannel();
  const bool ended = process.waitForFinished(120'000) && process.exitStatus() == QProcess::NormalExit;
  return {ended,
          {process.exitCode(), process.readAllStandardOutput().toStdString(),
           process.readAllStandardError().toStdString()}};
}

QStringList tuning(const QString& database) {
  return {"tune",  "matmul 16x16 16x16 f32", "--tuner", "random",    "--trials", "1",      "--repeats",
          "1",     "--min-repeat-ms",        "0.1",     "--threads", "1",        "--json", "--db",
          database};
}

}  // namespace

/** The program in environments that users have and developers have not. */
class CommandLineEnvironmentTest : public QObject {
  Q_OBJECT

 private slots:
  /** Each works, or says why not with exit code 1. */
  void random_environments_work_or_are_refused() {
    base::Random random(kernelscape::testing::random_seed());
    const Place place;
    std::vector<Deviations> groups{place.temporary_folders(), place.homes(),  place.programs(),
                                   place.locales(),           place.limits(), place.streams()};
    for (int round = 0; round < 5; ++round) {
      random.shuffle(std::span(groups));
      Deviations drawn;
      QString names;
      for (std::size_t group = 0; group < 3; ++group) {
        drawn.push_back(groups[group][random.below(groups[group].size())]);
        names += drawn.back().name + "; ";
      }
      const QString database = place.path(QString::number(round) + ".db");
      const Outcome outcome = run_in(place, drawn, tuning(database));
      const std::string text = names.toStdString() + outcome.result.all();
      QVERIFY2(outcome.ended_by_itself, text.c_str());
      const bool refused =
          std::ranges::any_of(drawn, [](const Deviation& each) { return !each.refusal.isEmpty(); });
      QVERIFY2(outcome.result.code == (refused ? 1 : 0), text.c_str());
      const bool silent = std::ranges::any_of(
          drawn, [](const Deviation& each) { return each.redirections.contains("2>&-"); });
      const bool said = std::ranges::any_of(drawn, [&](const Deviation& each) {
        return !each.refusal.isEmpty() && outcome.result.error.contains(each.refusal.toStdString());
      });
      QVERIFY2(!refused || silent || said, text.c_str());
      if (refused) continue;
      const Outcome shown = run_in(place, {}, {"show", "1", "--json", "--db", database});
      QVERIFY2(shown.result.code == 0, (text + shown.result.all()).c_str());
    }
  }

  void a_folder_that_is_gone_is_no_hindrance() {
    const Place place;
    const Deviation gone{.name = "gone", .shell = "mkdir gone && cd gone && rmdir ../gone"};
    const Outcome works = run_in(place, {gone}, tuning(place.path("gone.db")));
    QVERIFY2(works.ended_by_itself && works.result.code == 0, works.result.all().c_str());
    const Deviation relative{.name = "relative", .variables = {{"TMPDIR", "."}}};
    const Outcome refused = run_in(place, {gone, relative}, tuning(place.path("gone2.db")));
    QVERIFY2(refused.ended_by_itself && refused.result.code == 1, refused.result.all().c_str());
    QVERIFY2(refused.result.error.contains("TMPDIR"), refused.result.all().c_str());
  }

  /** Without a home folder and an entry in the list of users. */
  void a_user_without_an_entry_can_work() {
    if (geteuid() != 0) QSKIP("Only root starts programs as other users.");
    if (getpwuid(54321) != nullptr) QSKIP("The user has an entry here.");
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}) environment.remove(name);
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory("/");
    process.start("setpriv", {"--reuid", "54321", "--clear-groups", KERNELSCAPE_BINARY_DIR "/bin/kernelscape",
                              "sessions"});
    if (!process.waitForStarted()) QSKIP("There is no setpriv.");
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    const std::string text = process.readAll().toStdString() + process.readAllStandardError().toStdString();
    if (text.starts_with("setpriv:")) QSKIP("Other users may not run programs of the build's folder.");
    QCOMPARE(process.exitCode(), 0);
    QVERIFY2(text.starts_with("no sessions in ./.local/share/kernelscape/kernelscape.db"), text.c_str());
  }

  void platforms_that_show_no_window_are_refused_data() {
    QTest::addColumn<QString>("platform");
    QTest::addColumn<QString>("reason");
    QTest::newRow("unknown") << "nonexistent" << "QT_QPA_PLATFORM names nonexistent";
    QTest::newRow("minimal") << "minimal" << "QT_QPA_PLATFORM names minimal, on which no window is drawn";
    QTest::newRow("no display") << "xcb" << "QT_QPA_PLATFORM names xcb, and neither";
    QTest::newRow("options") << "xcb:nograb" << "QT_QPA_PLATFORM names xcb:nograb, and neither";
    QTest::newRow("list") << "wayland;xcb" << "QT_QPA_PLATFORM names wayland;xcb, and neither";
    QTest::newRow("broken options") << "offscreen:configfile=/dev/null/none" << "on which Qt cannot start";
    QTest::newRow("blank") << " " << "neither WAYLAND_DISPLAY nor DISPLAY is set";
    QTest::newRow("several lines") << "a\nb" << "QT_QPA_PLATFORM names a\\n";
  }
  void platforms_that_show_no_window_are_refused() {
    QFETCH(QString, platform);
    QFETCH(QString, reason);
    const Place place;
    const Outcome outcome = run_in(place, {{.name = platform, .variables = {{"QT_QPA_PLATFORM", platform}}}},
                                   {"--db", place.path("a.db")});
    QVERIFY2(outcome.ended_by_itself && outcome.result.code == 1, outcome.result.all().c_str());
    QVERIFY2(outcome.result.error.starts_with("kernelscape: error: no window can be opened: "),
             outcome.result.error.c_str());
    QVERIFY2(outcome.result.error.contains(reason.toStdString()), outcome.result.error.c_str());
  }

  /** Qt takes the first platform of a list that starts: offscreen always does. Some take over the console of
   * a machine that has one. */
  void random_platforms_end_by_no_signal() {
    base::Random random(kernelscape::testing::random_seed());
    const Place place;
    QStringList known{"offscreen", "minimal", "xcb", "wayland", "nonexistent", "wayland-egl", ""};
    if (!QFile::exists("/dev/fb0") && !QFile::exists("/dev/dri")) known << "linuxfb" << "eglfs";
    for (int round = 0; round < 12; ++round) {
      QStringList names;
      for (std::uint64_t count = 1 + random.below(3); count > 0; --count) {
        names.append(known[static_cast<qsizetype>(random.below(static_cast<std::uint64_t>(known.size())))]);
      }
      const Outcome outcome =
          run_in(place, {{.name = "list", .variables = {{"QT_QPA_PLATFORM", names.join(';')}}}},
                 {"--can-open-window"});
      QVERIFY2(outcome.ended_by_itself && outcome.result.code >= 0 && outcome.result.code <= 1,
               qPrintable(names.join(';')));
      const bool surely =
          names.contains("offscreen") && !names.contains("linuxfb") && !names.contains("eglfs");
      if (surely) QCOMPARE(outcome.result.code, 0);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(CommandLineEnvironmentTest)

}  // namespace kernelscape::command_line_environment_test
#include "command_line_environment_test.moc"
