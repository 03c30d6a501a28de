#include "ui/views/trials/compiler_remarks.h"

#include <QRegularExpression>

namespace kernelscape::views {
namespace {

constexpr int max_message_lines = 4000;
constexpr std::size_t max_remarks = 200;
constexpr qsizetype longest_message_line = 2000;

QString last_part(const QString& file) { return file.section(QLatin1Char('/'), -1); }

/**
 * Returns true if a builder may use this name for an unnamed source; system files have a folder in their
 * name.
 */
bool may_be_unnamed(const QString& file) { return !file.contains(QLatin1Char('/')); }

}  // namespace

std::vector<CompilerRemark> compiler_remarks(const QString& message) {
  static const QRegularExpression said(QStringLiteral(
      R"(^([^:()\s][^:()]*)(?::(\d{1,7})(?::\d{1,7})?:|\((\d{1,7})\):?)\s*((?:fatal )?(?:error|warning|note|remark)\b.*)$)"));
  static const QRegularExpression said_first(QStringLiteral(
      R"(^((?:fatal )?(?:error|warning|note|remark)): ([^:()\s][^:()]*):(\d{1,7})(?::\d{1,7})?:\s*(.*)$)"));
  std::vector<CompilerRemark> remarks;
  int number = 0;
  for (const QStringView line : QStringTokenizer(message, u'\n')) {
    if (number == max_message_lines || remarks.size() == max_remarks) break;
    const int message_line = number++;
    if (line.size() > longest_message_line) continue;
    const QRegularExpressionMatch match = said.match(line.toString());
    if (!match.hasMatch()) {
      const QRegularExpressionMatch first = said_first.match(line.toString());
      if (first.hasMatch())
        remarks.push_back({message_line, first.captured(2), first.captured(3).toInt(),
                           QStringLiteral("%1: %2").arg(first.captured(1), first.captured(4))});
      continue;
    }
    const QString place = match.captured(2).isEmpty() ? match.captured(3) : match.captured(2);
    remarks.push_back({message_line, match.captured(1), place.toInt(), match.captured(4)});
  }
  return remarks;
}

LabelledLines::LabelledLines(const QString& source) {
  static const QRegularExpression directive(
      QStringLiteral(R"re(^\s*#\s*(?:line\s+)?(\d{1,7})\s+"([^"]*)")re"));
  stretches_.push_back({});
  int number = 0;
  for (const QStringView line : QStringTokenizer(source, u'\n')) {
    const bool may_be_one = line.trimmed().startsWith(u'#');
    const QRegularExpressionMatch match =
        may_be_one ? directive.match(line.toString()) : QRegularExpressionMatch();
    if (match.hasMatch()) {
      stretches_.back().end = number;
      stretches_.push_back({match.captured(2), match.captured(1).toInt(), number + 1, number + 1});
    }
    ++number;
  }
  stretches_.back().end = number;
}

std::optional<int> LabelledLines::find(const QString& file, int line) const {
  const bool named = stretches_.size() > 1;
  for (const Stretch& stretch : stretches_) {
    const bool same = stretch.file.isEmpty() ? !named && may_be_unnamed(file)
                                             : stretch.file == file || last_part(stretch.file) == file;
    const int place = stretch.first + line - stretch.number;
    if (same && place >= stretch.first && place < stretch.end) return place;
  }
  return std::nullopt;
}

QStringList LabelledLines::labels() const {
  QStringList labels;
  if (stretches_.size() == 1) return labels;
  for (const Stretch& stretch : stretches_) {
    // A directive separates the text before it from the lines that it numbers.
    while (labels.size() < stretch.first) labels << QString();
    for (int line = stretch.first; line < stretch.end; ++line)
      labels << (stretch.file.isEmpty() ? QString() : QString::number(stretch.number + line - stretch.first));
  }
  return labels;
}

std::map<int, QString> notes_of_lines(const QString& source, const std::vector<CompilerRemark>& remarks) {
  std::map<int, QString> notes;
  if (remarks.empty()) return notes;
  const LabelledLines lines(source);
  for (const CompilerRemark& remark : remarks) {
    const std::optional<int> line = lines.find(remark.file, remark.line);
    if (!line) continue;
    QString& note = notes[*line];
    note += (note.isEmpty() ? QString() : QStringLiteral("\n")) + remark.text;
  }
  return notes;
}

}  // namespace kernelscape::views
