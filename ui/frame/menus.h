#pragma once

#include <QMenu>
#include <QMenuBar>

#include "ui/views/action_registry.h"

namespace kernelscape::frame {

/**
 * Builds the File, Run, View, Tools and Help menus from the action registry each time they open. Actions of a
 * hidden part of the window are left out.
 */
class Menus : public QObject {
  Q_OBJECT

 public:
  Menus(views::ActionRegistry& actions, QMenuBar& bar);

  /** Returns a menu by its untranslated name, such as "File" or "Run", or null if there is no such menu. */
  QMenu* menu(const QString& name) const;
  /** Returns the actions that a menu would show now, in order; null stands for a separator. */
  QList<QAction*> actions_of(const QString& menu) const;

 private:
  void fill(QMenu& menu);

  views::ActionRegistry& actions_;
  QList<QMenu*> menus_;
};

/** Returns true if the action can be triggered now: it is enabled, and its part of the window is visible. */
bool is_reachable(const views::ActionRegistry::Entry& entry);

}  // namespace kernelscape::frame
