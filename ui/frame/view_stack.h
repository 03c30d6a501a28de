#pragma once

#include <QStackedWidget>

#include "ui/frame/preferences/preferences.h"
#include "ui/frame/view_registry.h"

namespace kernelscape::frame {

/**
 * Holds the views, of which one is visible. A view is created when it is first needed, and its last layout is
 * restored.
 */
class ViewStack : public QStackedWidget {
  Q_OBJECT

 public:
  ViewStack(views::ViewContext context, const PreferencesFile& preferences, QWidget* parent = nullptr);
  /** Destroys the views before the action registry, which they use. */
  ~ViewStack() override;

  /** Returns a view, creating it if necessary; null if there is no view of that name. */
  views::View* view(const QString& name);
  /** Returns the visible view, or null if a page is shown. */
  views::View* current_view() const;
  /** Creates the next view that was not needed yet. @return false if all views exist */
  bool make_next();
  /** Stores the layouts of the views created so far; stored layouts of other views are kept. */
  void save_layouts(Preferences& preferences) const;

 signals:
  /** A view was created and its layout restored; the window has to connect it. */
  void view_made(kernelscape::views::View* view);

 private:
  views::View* make(std::size_t place);

  views::ViewContext context_;
  const PreferencesFile& preferences_;
  std::vector<views::View*> views_;  ///< in the order of registration; null: not created yet
};

}  // namespace kernelscape::frame
