#include "ui/views/view.h"

#include <QDockWidget>
#include <QEvent>
#include <QStringList>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/style/theme.h"
#include "ui/widgets/scrolled_content.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {
namespace {

/** The contents of a dock with a preferred size, which is the dock's initial size. */
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

View::View(ViewContext context, const QString& name, QString icon_name, int layout_version)
    : context_(context), name_(name), icon_name_(std::move(icon_name)), layout_version_(layout_version) {
  setWindowFlags(Qt::Widget);
  setObjectName(name);
  setAccessibleName(name);
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
}

QString View::provenance() const {
  const workspace::Source& source = context_.workspace.source();
  if (!source) return {};
  const store::SessionRecord& record = source->record();
  QStringList parts{QString::fromStdString(record.task_name), QString::fromStdString(record.target_name)};
  if (source->origin->target) parts.append(QString::fromStdString(source->origin->target->device));
  // The recording or log that the session was replayed or read from.
  parts.append(QString::fromStdString(record.origin));
  parts.append(tr("session %1").arg(record.id));
  parts.append(QString::fromStdString(record.created_utc).section(QLatin1Char('T'), 0, 0));
  parts.removeAll(QString());
  return QStringLiteral("%1 · Kernelscape").arg(parts.join(QStringLiteral(", ")));
}

QList<QDockWidget*> View::own_docks() const {
  return findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly);
}

QByteArray View::layout() const {
  // A view that was never shown has no sizes; its stored ones are kept.
  if (!settled_) return wanted_layout_;
  if (!folded_) return saveState(layout_version_);
  // The default layout has no sizes: it is not restored but made again.
  return roomy_layout_ == default_layout_ ? QByteArray() : roomy_layout_;
}

bool View::restore_layout(const QByteArray& layout) {
  if (!restoreState(layout, layout_version_)) return false;
  if (!settled_) {
    wanted_layout_ = layout;
    return true;
  }
  roomy_layout_ = layout;
  folded_ = false;
  fit_docks();
  return true;
}

void View::reset_layout() {
  restoreState(default_layout_, layout_version_);
  roomy_layout_ = default_layout_;
  folded_ = false;
  grown_ = nullptr;
  apply_preferred_sizes();
  fit_docks();
}

void View::remember_default_layout() { default_layout_ = saveState(layout_version_); }

/** Gives docks their preferred sizes, because the default layout was stored before the widgets had sizes. */
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

/** Restores a layout, but keeps docks hidden that are hidden now. */
void View::restore_keeping_hidden(const QByteArray& layout) {
  QList<QDockWidget*> hidden;
  QList<QDockWidget*> seen;
  for (QDockWidget* dock : own_docks()) (dock->isHidden() ? hidden : seen).append(dock);
  restoreState(layout, layout_version_);
  for (QDockWidget* dock : hidden) dock->hide();
  for (QDockWidget* dock : seen) dock->show();
}

/** Restores the sizes of docks, which is possible only after the view has its own size. */
void View::restore_sizes() {
  const QByteArray wanted = std::exchange(wanted_layout_, {});
  if (!wanted.isEmpty()) restore_keeping_hidden(wanted);
  // Folded docks have lost their sizes already.
  roomy_layout_ = has_room() ? saveState(layout_version_) : wanted.isEmpty() ? default_layout_ : wanted;
  settled_ = true;
  fit_docks();
}

bool View::has_room() const {
  const QSizeF needed = QSizeF(roomy_size_) * style::text_scale();
  return roomy_size_.isEmpty() || (width() >= needed.width() && height() >= needed.height());
}

/** Stores the layout before a shrinking window squeezes the docks. */
void View::remember_roomy_layout() {
  if (settled_ && !folded_ && has_room()) roomy_layout_ = saveState(layout_version_);
}

void View::fit_docks() {
  if (!settled_ || folded_ == !has_room()) return;
  folded_ = !folded_;
  if (folded_) {
    fold_docks();
  } else {
    unfold_docks();
  }
}

/** Folds the docks into tabs; floating docks stay where they are. */
void View::fold_docks() {
  QList<QDockWidget*> docks;
  QList<QDockWidget*> seen;
  for (QDockWidget* dock : own_docks()) {
    if (dock->isFloating()) continue;
    docks.append(dock);
    if (!dock->isHidden()) seen.append(dock);
  }
  // Showing a dock lays out all of them: Qt 6.4 crashes then if some are on their way from place to place.
  QLayout* const arrangement = QMainWindow::layout();
  arrangement->setEnabled(false);
  for (QDockWidget* dock : docks) removeDockWidget(dock);
  for (QDockWidget* dock : docks) {
    if (dock == docks.front())
      addDockWidget(Qt::LeftDockWidgetArea, dock);
    else
      tabifyDockWidget(docks.front(), dock);
  }
  int widest = 0;
  for (QDockWidget* dock : docks) {
    dock->setHidden(!seen.contains(dock));
    if (seen.contains(dock)) widest = std::max(widest, dock->minimumSizeHint().width());
  }
  arrangement->setEnabled(true);
  arrangement->activate();
  if (seen.isEmpty()) return;
  QDockWidget* front = seen.front();
  resizeDocks({front}, {std::max(widest, width() * 2 / 5)}, Qt::Horizontal);
  front->raise();
}

void View::unfold_docks() {
  restore_keeping_hidden(roomy_layout_);
  if (roomy_layout_ == default_layout_) apply_preferred_sizes();
}

void View::show_dock(QDockWidget& dock) {
  dock.show();
  dock.raise();
}

void View::lend_height(QDockWidget& dock, int pixels) {
  const Qt::DockWidgetArea area = dockWidgetArea(&dock);
  const bool beside_content = area != Qt::BottomDockWidgetArea && area != Qt::TopDockWidgetArea;
  if (grown_ != nullptr || folded_ || dock.isFloating() || beside_content) return;
  grown_ = &dock;
  usual_height_ = dock.height();
  grown_height_ = usual_height_ + pixels;
  make_room();
  // The layout learns the content's new minimum size from queued events.
  QTimer::singleShot(0, this, [this] {
    if (grown_ != nullptr) resizeDocks({grown_}, {grown_height_}, Qt::Vertical);
  });
}

void View::return_height() {
  QDockWidget* dock = std::exchange(grown_, nullptr);
  if (dock == nullptr) return;
  if (!folded_ && !dock->isFloating() && dock->height() > usual_height_)
    resizeDocks({dock}, {usual_height_}, Qt::Vertical);
  make_room();
}

void View::set_content(QWidget* content) { setCentralWidget(new widgets::ScrolledContent(content)); }

QDockWidget* View::add_dock(const QString& title, QWidget* content, Qt::DockWidgetArea area,
                            QSize preferred) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(name_ + QLatin1Char('.') + title);
  dock->setAccessibleName(title);
  dock->setWidget(new DockContent(content, preferred));
  dock->installEventFilter(this);
  addDockWidget(area, dock);
  return dock;
}

bool View::event(QEvent* event) {
  const bool handled = QMainWindow::event(event);
  // All widgets must have the new text size before their docks are laid out.
  if (event->type() == QEvent::ApplicationFontChange)
    QMetaObject::invokeMethod(this, &View::fit_docks, Qt::QueuedConnection);
  return handled;
}

bool View::eventFilter(QObject* watched, QEvent* event) {
  // Also while a separator is dragged, because the layout has no signal for it.
  if (event->type() == QEvent::Resize)
    QMetaObject::invokeMethod(this, &View::remember_roomy_layout, Qt::QueuedConnection);
  return QMainWindow::eventFilter(watched, event);
}

void View::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  fit_docks();
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
  // A page of a stack gets its size only after it is shown.
  if (!std::exchange(shown_, true))
    QMetaObject::invokeMethod(this, &View::restore_sizes, Qt::QueuedConnection);
  for (QDockWidget* dock : std::exchange(hidden_floating_, {})) dock->show();
}

}  // namespace kernelscape::views
