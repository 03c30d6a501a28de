#include <signal.h>

#include <QFile>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "tests/command_line/command_line_support.h"
#include "tests/gui/web_client.h"
#include "tests/test_program.h"

namespace kernelscape::command_line_serve_test {
namespace {

using command_line_tests::CommandResult;
using command_line_tests::Shell;
using web_tests::Answer;
using web_tests::ask;
using web_tests::get;

constexpr int patience_milliseconds = web_tests::Client::patience_milliseconds;

/** `kernelscape serve` while it runs. */
class Served {
 public:
  Served(const Shell& shell, const QStringList& options = {}) {
    shell.start(process_, QStringList{"serve"} + options);
    while (!output_.contains('\n') && process_.waitForReadyRead(patience_milliseconds))
      output_ += process_.readAllStandardOutput();
    static const QRegularExpression printed("(http://127\\.0\\.0\\.1:(\\d+))(/\\?token=([0-9a-f]{32,})) ");
    const QRegularExpressionMatch match = printed.match(QString::fromUtf8(output_));
    address_ = match.captured(1) + match.captured(3);
    target_ = match.captured(3).toLatin1();
    port_ = match.captured(2).toUShort();
  }
  ~Served() {
    process_.kill();
    process_.waitForFinished(patience_milliseconds);
  }

  std::uint16_t port() const { return port_; }
  QString address() const { return address_; }
  const QByteArray& output() const { return output_; }

  /** The cookie that the first request gets. */
  QByteArray cookie() const {
    const Answer first = ask(port_, get(target_));
    return first.status == 303 ? first.field("Set-Cookie").split(';').front() : QByteArray();
  }
  Answer page(const QByteArray& path, const QByteArray& cookie) const {
    return ask(port_, get(path, "Cookie: " + cookie + "\r\n"));
  }

  /** Sends a signal, and returns the exit code; -1: the process crashed or did not end. */
  int end(int number) {
    // Without a process, 0 would be the group of the test itself.
    if (process_.state() != QProcess::Running) return -1;
    kill(static_cast<pid_t>(process_.processId()), number);
    if (!process_.waitForFinished(patience_milliseconds)) return -1;
    return process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -1;
  }
  QByteArray errors() { return process_.readAllStandardError(); }

 private:
  QProcess process_;
  QByteArray output_;
  QString address_;
  QByteArray target_;
  std::uint16_t port_ = 0;
};

/** A replay of a recorded space: it measures nothing, so that it takes no time. */
QStringList replay(const QString& name) {
  return {"tune",
          "--target",
          "recorded:" KERNELSCAPE_SOURCE_DIR "/data/recorded/resnet18-C12-conv2d-packed.ksrec",
          "--tuner",
          "random",
          "--seed",
          "3",
          "--trials",
          "30",
          "--name",
          name};
}

QString chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"})
    if (const QString found = QStandardPaths::findExecutable(QString::fromLatin1(name)); !found.isEmpty())
      return found;
  return {};
}

}  // namespace

/** `kernelscape serve` where there is no display. */
class CommandLineServeTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void sessions_of_other_processes_appear();
  void signals_end_it();
  void wrong_options_and_a_taken_port_are_errors();
  void a_browser_keeps_the_page_current();

 private:
  Shell shell_;
};

void CommandLineServeTest::initTestCase() {
  for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    shell_.set(QString::fromLatin1(variable), QString());
}

void CommandLineServeTest::sessions_of_other_processes_appear() {
  Shell shell;
  const Served served(shell);
  QVERIFY2(served.port() != 0, served.output().constData());
  QCOMPARE(ask(served.port(), get("/")).status, 403);
  const QByteArray cookie = served.cookie();
  QVERIFY(!cookie.isEmpty());
  QVERIFY(served.page("/", cookie).page.contains("There is no session yet"));
  QVERIFY(!QFile::exists(shell.default_database()));
  const CommandResult tuned = shell.run(replay("from elsewhere"));
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  Answer list;
  QTRY_VERIFY_WITH_TIMEOUT((list = served.page("/", cookie)).page.contains(">from elsewhere</a>"),
                           patience_milliseconds);
  QVERIFY(list.page.contains("30/30 trials"));
  const Answer session = served.page("/session/1", cookie);
  QCOMPARE(session.status, 200);
  QVERIFY(session.page.contains("<h1>from elsewhere</h1>") && session.page.contains("<svg "));
}

void CommandLineServeTest::signals_end_it() {
  for (const int number : {SIGINT, SIGTERM}) {
    Served served(shell_);
    QVERIFY2(served.port() != 0, served.output().constData());
    QCOMPARE(served.page("/", served.cookie()).status, 200);
    QCOMPARE(served.end(number), 0);
    QCOMPARE(served.errors(), QByteArray());
  }
}

void CommandLineServeTest::wrong_options_and_a_taken_port_are_errors() {
  for (const char* port : {"65536", "-1", "http", ""}) {
    const CommandResult wrong = shell_.run({"serve", "--port", port});
    QVERIFY2(wrong.code == 2 && !wrong.error.empty(), wrong.all().c_str());
  }
  const CommandResult missing = shell_.run({"serve", "--db", shell_.path("none.db")});
  QVERIFY2(missing.code == 2 && missing.error.contains("none.db"), missing.all().c_str());
  const Served first(shell_);
  QVERIFY2(first.port() != 0, first.output().constData());
  const QString port = QString::number(first.port());
  const CommandResult taken = shell_.run({"serve", "--port", port});
  QCOMPARE(taken.code, 1);
  QVERIFY2(taken.error.contains(port.toStdString()) && taken.error.contains("--port 0"), taken.error.c_str());
  QCOMPARE(taken.output, std::string());
}

/** In Chromium without a window: its script asks for changes, and nothing of the page is against its policy.
 */
void CommandLineServeTest::a_browser_keeps_the_page_current() {
  const QString browser = chromium();
  if (browser.isEmpty()) QSKIP("Chromium is not installed (Debian: chromium)");
  const CommandResult tuned = shell_.run(replay("seen in a browser"));
  QVERIFY2(tuned.code == 0, tuned.all().c_str());
  const Served served(shell_);
  QVERIFY2(served.port() != 0, served.output().constData());
  const QTemporaryDir profile;
  const QByteArray served_url = served.address().toLatin1();
  const QByteArray session_url = QByteArray(served_url).replace("/?", "/session/1?");
  for (const QByteArray& url : {served_url, session_url}) {
    QProcess process;
    process.start(browser, {"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                            "--user-data-dir=" + profile.path(), "--virtual-time-budget=10000",
                            "--enable-logging=stderr", "--dump-dom", QString::fromLatin1(url)});
    QVERIFY(process.waitForFinished(240'000));
    const QByteArray page = process.readAllStandardOutput();
    const QByteArray errors = process.readAllStandardError();
    QVERIFY2(page.contains("seen in a browser"), page.constData());
    QVERIFY2(page.contains("data-state=\"live\""), (page + errors).constData());
    QVERIFY2(!errors.contains("Content Security Policy") && !errors.contains("Uncaught"), errors.constData());
    QCOMPARE(page.contains("<svg "), url == session_url);
  }
}

KERNELSCAPE_TEST(CommandLineServeTest, QCoreApplication)

}  // namespace kernelscape::command_line_serve_test
#include "command_line_serve_test.moc"
