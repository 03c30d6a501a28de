#include "ui/views/view.h"

#include <QDockWidget>
#include <QVBoxLayout>

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

QByteArray View::layout() const { return saveState(layout_version_); }

bool View::restore_layout(const QByteArray& layout) { return restoreState(layout, layout_version_); }

void View::reset_layout() { restoreState(default_layout_, layout_version_); }

void View::remember_default_layout() { default_layout_ = layout(); }

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
  for (QDockWidget* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (!dock->isFloating() || !dock->isVisible()) continue;
    hidden_floating_.push_back(dock);
    dock->hide();
  }
  QMainWindow::hideEvent(event);
}

void View::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  for (QDockWidget* dock : std::exchange(hidden_floating_, {})) dock->show();
}

}  // namespace kernelscape
