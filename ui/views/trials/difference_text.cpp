#include "ui/views/trials/difference_text.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/base/line_diff.h"
#include "ui/widgets/highlighting.h"

namespace kernelscape::views {
namespace {

constexpr std::size_t context_lines = 3;

/** Returns which equal lines are near enough to a change to be shown. */
std::vector<bool> lines_to_show(const std::vector<base::DiffLine>& lines) {
  std::vector<bool> shown(lines.size(), false);
  for (std::size_t place = 0; place < lines.size(); ++place) {
    if (lines[place].change == base::LineChange::Same) continue;
    const std::size_t first = place - std::min(place, context_lines);
    const std::size_t last = std::min(place + context_lines, lines.size() - 1);
    for (std::size_t near = first; near <= last; ++near) shown[near] = true;
  }
  return shown;
}

QString known_number_text(std::size_t number) { return number == 0 ? QString() : QString::number(number); }

/** Returns "12  14 +": the line's numbers in both texts, and its kind of change. */
QString label_of(const base::DiffLine& line, int digits) {
  const char sign = line.change == base::LineChange::Added     ? '+'
                    : line.change == base::LineChange::Removed ? '-'
                                                               : ' ';
  return QStringLiteral("%1 %2 %3")
      .arg(known_number_text(line.before).rightJustified(digits),
           known_number_text(line.after).rightJustified(digits), QString(QLatin1Char(sign)));
}

widgets::LineMark mark_of(base::LineChange change) {
  if (change == base::LineChange::Added) return widgets::LineMark::Added;
  return change == base::LineChange::Removed ? widgets::LineMark::Removed : widgets::LineMark::None;
}

/**
 * Tracks whether the lines of both sources start inside a comment: each side continues where its own last
 * line ended.
 */
class CommentStates {
 public:
  /** Advances over a line. @return whether this line starts inside a comment */
  bool pass(const base::DiffLine& line) {
    const QString text = QString::fromUtf8(line.text.data(), static_cast<qsizetype>(line.text.size()));
    const bool inside = line.after != 0 ? after_ : before_;
    if (line.before != 0) before_ = widgets::ends_in_comment(text, before_);
    if (line.after != 0) after_ = widgets::ends_in_comment(text, after_);
    return inside;
  }

 private:
  bool before_ = false;
  bool after_ = false;
};

}  // namespace

DifferenceText difference_text(std::string_view before, std::string_view after) {
  const std::vector<base::DiffLine> lines = base::diff_lines(before, after);
  const std::vector<bool> shown = lines_to_show(lines);
  const int digits = static_cast<int>(QString::number(lines.size()).size());
  DifferenceText result;
  CommentStates comments;
  QStringList texts;
  for (std::size_t place = 0; place < lines.size();) {
    std::size_t end = place;
    while (end < lines.size() && !shown[end]) ++end;
    if (end > place) {
      texts.append(
          QCoreApplication::translate("kernelscape::DifferencePanel", "… %1 equal lines").arg(end - place));
      result.code.labels.append(QString());
      result.code.marks.push_back(widgets::LineMark::Folded);
      result.code.starts_in_comment.push_back(false);
      for (; place < end; ++place) comments.pass(lines[place]);
      continue;
    }
    const base::DiffLine& line = lines[place++];
    result.code.starts_in_comment.push_back(comments.pass(line));
    texts.append(QString::fromUtf8(line.text.data(), static_cast<qsizetype>(line.text.size())));
    result.code.labels.append(label_of(line, digits));
    result.code.marks.push_back(mark_of(line.change));
    result.added += line.change == base::LineChange::Added ? 1 : 0;
    result.removed += line.change == base::LineChange::Removed ? 1 : 0;
  }
  result.code.text = texts.join(QLatin1Char('\n'));
  return result;
}

}  // namespace kernelscape::views
