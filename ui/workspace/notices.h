#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** Something the user should know. Repeated ones are one notice with a counter. */
struct Notice {
  enum class Kind { Information, Warning, Failure };
  Kind kind = Kind::Information;
  QString text;
  QString hint = {};
  int count = 1;
  QDateTime last = {};
  bool brief = false;  ///< it stands elsewhere as well: a bar shows it for a while only
  QString file = {};   ///< that was written, to be opened; empty: none
};

/** All that was told, newest last: shown in a bar without a dialog, kept in a log. Window's thread. */
class Notices : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /** Something went as asked, or needs nobody's doing. @param hint what to do next; may be empty */
  void inform(const QString& text, const QString& hint = {}) {
    add({.kind = Notice::Kind::Information, .text = text, .hint = hint});
  }
  /** A file was written: the bar offers to open it. */
  void inform_of_file(const QString& text, const QString& path);
  /** Something works less well than it could. @param hint what to do about it; may be empty */
  void warn(const QString& text, const QString& hint = {}) {
    add({.kind = Notice::Kind::Warning, .text = text, .hint = hint});
  }
  /** The same of what stays visible elsewhere: with a session that said it. */
  void warn_briefly(const QString& text) {
    add({.kind = Notice::Kind::Warning, .text = text, .brief = true});
  }
  /** Something that was asked for could not be done: the error's message and hint, in the window's words. */
  void fail(const Error& error);

  /** Newest last; beyond a limit the oldest are dropped. */
  const std::vector<Notice>& all() const { return notices_; }

 signals:
  /** @param index in all(); an old one whose counter grew, or a new one */
  void changed(int index);

 private:
  void add(Notice notice);

  std::vector<Notice> notices_;
};

}  // namespace kernelscape
