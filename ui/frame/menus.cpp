#include "ui/frame/menus.h"

#include <QWidget>
#include <algorithm>
#include <array>

namespace kernelscape::frame {
namespace {

bool is_seen(const views::ActionRegistry::Entry& entry) {
  return entry.declaration.scope == nullptr || entry.declaration.scope->isVisible();
}

/** Returns the group of an action in a menu: "run" for "run.start". */
QString group_of(const QString& id) { return id.section(QLatin1Char('.'), 0, 0); }

}  // namespace

bool is_reachable(const views::ActionRegistry::Entry& entry) {
  return entry.action->isEnabled() && is_seen(entry);
}

Menus::Menus(views::ActionRegistry& actions, QMenuBar& bar) : QObject(&bar), actions_(actions) {
  const std::array<std::pair<QString, QString>, 5> titles = {{{QStringLiteral("File"), tr("&File")},
                                                              {QStringLiteral("Run"), tr("&Run")},
                                                              {QStringLiteral("View"), tr("&View")},
                                                              {QStringLiteral("Tools"), tr("&Tools")},
                                                              {QStringLiteral("Help"), tr("&Help")}}};
  for (const auto& [name, title] : titles) {
    QMenu* menu = bar.addMenu(title);
    menu->setObjectName(name);
    menu->setToolTipsVisible(true);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill(*menu); });
    menus_.append(menu);
    fill(*menu);
  }
}

QMenu* Menus::menu(const QString& name) const {
  for (QMenu* menu : menus_) {
    if (menu->objectName() == name) return menu;
  }
  return nullptr;
}

QList<QAction*> Menus::actions_of(const QString& menu) const {
  // The menu's own group comes first ("run" in Run), then the groups in the order of their first action;
  // views add actions when they are created.
  QStringList groups;
  const auto is_own = [&](const views::ActionRegistry::Entry& entry) {
    return entry.declaration.menu == menu && is_seen(entry) &&
           group_of(entry.declaration.id) == menu.toLower();
  };
  if (std::ranges::any_of(actions_.entries(), is_own)) groups.append(menu.toLower());
  for (const views::ActionRegistry::Entry& entry : actions_.entries()) {
    const QString group = group_of(entry.declaration.id);
    if (entry.declaration.menu == menu && is_seen(entry) && !groups.contains(group)) groups.append(group);
  }
  QList<QAction*> listed;
  for (const QString& group : groups) {
    if (!listed.isEmpty()) listed.append(nullptr);
    for (const views::ActionRegistry::Entry& entry : actions_.entries()) {
      const bool fits = entry.declaration.menu == menu && group_of(entry.declaration.id) == group;
      if (fits && is_seen(entry)) listed.append(entry.action);
    }
  }
  return listed;
}

void Menus::fill(QMenu& menu) {
  menu.clear();
  for (QAction* action : actions_of(menu.objectName())) {
    if (action == nullptr) {
      menu.addSeparator();
    } else {
      menu.addAction(action);
    }
  }
}

}  // namespace kernelscape::frame
