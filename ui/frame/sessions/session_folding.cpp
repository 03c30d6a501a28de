#include "ui/frame/sessions/session_folding.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <utility>

#include "ui/style/theme.h"

namespace kernelscape::frame {
namespace {

/**
 * Minimum width, at the default text size, for the navigation bar, a view with its docks, and the session
 * list.
 */
constexpr int roomy_width = 1180;

}  // namespace

SessionFolding::SessionFolding(QMainWindow& window, QDockWidget& sessions)
    : QObject(&window), window_(window), sessions_(sessions) {
  window_.installEventFilter(this);
  connect(sessions_.toggleViewAction(), &QAction::toggled, this, [this](bool shown) {
    if (shown) folded_ = false;
  });
}

bool SessionFolding::eventFilter(QObject* watched, QEvent* event) {
  // A window that was not shown yet has neither its final size nor its layout.
  const QEvent::Type type = event->type();
  const bool fits_anew =
      type == QEvent::Show || type == QEvent::Resize || type == QEvent::ApplicationFontChange;
  if (fits_anew && window_.isVisible()) fit();
  return QObject::eventFilter(watched, event);
}

void SessionFolding::fit() {
  const bool narrow = window_.width() < roomy_width * style::text_scale();
  if (narrow == std::exchange(narrow_, narrow)) return;
  if (!narrow) return unfold();
  if (sessions_.isHidden() || sessions_.isFloating()) return;
  sessions_.hide();
  folded_ = true;
}

void SessionFolding::unfold() {
  if (std::exchange(folded_, false)) sessions_.show();
}

}  // namespace kernelscape::frame
