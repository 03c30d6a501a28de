#include "ui/views/view.h"

#include <QDockWidget>
#include <QVBoxLayout>
#include <utility>

namespace kernelscape {
namespace {

/** What a dock shows, with a size of its own choice: docks begin with what their content prefers. */
class DockContent : public QWidget {
 public:
  DockContent(QWidget* content, QSize preferred) : preferred_(preferred) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(content);
  }
  QSize sizeHint() const override { return preferred_; }

 private:
  QSize preferred_;
};

}  // namespace

View::View(ViewContext context, const QString& name, const QString& icon_name, int layout_version)
    : context_(context), name_(name), icon_name_(icon_name), layout_version_(layout_version) {
  setWindowFlags(Qt::Widget);
  setObjectName(name);
  setAccessibleName(name);
  setDockNestingEnabled(true);
}

QList<QDockWidget*> View::own_docks() const {
  return findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly);
}

QByteArray View::layout() const {
  // What was never shown has no sizes of its own: those it came with are kept.
  return shown_ ? saveState(layout_version_) : wanted_layout_;
}

bool View::restore_layout(const QByteArray& layout) {
  if (!restoreState(layout, layout_version_)) return false;
  if (!shown_) wanted_layout_ = layout;
  return true;
}

void View::reset_layout() {
  restoreState(default_layout_, layout_version_);
  apply_preferred_sizes();
}

void View::remember_default_layout() { default_layout_ = saveState(layout_version_); }

/** The default layout was remembered before anything had a size: docks take what they ask for. */
void View::apply_preferred_sizes() {
  QList<QDockWidget*> docks;
  QList<int> widths;
  QList<QDockWidget*> level;
  QList<int> heights;
  for (QDockWidget* dock : own_docks()) {
    if (dock->isHidden() || dock->isFloating()) continue;
    docks.append(dock);
    widths.append(dock->sizeHint().width());
    const Qt::DockWidgetArea area = dockWidgetArea(dock);
    if (area != Qt::TopDockWidgetArea && area != Qt::BottomDockWidgetArea) continue;
    level.append(dock);
    heights.append(dock->sizeHint().height());
  }
  resizeDocks(docks, widths, Qt::Horizontal);
  resizeDocks(level, heights, Qt::Vertical);
}

/** Sizes of docks mean something once the view has its own; who is hidden by now stays so. */
void View::restore_sizes() {
  if (wanted_layout_.isEmpty()) return;
  QList<QDockWidget*> hidden;
  QList<QDockWidget*> seen;
  for (QDockWidget* dock : own_docks()) (dock->isHidden() ? hidden : seen).append(dock);
  restoreState(std::exchange(wanted_layout_, {}), layout_version_);
  for (QDockWidget* dock : hidden) dock->hide();
  for (QDockWidget* dock : seen) dock->show();
}

QDockWidget* View::add_dock(const QString& title, QWidget* content, Qt::DockWidgetArea area,
                            QSize preferred) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(name_ + QLatin1Char('.') + title);
  dock->setAccessibleName(title);
  dock->setWidget(new DockContent(content, preferred));
  addDockWidget(area, dock);
  return dock;
}

void View::hideEvent(QHideEvent* event) {
  hidden_floating_.clear();
  for (QDockWidget* dock : own_docks()) {
    if (!dock->isFloating() || !dock->isVisible()) continue;
    hidden_floating_.push_back(dock);
    dock->hide();
  }
  QMainWindow::hideEvent(event);
}

void View::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  // A page of a stack gets its size after it is shown.
  if (!std::exchange(shown_, true))
    QMetaObject::invokeMethod(this, &View::restore_sizes, Qt::QueuedConnection);
  for (QDockWidget* dock : std::exchange(hidden_floating_, {})) dock->show();
}

}  // namespace kernelscape
