#pragma once

#include <QAction>
#include <QHash>
#include <QObject>
#include <functional>
#include <vector>

namespace kernelscape::views {

/**
 * Declares one action. The menu, the palette, the shortcut overview and the settings are built from the
 * declaration.
 */
struct ActionDeclaration {
  QString id;    ///< "run.start"; stored with reassigned shortcuts
  QString text;  ///< "Start"
  QString menu;  ///< "File", "Run", "View", "Tools", "Help"
  QKeySequence shortcut = {};
  QString icon = {};  ///< icon name, as icon() takes it
  QString help = {};  ///< one sentence for the palette and the shortcut overview
  /**
   * The widget in which the shortcut is active: it or one of its children must have the focus. Null: the
   * whole window.
   */
  QWidget* scope = nullptr;
};

/**
 * Registers every action of the window. Shortcuts can be reassigned; two actions of one scope never share a
 * shortcut.
 */
class ActionRegistry : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /** Creates an action, which the registry or the declared scope owns. Each id may be added only once. */
  QAction* add(const ActionDeclaration& declaration, std::function<void()> triggered);

  struct Entry {
    ActionDeclaration declaration;
    QAction* action = nullptr;
  };
  /** Returns all actions in the order in which they were added. */
  const std::vector<Entry>& entries() const { return entries_; }
  /** Returns the action with this id, or null if there is none. */
  QAction* find(const QString& id) const;

  /**
   * Assigns a shortcut to the action; an empty sequence removes its shortcut. If another action already has
   * the shortcut, nothing changes.
   * @return the text of the action that already has the shortcut; empty if the shortcut was assigned
   */
  QString set_shortcut(const QString& id, const QKeySequence& shortcut);
  /** Resets all shortcuts to their declarations. */
  void reset_shortcuts();
  /** Returns the shortcuts that differ from their declaration, by action id. */
  QHash<QString, QKeySequence> changed_shortcuts() const;

 signals:
  /** Emitted after an action was added and can be found. */
  void added(const QString& id);
  /** Emitted after one or all shortcuts were reassigned. */
  void shortcuts_changed();

 private:
  std::vector<Entry> entries_;
};

}  // namespace kernelscape::views
