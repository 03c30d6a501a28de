#pragma once

#include <QMenu>
#include <QMenuBar>

#include "ui/views/action_registry.h"

namespace kernelscape {

/**
 * File, Run, View, Tools and Help, made of the registry whenever they open: what belongs to a part of the
 * window that is not seen is left out.
 */
class Menus : public QObject {
  Q_OBJECT

 public:
  Menus(ActionRegistry& actions, QMenuBar& bar);

  /** By its untranslated name: "File", "Run"; null where there is none. */
  QMenu* menu(const QString& name) const;
  /** The actions of one menu as it would open now, in order; null stands for a separator. */
  QList<QAction*> actions_of(const QString& menu) const;

 private:
  void fill(QMenu& menu);

  ActionRegistry& actions_;
  QList<QMenu*> menus_;
};

/** Whether it can be triggered now: it is enabled, and its part of the window is seen. */
bool is_reachable(const ActionRegistry::Entry& entry);

}  // namespace kernelscape
