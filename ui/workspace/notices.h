#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::workspace {

/** A message for the user. Repetitions of a message are one notice with a counter. */
struct Notice {
  enum class Kind { Information, Warning, Failure };
  Kind kind = Kind::Information;
  QString text;
  QString hint = {};
  int count = 1;
  QDateTime last = {};
  bool brief = false;  ///< the content is visible elsewhere as well: a bar shows the notice for a while only
  QString file = {};   ///< written file, which the user can open; empty: none
};

/**
 * All notices, newest last: shown in a bar instead of a dialog, and kept in a log. Must be used on the
 * window's thread.
 */
class Notices : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /**
   * Adds information: an action succeeded, or no action is needed.
   * @param hint what to do next; may be empty
   */
  void inform(const QString& text, const QString& hint = {}) {
    add({.kind = Notice::Kind::Information, .text = text, .hint = hint});
  }
  /** Adds the information that a file was written; the bar offers to open the file. */
  void inform_of_file(const QString& text, const QString& path);
  /** Adds a warning: a function is degraded. @param hint what to do about it; may be empty */
  void warn(const QString& text, const QString& hint = {}) {
    add({.kind = Notice::Kind::Warning, .text = text, .hint = hint});
  }
  /** Adds a warning that also stays visible elsewhere, with the session that reported it. */
  void warn_briefly(const QString& text) {
    add({.kind = Notice::Kind::Warning, .text = text, .brief = true});
  }
  /**
   * Adds a failure of a requested action, with the message and the hint of the error, worded as in the
   * window.
   */
  void fail(const Error& error);

  /** Returns the notices, newest last; beyond a limit the oldest are dropped. */
  const std::vector<Notice>& all() const { return notices_; }

 signals:
  /** A notice was added, or the counter of an old notice grew. @param index in all() */
  void changed(int index);

 private:
  void add(Notice notice);

  std::vector<Notice> notices_;
};

}  // namespace kernelscape::workspace
