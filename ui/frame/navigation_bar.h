#pragma once

#include <QToolBar>

class QActionGroup;

namespace kernelscape::frame {

/** Tool bar with one button per view, from top to bottom. */
class NavigationBar : public QToolBar {
  Q_OBJECT

 public:
  explicit NavigationBar(QWidget* parent = nullptr);

  /** Adds the button of a view. @param action action of the registry that shows the view */
  void add_view(QAction* action);
  /** Marks the button of the visible view. @param action null: a page is shown instead of a view */
  void set_current(QAction* action);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QActionGroup* group_;
};

}  // namespace kernelscape::frame
