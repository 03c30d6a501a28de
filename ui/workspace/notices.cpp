#include "ui/workspace/notices.h"

#include <utility>

namespace kernelscape::workspace {
namespace {

constexpr std::size_t max_notices = 1000;

}  // namespace

void Notices::fail(const Error& error) {
  // The window has no options: hints that name an option of the command line are replaced by the menu's
  // command.
  QString hint = QString::fromStdString(error.hint);
  for (const auto* thing : {"database", "file"})
    hint.replace(QStringLiteral("name another %1 with --db").arg(QLatin1String(thing)),
                 tr("open another database from the File menu"));
  hint.replace(QStringLiteral("then say --trust"), tr("and trust them when Start or Resume in Tune asks"));
  add({.kind = Notice::Kind::Failure, .text = QString::fromStdString(error.message), .hint = hint});
}

void Notices::inform_of_file(const QString& text, const QString& path) {
  add({.kind = Notice::Kind::Information, .text = text, .file = path});
}

void Notices::add(Notice notice) {
  for (std::size_t i = 0; i < notices_.size(); ++i) {
    Notice& known = notices_[i];
    if (known.kind != notice.kind || known.text != notice.text) continue;
    ++known.count;
    known.last = QDateTime::currentDateTime();
    emit changed(static_cast<int>(i));
    return;
  }
  if (notices_.size() == max_notices) notices_.erase(notices_.begin());
  notice.last = QDateTime::currentDateTime();
  notices_.push_back(std::move(notice));
  emit changed(static_cast<int>(notices_.size()) - 1);
}

}  // namespace kernelscape::workspace
