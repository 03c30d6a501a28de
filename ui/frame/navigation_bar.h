#pragma once

#include <QToolBar>

class QActionGroup;

namespace kernelscape {

/** The views, one below the other. */
class NavigationBar : public QToolBar {
  Q_OBJECT

 public:
  explicit NavigationBar(QWidget* parent = nullptr);

  /** @param action of the registry: it shows the view */
  void add_view(QAction* action);
  /** Null: no view is shown, but a page. */
  void set_current(QAction* action);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QActionGroup* group_;
};

}  // namespace kernelscape
