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

namespace kernelscape {

/** What the user chose, and how the window was left. */
struct Preferences {
  QString compiler;  ///< for kernels; empty: $CC, else cc
  int threads = 0;   ///< of a kernel in new runs; 0: all cores
  QString database;  ///< empty: Store::default_path()
  ThemeChoice theme = ThemeChoice::System;
  double text_scale = 1;
  bool notifications = true;  ///< of the desktop at the end of a run
  bool first_start_dismissed = false;
  QMap<QString, QKeySequence> shortcuts;  ///< those that were reassigned, by action
  QMap<QString, QByteArray> layouts;      ///< by view; the window's own under "window"
  QByteArray geometry;
  QString view;                  ///< the last one
  QStringList recent_databases;  ///< the last one first
  QStringList recent_networks;   ///< their files, the last one first
  QString fleet_address;         ///< of the Redis whose fleet was looked at last
  QString fleet_password_file;   ///< that holds its password; empty: the environment has it
  QString paused_database;       ///< in which the window paused sessions when it closed
  QStringList paused_sessions;   ///< their ids
  QString session_database;      ///< in which a session was open when the window closed
  QString session;               ///< its id; empty: none was
  QString form;                  ///< what the form for new runs was filled with, as request_to_json() has it

  bool operator==(const Preferences&) const = default;
};

/** Versioned JSON with sorted keys. */
QByteArray preferences_to_json(const Preferences& preferences);

/** Unknown keys are passed over. Errors: no JSON object, a newer version, a value of a wrong type. */
Result<Preferences> preferences_from_json(const QByteArray& json);

/**
 * The preferences and their file. Changes are written a moment later in a job, atomically. Window's thread.
 */
class PreferencesFile : public QObject {
  Q_OBJECT

 public:
  /** $XDG_CONFIG_HOME/kernelscape/preferences.json, else ~/.config/... */
  static std::filesystem::path default_path();

  explicit PreferencesFile(std::filesystem::path path, QObject* parent = nullptr);
  ~PreferencesFile() override;

  /**
   * Reads the file; without one the defaults stand. One that can't be used is set aside as FILE.broken and
   * the defaults stand as well: the error says so.
   */
  Status load();

  /** As changed last, whether written yet or not. */
  const Preferences& get() const { return preferences_; }
  /** Nothing is told or written where nothing changes. */
  void set(const Preferences& preferences);
  /** `change(Preferences&)` edits a copy, which is then set. */
  template <typename Change>
  void change(Change change) {
    Preferences changed = preferences_;
    change(changed);
    set(changed);
  }

  /** Writes at once what was not written yet: when the window has closed. */
  Status flush();

 signals:
  /** The preferences differ from before; emitted by `set` and `change`, not by `load`. */
  void changed();
  /** The file could not be written in the background. */
  void failed(const kernelscape::Error& error);

 private:
  void write_later();

  std::filesystem::path path_;
  Preferences preferences_;
  bool unwritten_ = false;
  QTimer timer_;
  JobTracker job_;
};

}  // namespace kernelscape
