#include "ui/views/project/changed_code.h"

#include <QCoreApplication>
#include <ranges>

#include "core/base/line_diff.h"
#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

constexpr std::size_t max_difference_lines = 5'000;

widgets::LineMark mark_of_change(base::LineChange change) {
  if (change == base::LineChange::Added) return widgets::LineMark::Added;
  return change == base::LineChange::Removed ? widgets::LineMark::Removed : widgets::LineMark::None;
}

QString label_of_change(const base::DiffLine& line) {
  if (line.change == base::LineChange::Removed) return QStringLiteral("-");
  const QString number = QString::number(line.after);
  return line.change == base::LineChange::Added ? number + QStringLiteral(" +")
                                                : number + QStringLiteral("  ");
}

}  // namespace

widgets::MarkedCode changed_code(const QString& before, const QString& now) {
  const std::string first = before.toStdString();
  const std::string second = now.toStdString();
  widgets::MarkedCode code;
  QStringList texts;
  for (const base::DiffLine& line : base::diff_lines(first, second)) {
    texts.append(QString::fromUtf8(line.text.data(), static_cast<qsizetype>(line.text.size())));
    code.labels.append(label_of_change(line));
    code.marks.push_back(mark_of_change(line.change));
  }
  code.text = texts.join(QLatin1Char('\n'));
  return code;
}

widgets::MarkedCode project_changes(const project::KernelProject& before, const project::KernelProject& now) {
  widgets::MarkedCode code;
  QStringList texts;
  const std::vector<std::string> differences = project::project_differences(before, now);
  for (const std::string& difference : differences | std::views::take(max_difference_lines)) {
    const QString text = QString::fromStdString(difference);
    // Lines of a source begin with a sign and their number: "  +12: int x;".
    const bool added = text.startsWith(QStringLiteral("  +"));
    const bool removed = text.startsWith(QStringLiteral("  -"));
    texts.append(text);
    code.labels.append(added ? QStringLiteral("+") : removed ? QStringLiteral("-") : QString());
    code.marks.push_back(added     ? widgets::LineMark::Added
                         : removed ? widgets::LineMark::Removed
                                   : widgets::LineMark::None);
  }
  if (differences.size() > max_difference_lines) {
    texts.append(QCoreApplication::translate("ChangedCode", "… and %1 more lines")
                     .arg(style::format_count(std::ssize(differences) -
                                              static_cast<std::ptrdiff_t>(max_difference_lines))));
    code.labels.append(QString());
    code.marks.push_back(widgets::LineMark::None);
  }
  code.text = texts.join(QLatin1Char('\n'));
  return code;
}

}  // namespace kernelscape::views
