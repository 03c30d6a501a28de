#include "ui/views/library/comparison_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/curves/progress_chart.h"
#include "ui/figures/headline.h"
#include "ui/figures/progress_figure.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/views/library/session_differences.h"
#include "ui/widgets/row_height.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int half_width = 100 * style::grid_pixels;  // shares of the available width

enum TableColumn { MarkColumn, WhatColumn, FirstColumn, SecondColumn, table_column_count };

Result<std::array<workspace::Source, 2>> read_both(const std::filesystem::path& database,
                                                   std::array<store::SessionId, 2> ids,
                                                   const workspace::JobControl& control) {
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  std::array<workspace::Source, 2> sources;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!control.proceed()) return fail(ErrorCode::Refused, "cancelled");
    sources[i] = TRY(workspace::SourceReader(store, ids[i]).read());
  }
  return sources;
}

QString title_of(const workspace::SourceData& source) {
  const store::SessionRecord& record = source.record();
  return QStringLiteral("%1 (%2%3)")
      .arg(models::session_title(record), QString::number(record.id), models::imported_mark(record));
}

const workspace::SessionEntry* entry_of(const workspace::Workspace& workspace, store::SessionId id) {
  const auto& entries = *workspace.sessions();
  const auto found = std::ranges::find(
      entries, id, [](const workspace::SessionEntry& entry) { return entry.summary.record.id; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

ComparisonPanel::ComparisonPanel(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), chart_(new charts::ProgressChart), table_(new QTableWidget) {
  setAccessibleName(tr("Two sessions side by side"));
  table_->setAccessibleName(tr("Set-ups and outcomes of the two sessions"));
  table_->setColumnCount(table_column_count);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  widgets::keep_row_height(*table_, style::grid_pixels / 2);
  table_->setFrameShape(QFrame::NoFrame);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->setTextElideMode(Qt::ElideRight);
  table_->setTabKeyNavigation(false);
  table_->horizontalHeader()->setSectionResizeMode(FirstColumn, QHeaderView::Stretch);
  table_->horizontalHeader()->setSectionResizeMode(SecondColumn, QHeaderView::Stretch);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->addWidget(chart_);
  splitter->addWidget(table_);
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({half_width, half_width});
  splitter->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_header());
  layout->addWidget(splitter, 1);
  connect(&workspace_, &workspace::Workspace::sessions_changed, this, &ComparisonPanel::load_if_changed);
}

QWidget* ComparisonPanel::make_header() {
  auto* header = new QWidget;
  title_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text);
  title_->set_bold(true);
  title_->setTextFormat(Qt::PlainText);
  along_ = new QComboBox;
  along_->addItems({tr("against trials"), tr("against session time")});
  along_->setAccessibleName(tr("Horizontal axis of the curves"));
  connect(along_, &QComboBox::currentIndexChanged, this, [this](int index) {
    chart_->set_x(index == 0 ? charts::ProgressX::Trials : charts::ProgressX::Seconds);
  });
  auto* close = new QToolButton;
  close->setIcon(style::icon(QStringLiteral("close")));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close the comparison"));
  close->setToolTip(tr("Close the comparison"));
  connect(close, &QToolButton::clicked, this, &ComparisonPanel::closed);
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(style::grid_pixels, style::grid_pixels / 2, style::grid_pixels / 2,
                             style::grid_pixels / 2);
  layout->addWidget(title_, 1);
  layout->addWidget(along_);
  layout->addWidget(close);
  return header;
}

void ComparisonPanel::compare(store::SessionId first, store::SessionId second) {
  const std::array pair{first, second};
  if (compared_ == pair) return load_if_changed();
  compared_ = pair;
  sources_ = {};
  title_->setText(tr("Reading two sessions\u2026"));
  chart_->set_data({});
  table_->setRowCount(0);
  load();
}

void ComparisonPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  if (!isVisibleTo(parentWidget())) compared_.reset();
}

/**
 * Reads the sessions if they changed. A newer reading waits for the current one to finish, because a running
 * session changes faster than it can be read.
 */
void ComparisonPanel::load_if_changed() {
  if (!compared_) return;
  bool changed = false;
  for (std::size_t i = 0; i < compared_->size(); ++i) {
    const workspace::SessionEntry* now = entry_of(workspace_, (*compared_)[i]);
    changed = changed || (now != nullptr && (!seen_[i] || !(*seen_[i] == *now)));
  }
  if (!changed) return;
  if (job_.busy()) {
    changed_meanwhile_ = true;
  } else {
    load();
  }
}

void ComparisonPanel::load() {
  changed_meanwhile_ = false;
  for (std::size_t i = 0; i < compared_->size(); ++i) {
    const workspace::SessionEntry* now = entry_of(workspace_, (*compared_)[i]);
    seen_[i] = now == nullptr ? std::nullopt : std::optional(*now);
  }
  job_.start([database = workspace_.database(), ids = *compared_](
                 const workspace::JobControl& control) { return read_both(database, ids, control); },
             [this](Result<Pair> pair) {
               if (!pair) {
                 title_->setText(tr("The two sessions can't be read"));
                 workspace_.notices().fail(pair.error());
                 return;
               }
               sources_ = std::move(*pair);
               show_pair();
               if (changed_meanwhile_) load_if_changed();
             });
}

void ComparisonPanel::show_pair() {
  const QString title = tr("%1 beside %2").arg(title_of(*sources_[0]), title_of(*sources_[1]));
  const QString notice = figures::vendor_difference_text(sources_);
  title_->setText(notice.isEmpty() ? title : title + QLatin1Char('\n') + notice);
  show_chart();
  show_table();
}

void ComparisonPanel::show_chart() {
  const workspace::SourceData& first = *sources_[0];
  const workspace::SourceData& second = *sources_[1];
  charts::ProgressData shown = figures::progress_data(first);
  const bool same_task = first.task().text == second.task().text;
  if (same_task) shown.ghosts.push_back(figures::ghost_of(second, title_of(second), 0));
  chart_->set_title(tr("Best so far"),
                    same_task ? tr("%1, with %2").arg(title_of(first), title_of(second)) : title_of(first));
  chart_->set_data(std::move(shown));
  if (!same_task) {
    // Curves in GFLOPS of different operators in one chart would invite an invalid comparison.
    chart_->set_notice(
        tr("The two sessions tuned different tasks: their curves can't share a chart.\n"
           "The table compares their set-ups."));
  } else {
    const bool empty = first.improvements.empty() && second.improvements.empty();
    const bool timed = !first.build_only() || !second.build_only();
    chart_->set_notice(!empty  ? QString()
                       : timed ? tr("Neither session has a valid trial yet.")
                               : tr("Build only: neither session has timings to compare."));
  }
}

void ComparisonPanel::show_table() {
  const std::vector<SessionDifference> lines = session_differences(*sources_[0], *sources_[1]);
  table_->setHorizontalHeaderLabels({QString(), QString(), title_of(*sources_[0]), title_of(*sources_[1])});
  table_->setRowCount(static_cast<int>(lines.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    const SessionDifference& line = lines[static_cast<std::size_t>(row)];
    const QStringList texts{line.differs() ? QStringLiteral("\u2260") : QString(), line.what, line.first,
                            line.second};
    for (int column = 0; column < table_column_count; ++column) {
      QTableWidgetItem* item = table_->item(row, column);
      if (item == nullptr) table_->setItem(row, column, item = new QTableWidgetItem);
      item->setText(texts[column]);
      item->setToolTip(texts[column]);
      QFont font = table_->font();
      font.setBold(line.differs() && column >= FirstColumn);
      item->setFont(font);
      item->setForeground(column == WhatColumn || !line.differs() ? style::colours().muted_text
                                                                  : style::colours().text);
      if (column == MarkColumn) item->setForeground(style::colours().accent);
    }
  }
  table_->resizeColumnToContents(MarkColumn);
  table_->resizeColumnToContents(WhatColumn);
}

void ComparisonPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  const bool colours_changed =
      event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange;
  if (colours_changed && sources_[0]) show_table();
}

}  // namespace kernelscape::views
