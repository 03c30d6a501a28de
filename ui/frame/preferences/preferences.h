#pragma once

#include <QByteArray>
#include <QKeySequence>
#include <QMap>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <filesystem>

#include "core/base/result.h"
#include "ui/style/theme.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::frame {

/** The user's settings, and the state of the window at its last close. */
struct Preferences {
  QString compiler;  ///< compiler for kernels; empty: $CC, else cc
  int threads = 0;   ///< threads of a kernel in new runs; 0: all cores
  QString database;  ///< empty: Store::default_path()
  style::ThemeChoice theme = style::ThemeChoice::System;
  double text_scale = 1;
  bool notifications = true;  ///< desktop notification when a run ends
  bool first_start_dismissed = false;
  bool whole_speed_axis = false;  ///< Tune's chart of all trials starts at zero and leaves out no trial
  QMap<QString, QKeySequence> shortcuts;  ///< reassigned shortcuts only, by action
  QMap<QString, QByteArray> layouts;      ///< by view; the layout of the window itself under "window"
  QMap<QString, QString> folders;         ///< in which file dialogs were left, by title
  QByteArray geometry;
  QString view;                  ///< the last visible view
  QStringList recent_databases;  ///< the most recent first
  QStringList recent_networks;   ///< files of networks, the most recent first
  QString fleet_address;         ///< Redis address of the fleet that was last shown
  QString fleet_password_file;   ///< file with the password of that Redis; empty: the password is in the
                                 ///< environment
  QString paused_database;       ///< database in which the window paused sessions when it closed
  QStringList paused_sessions;   ///< ids of the sessions paused by the window
  QString session_database;      ///< database in which a session was open when the window closed
  QString session;               ///< id of that session; empty: none was open
  QString form;                  ///< contents of the form for new runs, in the format of request_to_json()

  bool operator==(const Preferences&) const = default;
};

/** Returns the preferences as versioned JSON with sorted keys. */
QByteArray preferences_to_json(const Preferences& preferences);

/**
 * Parses preferences; unknown keys are ignored. Errors: not a JSON object, a newer version, a value of the
 * wrong type.
 */
Result<Preferences> preferences_from_json(const QByteArray& json);

/**
 * Holds the preferences and their file. Changes are written in a background job shortly afterwards,
 * atomically. Must be used on the window's thread.
 */
class PreferencesFile : public QObject {
  Q_OBJECT

 public:
  /** Returns $XDG_CONFIG_HOME/kernelscape/preferences.json, or ~/.config/... if the variable is not set. */
  static std::filesystem::path default_path();

  explicit PreferencesFile(std::filesystem::path path, QObject* parent = nullptr);
  ~PreferencesFile() override;

  /**
   * Reads the file; without a file the defaults apply. A file that can't be parsed is renamed to FILE.broken,
   * the defaults apply, and the returned error says so.
   */
  Status load();

  /** Returns the current preferences, including changes not written yet. */
  const Preferences& get() const { return preferences_; }
  /** Replaces the preferences. Emits and writes nothing if they are equal to the current ones. */
  void set(const Preferences& preferences);
  /** Calls `change(Preferences&)` on a copy of the preferences, and sets the copy. */
  template <typename Change>
  void change(Change change) {
    Preferences changed = preferences_;
    change(changed);
    set(changed);
  }

  /** Writes pending changes at once; to be called when the window has closed. */
  Status flush();

 signals:
  /** The preferences have changed; emitted by `set` and `change`, not by `load`. */
  void changed();
  /** The background job could not write the file. */
  void failed(const kernelscape::Error& error);

 private:
  void write_later();

  std::filesystem::path path_;
  Preferences preferences_;
  bool unwritten_ = false;
  QTimer timer_;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::frame
