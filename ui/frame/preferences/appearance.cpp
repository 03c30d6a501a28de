#include "ui/frame/preferences/appearance.h"

#include <QApplication>
#include <algorithm>
#include <cmath>

namespace kernelscape::frame {
namespace {

constexpr double text_step = 0.1;
constexpr double smallest_scale = 0.5;
constexpr double largest_scale = 3;

}  // namespace

void apply_appearance(const Preferences& preferences) {
  static bool applied = false;
  if (!std::exchange(applied, true) || style::theme_choice() != preferences.theme)
    style::apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), preferences.theme);
  if (style::text_scale() != preferences.text_scale) style::set_text_scale(preferences.text_scale);
}

Appearance::Appearance(PreferencesFile& preferences, views::ActionRegistry& actions, QObject* parent)
    : QObject(parent), preferences_(preferences) {
  const QString view = QStringLiteral("View");
  add_theme(actions, style::ThemeChoice::System, QStringLiteral("theme.system"), tr("System theme"));
  add_theme(actions, style::ThemeChoice::Light, QStringLiteral("theme.light"), tr("Light theme"));
  add_theme(actions, style::ThemeChoice::Dark, QStringLiteral("theme.dark"), tr("Dark theme"));
  actions.add({.id = QStringLiteral("text.larger"),
               .text = tr("Larger text"),
               .menu = view,
               .shortcut = QKeySequence(QStringLiteral("Ctrl++"))},
              [this] { scale_text(text_step); });
  actions.add({.id = QStringLiteral("text.smaller"),
               .text = tr("Smaller text"),
               .menu = view,
               .shortcut = QKeySequence(QStringLiteral("Ctrl+-"))},
              [this] { scale_text(-text_step); });
  actions.add({.id = QStringLiteral("text.usual"),
               .text = tr("Default text size"),
               .menu = view,
               .shortcut = QKeySequence(QStringLiteral("Ctrl+0"))},
              [this] { preferences_.change([](Preferences& p) { p.text_scale = 1; }); });
  connect(&preferences_, &PreferencesFile::changed, this, &Appearance::apply);
  apply();
}

void Appearance::add_theme(views::ActionRegistry& actions, style::ThemeChoice theme, const QString& id,
                           const QString& text) {
  QAction* action =
      actions.add({.id = id, .text = text, .menu = QStringLiteral("View"), .icon = QStringLiteral("theme")},
                  [this, theme] {
                    preferences_.change([theme](Preferences& p) { p.theme = theme; });
                    apply();
                  });
  action->setCheckable(true);
  themes_.insert(static_cast<int>(theme), action);
}

void Appearance::scale_text(double step) {
  preferences_.change([step](Preferences& p) {
    const double scale = std::round((p.text_scale + step) / text_step) * text_step;
    p.text_scale = std::clamp(scale, smallest_scale, largest_scale);
  });
}

void Appearance::apply() {
  apply_appearance(preferences_.get());
  for (auto theme = themes_.begin(); theme != themes_.end(); ++theme)
    (*theme)->setChecked(theme.key() == static_cast<int>(preferences_.get().theme));
}

}  // namespace kernelscape::frame
