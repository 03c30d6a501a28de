#pragma once

#include <QAction>
#include <QHash>
#include <QObject>
#include <functional>
#include <vector>

namespace kernelscape {

/** An action as it is declared once: menu, palette, shortcut overview and settings come from here. */
struct ActionDeclaration {
  QString id;    ///< "run.start"; stored with reassigned shortcuts
  QString text;  ///< "Start"
  QString menu;  ///< "File", "Run", "View", "Tools", "Help"
  QKeySequence shortcut = {};
  QString icon = {};  ///< name for icon()
  QString help = {};  ///< one sentence for palette and overview
  /** The shortcut holds only while this widget or a child of it has the focus; null: in the whole window. */
  QWidget* scope = nullptr;
};

/** Every action of the window. Shortcuts can be reassigned; two actions of one scope never share one. */
class ActionRegistry : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /** The action is owned by the registry, or by its scope; an id is added once. */
  QAction* add(const ActionDeclaration& declaration, std::function<void()> triggered);

  struct Entry {
    ActionDeclaration declaration;
    QAction* action = nullptr;
  };
  /** In the order in which they were added. */
  const std::vector<Entry>& entries() const { return entries_; }
  /** Null: no action has this id. */
  QAction* find(const QString& id) const;

  /** Empty: none. @return the text of the action that has the shortcut already, and nothing changes; else
   * empty */
  QString set_shortcut(const QString& id, const QKeySequence& shortcut);
  /** All back to their declarations. */
  void reset_shortcuts();
  /** Those that differ from their declaration, by id. */
  QHash<QString, QKeySequence> changed_shortcuts() const;

 signals:
  /** The action can be found from now on. */
  void added(const QString& id);
  /** One shortcut or all of them were reassigned. */
  void shortcuts_changed();

 private:
  std::vector<Entry> entries_;
};

}  // namespace kernelscape
