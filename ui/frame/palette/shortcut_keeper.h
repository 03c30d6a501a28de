#pragma once

#include "ui/frame/preferences/preferences.h"
#include "ui/views/action_registry.h"

namespace kernelscape::frame {

/**
 * Stores reassigned shortcuts in the preferences, and applies them to actions, including actions added later.
 */
class ShortcutKeeper : public QObject {
  Q_OBJECT

 public:
  ShortcutKeeper(views::ActionRegistry& actions, PreferencesFile& preferences, QObject* parent = nullptr);

  /** Applies the stored shortcuts; to be called after actions were added. */
  void apply();

 private:
  void keep();

  views::ActionRegistry& actions_;
  PreferencesFile& preferences_;
  bool applying_ = false;
};

}  // namespace kernelscape::frame
