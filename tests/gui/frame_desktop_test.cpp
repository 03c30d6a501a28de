#include <QDBusConnection>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

#include "tests/test_program.h"
#include "ui/frame/desktop_services.h"

namespace kernelscape::frame_desktop_test {

/** A desktop that shows notices: it keeps them. */
class Desktop : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

 public:
  QStringList titles;
  QStringList texts;

 public slots:
  uint Notify(const QString& application, uint replaces, const QString& icon, const QString& title,
              const QString& text, const QStringList& actions, const QVariantMap& hints, int timeout);
};

/** What the desktop is told, on a bus of the test's own. */
class FrameDesktopTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void cleanupTestCase();
  void withoutADesktopNothingHappens();
  void noticesArrive();

 private:
  QProcess bus_;
};

uint Desktop::Notify(const QString& application, uint, const QString& icon, const QString& title,
                     const QString& text, const QStringList&, const QVariantMap&, int) {
  if (application != QStringLiteral("Kernelscape") || icon != QStringLiteral("kernelscape")) return 0;
  titles.append(title);
  texts.append(text);
  return 1;
}

void FrameDesktopTest::initTestCase() {
  const QString program = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
  if (program.isEmpty()) QSKIP("dbus-daemon is not installed");
  bus_.start(program,
             {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address")});
  QVERIFY(bus_.waitForStarted());
  QTRY_VERIFY(bus_.canReadLine());
  qputenv("DBUS_SESSION_BUS_ADDRESS", bus_.readLine().trimmed());
}

void FrameDesktopTest::cleanupTestCase() {
  workspace::JobTracker::wait_for_all();
  bus_.kill();
  bus_.waitForFinished();
}

void FrameDesktopTest::withoutADesktopNothingHappens() {
  frame::DesktopServices services;
  services.notify(QStringLiteral("nobody"), QStringLiteral("listens"));
  services.keep_awake(true);
  services.keep_awake(false);
  workspace::JobTracker::wait_for_all();
  QVERIFY(QDBusConnection::sessionBus().isConnected());
}

void FrameDesktopTest::noticesArrive() {
  Desktop desktop;
  QDBusConnection connection = QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"),
                                                             QStringLiteral("desktop"));
  QVERIFY(connection.registerObject(QStringLiteral("/org/freedesktop/Notifications"), &desktop,
                                    QDBusConnection::ExportAllSlots));
  QVERIFY(connection.registerService(QStringLiteral("org.freedesktop.Notifications")));
  frame::DesktopServices services;
  services.notify(QStringLiteral("a run is done"), QStringLiteral("500 trials, <best> 341 GFLOPS"));
  QTRY_COMPARE_WITH_TIMEOUT(desktop.titles, QStringList{QStringLiteral("a run is done")}, 20'000);
  // Their text is a kind of HTML.
  QCOMPARE(desktop.texts, QStringList{QStringLiteral("500 trials, &lt;best&gt; 341 GFLOPS")});
}

KERNELSCAPE_TEST(FrameDesktopTest, QCoreApplication)

}  // namespace kernelscape::frame_desktop_test
#include "frame_desktop_test.moc"
