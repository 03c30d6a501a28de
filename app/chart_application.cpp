#include "app/chart_application.h"

#include <clocale>

#include "ui/style/theme.h"

namespace kernelscape::app {

ChartApplication::ChartApplication() {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  // Qt's messages about a login without a desktop, such as a missing XDG_RUNTIME_DIR, do not matter for a
  // report.
  const QtMessageHandler usual =
      qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
  application_ = std::make_unique<QApplication>(argument_count_, arguments_.data());
  // Qt takes the locale of the environment, whose decimal comma would end numbers that are read.
  std::setlocale(LC_NUMERIC, "C");
  qInstallMessageHandler(usual);
  style::apply_theme(*application_, style::ThemeChoice::Light);
}

}  // namespace kernelscape::app
