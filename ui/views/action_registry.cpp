#include "ui/views/action_registry.h"

#include <QWidget>
#include <stdexcept>

#include "ui/style/icons.h"

namespace kernelscape::views {

QAction* ActionRegistry::add(const ActionDeclaration& declaration, std::function<void()> triggered) {
  if (find(declaration.id) != nullptr)
    throw std::logic_error("action added twice: " + declaration.id.toStdString());
  auto* action =
      new QAction(declaration.text, declaration.scope != nullptr ? static_cast<QObject*>(declaration.scope)
                                                                 : static_cast<QObject*>(this));
  action->setObjectName(declaration.id);
  action->setShortcut(declaration.shortcut);
  action->setToolTip(declaration.help.isEmpty() ? declaration.text : declaration.help);
  action->setStatusTip(declaration.help);
  if (!declaration.icon.isEmpty()) action->setIcon(style::icon(declaration.icon));
  if (declaration.scope != nullptr) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    declaration.scope->addAction(action);
  }
  connect(action, &QAction::triggered, this, [triggered = std::move(triggered)] { triggered(); });
  entries_.push_back({declaration, action});
  emit added(declaration.id);
  return action;
}

QAction* ActionRegistry::find(const QString& id) const {
  for (const Entry& entry : entries_) {
    if (entry.declaration.id == id) return entry.action;
  }
  return nullptr;
}

QString ActionRegistry::set_shortcut(const QString& id, const QKeySequence& shortcut) {
  QAction* action = find(id);
  if (action == nullptr) return {};
  const QWidget* scope = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.action == action) scope = entry.declaration.scope;
  }
  for (const Entry& entry : entries_) {
    const bool meet =
        entry.declaration.scope == scope || entry.declaration.scope == nullptr || scope == nullptr;
    if (entry.action != action && meet && !shortcut.isEmpty() && entry.action->shortcut() == shortcut)
      return entry.declaration.text;
  }
  action->setShortcut(shortcut);
  emit shortcuts_changed();
  return {};
}

void ActionRegistry::reset_shortcuts() {
  for (const Entry& entry : entries_) entry.action->setShortcut(entry.declaration.shortcut);
  emit shortcuts_changed();
}

QHash<QString, QKeySequence> ActionRegistry::changed_shortcuts() const {
  QHash<QString, QKeySequence> changed;
  for (const Entry& entry : entries_) {
    if (entry.action->shortcut() != entry.declaration.shortcut)
      changed.insert(entry.declaration.id, entry.action->shortcut());
  }
  return changed;
}

}  // namespace kernelscape::views
