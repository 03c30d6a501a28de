#include "ui/frame/desktop_services.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QFile>

namespace kernelscape::frame {
namespace {

constexpr int answer_within_ms = 5000;

/** Qt would start its own bus if there is none. */
bool has_session_bus() {
  return !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS") ||
         QFile::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
}

bool show_notification(const QString& title, const QString& text) {
  if (!has_session_bus()) return false;
  QDBusMessage message = QDBusMessage::createMethodCall(
      QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("/org/freedesktop/Notifications"),
      QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
  constexpr uint replaces_none = 0;
  constexpr int usual_time = -1;
  message << QStringLiteral("Kernelscape") << replaces_none << QStringLiteral("kernelscape") << title
          << text.toHtmlEscaped() << QStringList() << QVariantMap() << usual_time;
  return QDBusConnection::sessionBus().call(message, QDBus::Block, answer_within_ms).type() ==
         QDBusMessage::ReplyMessage;
}

QDBusUnixFileDescriptor inhibit_suspend() {
  if (!QFile::exists(QStringLiteral("/run/dbus/system_bus_socket"))) return {};
  QDBusMessage message = QDBusMessage::createMethodCall(
      QStringLiteral("org.freedesktop.login1"), QStringLiteral("/org/freedesktop/login1"),
      QStringLiteral("org.freedesktop.login1.Manager"), QStringLiteral("Inhibit"));
  message << QStringLiteral("sleep:idle") << QStringLiteral("Kernelscape")
          << QStringLiteral("Kernels are being measured") << QStringLiteral("block");
  const QDBusMessage reply = QDBusConnection::systemBus().call(message, QDBus::Block, answer_within_ms);
  return reply.arguments().isEmpty() ? QDBusUnixFileDescriptor()
                                     : reply.arguments().front().value<QDBusUnixFileDescriptor>();
}

}  // namespace

DesktopServices::DesktopServices(QObject* parent) : QObject(parent) {}

void DesktopServices::notify(const QString& title, const QString& text) {
  notify_job_.start([title, text](const workspace::JobControl&) { return show_notification(title, text); },
                    [](bool) {});
}

void DesktopServices::keep_awake(bool awake) {
  if (std::exchange(awake_, awake) == awake) return;
  if (!awake) {
    inhibit_job_.cancel();
    inhibition_ = QDBusUnixFileDescriptor();
    return;
  }
  inhibit_job_.start([](const workspace::JobControl&) { return inhibit_suspend(); },
                     [this](const QDBusUnixFileDescriptor& inhibition) { inhibition_ = inhibition; });
}

}  // namespace kernelscape::frame
