#include "ui/views/trials/difference_panel.h"

#include <QComboBox>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/line_diff.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/code_panel.h"
#include "ui/widgets/highlighting.h"

namespace kernelscape {
namespace {

constexpr std::size_t context_lines = 3;

/** Which equal lines are near enough to a change to be shown. */
std::vector<bool> lines_to_show(const std::vector<DiffLine>& lines) {
  std::vector<bool> shown(lines.size(), false);
  for (std::size_t place = 0; place < lines.size(); ++place) {
    if (lines[place].change == LineChange::Same) continue;
    const std::size_t first = place - std::min(place, context_lines);
    const std::size_t last = std::min(place + context_lines, lines.size() - 1);
    for (std::size_t near = first; near <= last; ++near) shown[near] = true;
  }
  return shown;
}

QString known_number_text(std::size_t number) { return number == 0 ? QString() : QString::number(number); }

/** "12  14 +": where the line stands in both texts, and what happened to it. */
QString label_of(const DiffLine& line, int digits) {
  const char sign = line.change == LineChange::Added ? '+' : line.change == LineChange::Removed ? '-' : ' ';
  return QStringLiteral("%1 %2 %3")
      .arg(known_number_text(line.before).rightJustified(digits),
           known_number_text(line.after).rightJustified(digits), QString(QLatin1Char(sign)));
}

LineMark mark_of(LineChange change) {
  if (change == LineChange::Added) return LineMark::Added;
  return change == LineChange::Removed ? LineMark::Removed : LineMark::None;
}

/** Whether the lines of both sources start inside a comment: each side goes on where its own last line ended.
 */
class CommentStates {
 public:
  /** @return whether this line starts inside one */
  bool pass(const DiffLine& line) {
    const QString text = QString::fromUtf8(line.text.data(), static_cast<qsizetype>(line.text.size()));
    const bool inside = line.after != 0 ? after_ : before_;
    if (line.before != 0) before_ = ends_in_comment(text, before_);
    if (line.after != 0) after_ = ends_in_comment(text, after_);
    return inside;
  }

 private:
  bool before_ = false;
  bool after_ = false;
};

/** Both sources as one text, what is equal and far from any change folded. */
DifferenceText compare_sources(std::string_view before, std::string_view after) {
  const std::vector<DiffLine> lines = diff_lines(before, after);
  const std::vector<bool> shown = lines_to_show(lines);
  const int digits = static_cast<int>(QString::number(lines.size()).size());
  DifferenceText result;
  CommentStates comments;
  QStringList texts;
  for (std::size_t place = 0; place < lines.size();) {
    std::size_t end = place;
    while (end < lines.size() && !shown[end]) ++end;
    if (end > place) {
      texts.append(DifferencePanel::tr("… %1 equal lines").arg(end - place));
      result.code.labels.append(QString());
      result.code.marks.push_back(LineMark::Folded);
      result.code.starts_in_comment.push_back(false);
      for (; place < end; ++place) comments.pass(lines[place]);
      continue;
    }
    const DiffLine& line = lines[place++];
    result.code.starts_in_comment.push_back(comments.pass(line));
    texts.append(QString::fromUtf8(line.text.data(), static_cast<qsizetype>(line.text.size())));
    result.code.labels.append(label_of(line, digits));
    result.code.marks.push_back(mark_of(line.change));
    result.added += line.change == LineChange::Added ? 1 : 0;
    result.removed += line.change == LineChange::Removed ? 1 : 0;
  }
  result.code.text = texts.join(QLatin1Char('\n'));
  return result;
}

}  // namespace

DifferencePanel::DifferencePanel(QWidget* parent) : QWidget(parent) {
  code_ = new CodePanel(CodeLanguage::C, tr("Difference"));
  other_ = new QComboBox;
  other_->setAccessibleName(tr("Compare with"));
  other_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  code_->add_control(other_);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(code_);
  connect(other_, &QComboBox::activated, this, [this] {
    done_ = false;
    compare();
  });
  connect(code_, &CodePanel::notified, this, &DifferencePanel::notified);
}

void DifferencePanel::set_trial(const Source& source, const std::shared_ptr<const TrialDetails>& details,
                                std::int64_t previous_row) {
  job_.cancel();
  source_ = source;
  details_ = details;
  previous_row_ = previous_row;
  done_ = false;
  fill_choices();
  code_->set_state({});
  if (isVisible()) compare();
}

/** The kind that was chosen stays chosen where it is there. */
void DifferencePanel::fill_choices() {
  const QString chosen = other_->currentText().section(QLatin1Char(','), 0, 0);
  other_->clear();
  const auto add = [&](const QString& what, std::int64_t row) {
    if (row == no_row || row == details_->row || row >= source_->trials.size()) return;
    other_->addItem(
        QStringLiteral("%1, %2").arg(what, tr("trial %1").arg(format_count(source_->trials.row(row).number))),
        QVariant::fromValue(static_cast<qint64>(row)));
    if (what == chosen) other_->setCurrentIndex(other_->count() - 1);
  };
  add(tr("to the best"), source_->headline.row);
  if (previous_row_ != source_->headline.row) add(tr("to the one before"), previous_row_);
  other_->setVisible(other_->count() > 0);
}

void DifferencePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  compare();
}

void DifferencePanel::compare() {
  if (done_ || !details_) return;
  done_ = true;
  if (other_->count() == 0) {
    code_->set_state(
        source_->build_only()
            ? tr("Build only: no trial is the best. Choose another one, and come back, to compare them.")
        : details_->row == source_->headline.row
            ? tr("This is the best trial. Choose another one to compare them.")
            : tr("There is no other trial to compare with: none is valid yet, and none was current before."));
    return;
  }
  if (details_->source_text.empty()) {
    code_->set_state(tr("The kernel's source can't be made again:\n%1")
                         .arg(QString::fromStdString(details_->source_problem)));
    return;
  }
  code_->view().set_dialect(details_->dialect);
  code_->set_state(tr("Comparing …"));
  const std::int64_t other = other_->currentData().value<qint64>();
  job_.start(
      [source = source_, details = details_, other](const JobControl& control) -> Result<DifferenceText> {
        if (!control.proceed()) return DifferenceText();
        const auto kernel = TRY(kernel_source_of(*source, source->trials.configuration(other)));
        return compare_sources(kernel.text, details->source_text);
      },
      [this](const Result<DifferenceText>& comparison) { show_comparison(comparison); });
}

void DifferencePanel::show_comparison(const Result<DifferenceText>& comparison) {
  if (!comparison) {
    code_->set_state(QString::fromStdString(describe(comparison.error())));
  } else if (comparison->added + comparison->removed == 0) {
    code_->set_state(tr("Both trials have the same source."));
  } else {
    code_->set_marked_code(comparison->code,
                           tr("%1 lines fewer, %2 lines more")
                               .arg(format_count(comparison->removed), format_count(comparison->added)));
  }
}

}  // namespace kernelscape
