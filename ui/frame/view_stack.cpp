#include "ui/frame/view_stack.h"

#include <QDockWidget>

namespace kernelscape::frame {

ViewStack::ViewStack(views::ViewContext context, const PreferencesFile& preferences, QWidget* parent)
    : QStackedWidget(parent),
      context_(context),
      preferences_(preferences),
      views_(view_registrations().size(), nullptr) {}

ViewStack::~ViewStack() {
  for (views::View* view : views_) delete view;
}

views::View* ViewStack::view(const QString& name) {
  const std::vector<ViewRegistration>& registrations = view_registrations();
  for (std::size_t place = 0; place < registrations.size(); ++place) {
    if (registrations[place].name == name) return views_[place] != nullptr ? views_[place] : make(place);
  }
  return nullptr;
}

views::View* ViewStack::current_view() const { return qobject_cast<views::View*>(currentWidget()); }

bool ViewStack::make_next() {
  for (std::size_t place = 0; place < views_.size(); ++place) {
    if (views_[place] != nullptr) continue;
    make(place);
    return true;
  }
  return false;
}

views::View* ViewStack::make(std::size_t place) {
  views::View* view = view_registrations()[place].make(context_);
  views_[place] = view;
  addWidget(view);
  // Adds an action for each panel, so that the user can hide it and find it by its name.
  for (QDockWidget* dock : view->findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    QAction* action =
        context_.actions.add({.id = QStringLiteral("panel.") + dock->objectName(),
                              .text = tr("Panel: %1").arg(dock->windowTitle()),
                              .menu = QStringLiteral("View"),
                              .help = tr("Shows or hides this panel of the %1 view.").arg(view->name()),
                              .scope = view},
                             [dock] { dock->setVisible(dock->isHidden()); });
    action->setCheckable(true);
    connect(dock->toggleViewAction(), &QAction::toggled, action, &QAction::setChecked);
    action->setChecked(!dock->isHidden());
  }
  const QByteArray layout = preferences_.get().layouts.value(view->name());
  if (!layout.isEmpty()) view->restore_layout(layout);
  emit view_made(view);
  return view;
}

void ViewStack::save_layouts(Preferences& preferences) const {
  for (const views::View* view : views_) {
    if (view != nullptr) preferences.layouts.insert(view->name(), view->layout());
  }
}

}  // namespace kernelscape::frame
