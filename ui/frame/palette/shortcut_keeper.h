#pragma once

#include "ui/frame/preferences/preferences.h"
#include "ui/views/action_registry.h"

namespace kernelscape {

/** Keeps reassigned shortcuts in the preferences, also of actions that are added later. */
class ShortcutKeeper : public QObject {
  Q_OBJECT

 public:
  ShortcutKeeper(ActionRegistry& actions, PreferencesFile& preferences, QObject* parent = nullptr);

  /** To be called when actions were added. */
  void apply();

 private:
  void keep();

  ActionRegistry& actions_;
  PreferencesFile& preferences_;
  bool applying_ = false;
};

}  // namespace kernelscape
