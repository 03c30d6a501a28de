#pragma once

#include "ui/frame/preferences/preferences.h"
#include "ui/views/action_registry.h"

namespace kernelscape::frame {

/** Applies the preferred theme and text size, and provides the actions that change them. */
class Appearance : public QObject {
  Q_OBJECT

 public:
  Appearance(PreferencesFile& preferences, views::ActionRegistry& actions, QObject* parent = nullptr);

 private:
  void add_theme(views::ActionRegistry& actions, style::ThemeChoice theme, const QString& id,
                 const QString& text);
  void scale_text(double step);
  void apply();

  PreferencesFile& preferences_;
  QHash<int, QAction*> themes_;
};

/** Sets the application's theme and text size if they differ from the preferences. */
void apply_appearance(const Preferences& preferences);

}  // namespace kernelscape::frame
