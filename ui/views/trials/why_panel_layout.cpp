#include <QAction>
#include <QEvent>
#include <QFileDialog>
#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "core/base/output_file.h"
#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"
#include "ui/style/theme.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/instruction_panel.h"
#include "ui/views/trials/stage_panel.h"
#include "ui/views/trials/why_numbers.h"
#include "ui/views/trials/why_panel.h"
#include "ui/views/trials/why_text.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int letters_of_three = 150;  ///< minimum width, in letters, for showing three views side by side
constexpr int letters_of_two = 88;
constexpr int lines_for_numbers = 35;  ///< minimum height, in lines, for showing the numbers above the code
constexpr int min_code_lines = 16;     ///< so that 15 are whole wherever the code is scrolled to
constexpr int lines_of_numbers = 11;
constexpr int stages_share = 200;  ///< share of the height, relative to nest_share
constexpr int nest_share = 300;
constexpr QSize window_size(1200, 800);

base::OutputKind listing_kind() {
  return {.name = "listing of machine code", .recognises_own = [](std::string_view head) {
            return head.substr(0, head.find('\n')).ends_with(listing_title());
          }};
}

}  // namespace

WhyPanel::Arrangement WhyPanel::fitting() const {
  const QFontMetrics metrics(style::font_of(style::TextSize::Normal));
  const int letters = width() / std::max(1, metrics.averageCharWidth());
  return {.beside = letters >= letters_of_three ? 3
                    : letters >= letters_of_two ? 2
                                                : 1,
          .numbers_above = height() >= lines_for_numbers * metrics.lineSpacing(),
          .stages = insight_ ? !insight_->kernel.stages.nodes.empty() : arrangement_ && arrangement_->stages};
}

/** Places every view where it fits; the open tab stays open if it is still a tab. */
void WhyPanel::arrange() {
  const Arrangement wanted = fitting();
  if (arrangement_ == wanted) return;
  // Instructions that were shown beside other views stay visible if only one view fits.
  const bool stood_beside = arrangement_ && arrangement_->beside != 1;
  const QWidget* open = tabs_->currentWidget();
  if (wanted.beside == 1 && stood_beside) open = instructions_;
  arrangement_ = wanted;
  // A low panel leaves its height to the code: the sentence's tool tip has what its line has no room for.
  sentence_->setWordWrap(wanted.numbers_above);
  tabs_->clear();
  const auto place = [&](QWidget* page, bool beside, QSplitter* splitter, const QString& title) {
    if (!beside) {
      tabs_->addTab(page, title);
      if (page == open) tabs_->setCurrentWidget(page);
      return;
    }
    splitter->addWidget(page);
    page->show();
  };
  if (wanted.beside == 1) place(instructions_, false, columns_, tr("Instructions"));
  // If there is no height for numbers above the code, there is none for stages above their nest either.
  if (wanted.stages)
    place(stages_, wanted.beside == 3 && wanted.numbers_above, stages_and_nest_, tr("Stages"));
  else
    stages_->hide();
  place(nest_, wanted.beside == 3, stages_and_nest_, tr("Loop nest"));
  stages_and_nest_->setVisible(wanted.beside == 3);
  stages_and_nest_->setSizes({stages_share, nest_share});
  place(source_, wanted.beside == 3, columns_, tr("Source"));
  if (wanted.beside != 1) place(instructions_, true, columns_, {});
  place(numbers_, wanted.numbers_above, rows_, tr("Numbers"));
  if (wanted.numbers_above) {
    rows_->insertWidget(0, numbers_);
    const int line = QFontMetrics(style::font_of(style::TextSize::Normal)).lineSpacing();
    rows_->setSizes({lines_of_numbers * line, std::max(line, height() - lines_of_numbers * line)});
  }
  if (wanted.beside == 2 && tabs_->indexOf(open) < 0) tabs_->setCurrentWidget(source_);
  rows_->setStretchFactor(rows_->indexOf(columns_), 1);
  tabs_->setVisible(tabs_->count() > 0);
  columns_->setSizes(QList<int>(columns_->count(), std::max(1, width() / wanted.beside)));
}

/** Waits until the views that are shown now have their sizes. */
void WhyPanel::ask_for_height_soon() { QTimer::singleShot(0, this, &WhyPanel::ask_for_height); }

void WhyPanel::ask_for_height() {
  for (CodePanel* panel : {source_, static_cast<CodePanel*>(instructions_), nest_}) {
    const widgets::CodeView& view = panel->view();
    if (!view.isVisible()) continue;
    const double lines = min_code_lines * QFontMetricsF(view.font()).lineSpacing();
    const double around = 2 * (view.document()->documentMargin() + view.frameWidth()) +
                          view.horizontalScrollBar()->sizeHint().height();
    const int missing = static_cast<int>(std::ceil(lines + around)) - view.height();
    if (missing > 0) emit height_wanted(missing);
    return;
  }
}

void WhyPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void WhyPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::ApplicationFontChange && columns_) arrange();
}

void WhyPanel::ask_where_to_save() {
  if (!insight_) return;
  const QString name = QStringLiteral("%1.txt").arg(
      QString(subject_.title).replace(QLatin1Char('/'), QLatin1Char('-')).remove(QLatin1Char(',')));
  QFileDialog* dialog =
      files::make_file_dialog(this, tr("Save listing"), name, tr("Text (*.txt);;All files (*)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("txt"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](const QString& path) { save_listing(path, false); });
  dialog->open();
}

void WhyPanel::save_listing(const QString& path, bool force) {
  if (!insight_) return;
  const base::OutputRequest request{.path = path.toStdString(), .kind = listing_kind(), .force = force};
  save_job_.start(
      [request, insight = insight_, code = instructions_->code(),
       title = subject_.title.toStdString()](const workspace::JobControl&) -> Result<bool> {
        TRY(base::write_output(request, interleaved_listing(insight->kernel, *code, title)));
        return true;
      },
      [this, path](const Result<bool>& written) {
        if (!written && written.error().code == ErrorCode::Occupied) {
          files::ask_to_replace(*this, written.error(), [this, path] { save_listing(path, true); });
        } else if (!written) {
          workspace_.notices().fail(written.error());
        } else {
          emit notified(tr("The listing was written to %1.").arg(path));
        }
      });
}

/** Opens a separate window with the same kernel, which does not change when another trial is chosen. */
void WhyPanel::open_window() {
  if (!insight_) return;
  auto* panel = new WhyPanel(workspace_, count_, window());
  panel->setWindowFlag(Qt::Window);
  panel->setAttribute(Qt::WA_DeleteOnClose);
  panel->setWindowTitle(tr("Why: %1").arg(subject_.title));
  panel->resize(window_size);
  auto* close = new QAction(tr("Close"), panel);
  close->setShortcuts({QKeySequence(QKeySequence::Close), QKeySequence(Qt::Key_Escape)});
  connect(close, &QAction::triggered, panel, &QWidget::close);
  panel->addAction(close);
  connect(panel, &WhyPanel::notified, this, &WhyPanel::notified);
  panel->show_insight(insight_, subject_);
  panel->counters_ = counters_;
  panel->show_shares_and_advice();
  panel->show_counting();
  panel->show();
}

}  // namespace kernelscape::views
