#pragma once

#include <QStackedWidget>

#include "ui/frame/preferences/preferences.h"
#include "ui/frame/view_registry.h"

namespace kernelscape {

/** The views, of which one is seen. Each is made when it is first needed, with the layout it was left with.
 */
class ViewStack : public QStackedWidget {
  Q_OBJECT

 public:
  ViewStack(ViewContext context, const PreferencesFile& preferences, QWidget* parent = nullptr);
  /** Views use the registry of actions: they go first. */
  ~ViewStack() override;

  /** Null: there is no such view. */
  View* view(const QString& name);
  /** The one that is seen; null: a page. */
  View* current_view() const;
  /** Makes the next view that was not needed yet. @return false: there is none left */
  bool make_next();
  /** Of the views made so far; what is kept for the others stays. */
  void save_layouts(Preferences& preferences) const;

 signals:
  /** A view was made, and its layout restored: to be connected. */
  void view_made(kernelscape::View* view);

 private:
  View* make(std::size_t place);

  ViewContext context_;
  const PreferencesFile& preferences_;
  std::vector<View*> views_;  ///< by registration; null: not made yet
};

}  // namespace kernelscape
