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
  QString hint;
  int count = 1;
  QDateTime last;
  bool brief = false;  ///< it stands elsewhere as well: a bar shows it for a while only
};

/** All that was told, newest last: shown in a bar without a dialog, kept in a log. Window's thread. */
class Notices : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /** Something went as asked, or needs nobody's doing. @param hint what to do next; may be empty */
  void inform(const QString& text, const QString& hint = {}) { add(Notice::Kind::Information, text, hint); }
  /** Something works less well than it could. @param hint what to do about it; may be empty */
  void warn(const QString& text, const QString& hint = {}) { add(Notice::Kind::Warning, text, hint); }
  /** The same of what stays visible elsewhere: with a session that said it. */
  void warn_briefly(const QString& text) { add(Notice::Kind::Warning, text, {}, true); }
  /** Something that was asked for could not be done: the error's message and hint, in the window's words. */
  void fail(const Error& error);

  /** Newest last; beyond a limit the oldest are dropped. */
  const std::vector<Notice>& all() const { return notices_; }

 signals:
  /** @param index in all(); an old one whose counter grew, or a new one */
  void changed(int index);

 private:
  void add(Notice::Kind kind, const QString& text, const QString& hint, bool brief = false);

  std::vector<Notice> notices_;
};

}  // namespace kernelscape
