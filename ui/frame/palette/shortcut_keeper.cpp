#include "ui/frame/palette/shortcut_keeper.h"

#include <QScopedValueRollback>

namespace kernelscape::frame {

ShortcutKeeper::ShortcutKeeper(views::ActionRegistry& actions, PreferencesFile& preferences, QObject* parent)
    : QObject(parent), actions_(actions), preferences_(preferences) {
  connect(&actions_, &views::ActionRegistry::shortcuts_changed, this, &ShortcutKeeper::keep);
}

void ShortcutKeeper::apply() {
  const QScopedValueRollback applying(applying_, true);
  const QMap<QString, QKeySequence> kept = preferences_.get().shortcuts;
  // If two actions exchanged their shortcuts, each would find its new shortcut in use: all shortcuts are
  // cleared first.
  for (auto entry = kept.begin(); entry != kept.end(); ++entry) actions_.set_shortcut(entry.key(), {});
  for (auto entry = kept.begin(); entry != kept.end(); ++entry)
    actions_.set_shortcut(entry.key(), entry.value());
}

void ShortcutKeeper::keep() {
  if (applying_) return;
  preferences_.change([this](Preferences& p) {
    const QHash<QString, QKeySequence> changed = actions_.changed_shortcuts();
    for (const views::ActionRegistry::Entry& entry : actions_.entries())
      p.shortcuts.remove(entry.declaration.id);
    for (auto entry = changed.begin(); entry != changed.end(); ++entry)
      p.shortcuts.insert(entry.key(), entry.value());
  });
}

}  // namespace kernelscape::frame
