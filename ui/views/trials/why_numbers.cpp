#include "ui/views/trials/why_numbers.h"

#include <QBoxLayout>
#include <QEvent>
#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>

#include "ui/style/theme.h"
#include "ui/views/trials/bound_bars.h"
#include "ui/widgets/flat_header.h"
#include "ui/widgets/row_height.h"
#include "ui/widgets/themed_label.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

constexpr int letters_beside = 72;  ///< minimum width, in letters, for showing bars and mix side by side
constexpr int warning_role = Qt::UserRole;

QTableWidgetItem* fact_item(const QString& text, const InsightFact& fact, Qt::Alignment alignment) {
  auto* item = new QTableWidgetItem(text);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setToolTip(fact.explanation);
  item->setTextAlignment(alignment | Qt::AlignVCenter);
  item->setData(warning_role, fact.warning);
  if (fact.warning) item->setForeground(style::colours().warning);
  return item;
}

}  // namespace

WhyNumbers::WhyNumbers(QWidget* parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Numbers of the hot loop"));
  bars_ = new BoundBars;
  auto* title = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  title->setText(tr("cycles per iteration, data in the first cache"));
  bound_ = new QWidget;
  auto* bound_column = new QVBoxLayout(bound_);
  bound_column->setContentsMargins(0, 0, 0, 0);
  bound_column->addWidget(title);
  bound_column->addWidget(bars_);
  bound_column->addStretch(1);
  mix_ = make_table(tr("Instruction mix of the hot loop"), {tr("per iteration"), tr("count")});
  counted_ = make_table(tr("Counters"), {tr("counted per call"), tr("value")});
  counted_->hide();
  counting_ = new widgets::WrappedLabel(style::TextSize::Small, &style::Colours::muted_text);
  counting_->setAccessibleName(tr("State of the counters"));
  counting_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  count_ = new QPushButton(tr("Count on this machine"));
  count_->setAccessibleName(count_->text());
  count_->setToolTip(
      tr("Builds this kernel again and runs it with the processor's counters: cycles, instructions, "
         "misses, and samples the time of each line.\nThe ranking of trials does not change"));
  connect(count_, &QPushButton::clicked, this, &WhyNumbers::count_requested);
  auto* tables = new QVBoxLayout;
  tables->setSpacing(style::grid_pixels);
  tables->addWidget(mix_);
  tables->addWidget(counted_);
  tables->addWidget(counting_);
  tables->addWidget(count_, 0, Qt::AlignLeft);
  tables->addStretch(1);
  row_ = new QBoxLayout(QBoxLayout::LeftToRight);
  row_->setSpacing(2 * style::grid_pixels);
  row_->addWidget(bound_, 1);
  row_->addLayout(tables, 1);
  notes_ = new widgets::WrappedLabel(style::TextSize::Small, &style::Colours::muted_text);
  advice_ = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text);
  advice_->setAccessibleName(tr("Advice on the kernel"));
  advice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* page = new QWidget;
  auto* all = new QVBoxLayout(page);
  all->setContentsMargins(2 * style::grid_pixels, style::grid_pixels / 2, 2 * style::grid_pixels,
                          style::grid_pixels);
  all->addWidget(advice_);
  all->addLayout(row_);
  all->addWidget(notes_);
  all->addStretch(1);
  setWidget(page);
}

QTableWidget* WhyNumbers::make_table(const QString& name, const QStringList& titles) {
  auto* table = new QTableWidget(0, static_cast<int>(titles.size()));
  table->setHorizontalHeaderLabels(titles);
  table->setAccessibleName(name);
  widgets::make_flat(*table);
  widgets::keep_row_height(*table, 4);
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  table->setTabKeyNavigation(false);
  return table;
}

/** Makes a table as high as its rows: the whole page scrolls, not the tables within it. */
void WhyNumbers::fit(QTableWidget& table) const {
  int height = table.horizontalHeader()->sizeHint().height() + 2 * table.frameWidth();
  for (int row = 0; row < table.rowCount(); ++row) height += table.rowHeight(row);
  table.setFixedHeight(height);
}

void WhyNumbers::fill(QTableWidget& table, const std::vector<InsightFact>& facts) {
  table.setRowCount(static_cast<int>(facts.size()));
  for (std::size_t place = 0; place < facts.size(); ++place) {
    const InsightFact& fact = facts[place];
    const int row = static_cast<int>(place);
    table.setItem(row, 0, fact_item(fact.name, fact, Qt::AlignLeft));
    table.setItem(row, 1, fact_item(fact.value, fact, Qt::AlignRight));
  }
  fit(table);
}

void WhyNumbers::show_loop(const machine_code::LoopBound* bound, const std::vector<InsightFact>& mix) {
  bound_->setVisible(bound != nullptr && !bound->parts.empty());
  bars_->set_bars(bound ? resource_cycles(*bound) : std::vector<ResourceCycles>());
  fill(*mix_, mix);
}

void WhyNumbers::show_counters(const std::vector<InsightFact>& counters) {
  counted_->setVisible(!counters.empty());
  fill(*counted_, counters);
}

/**
 * Shows the state of the button. A disabled button passes the keyboard focus to an arbitrary widget, so the
 * focus is kept here.
 */
void WhyNumbers::show_counting(const QString& text, bool possible) {
  counting_->setText(text);
  counting_->setVisible(!text.isEmpty());
  if (!possible && count_->hasFocus()) setFocus();
  count_->setEnabled(possible);
}

QString WhyNumbers::counting() const { return counting_->text(); }

void WhyNumbers::show_advice(const QStringList& sentences, const QStringList& sources) {
  advice_->setText(sentences.join(QLatin1Char('\n')));
  advice_->setToolTip(sources.join(QLatin1Char('\n')));
  advice_->setVisible(!sentences.isEmpty());
}

QString WhyNumbers::advice() const { return advice_->text(); }

void WhyNumbers::show_notes(const QStringList& notes) {
  notes_->setText(notes.join(QLatin1Char('\n')));
  notes_->setVisible(!notes.isEmpty());
}

void WhyNumbers::arrange() {
  const bool beside = width() >= letters_beside * QFontMetrics(font()).averageCharWidth();
  row_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void WhyNumbers::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  arrange();
}

void WhyNumbers::follow_looks() {
  arrange();
  for (QTableWidget* table : {mix_, counted_}) {
    fit(*table);
    for (int row = 0; row < table->rowCount(); ++row)
      for (int column = 0; column < table->columnCount(); ++column)
        if (table->item(row, column)->data(warning_role).toBool())
          table->item(row, column)->setForeground(style::colours().warning);
  }
}

/** Fits the tables after they have received their new fonts. */
void WhyNumbers::changeEvent(QEvent* event) {
  QScrollArea::changeEvent(event);
  const bool looks = event->type() == QEvent::PaletteChange ||
                     event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::FontChange;
  if (looks && notes_) QMetaObject::invokeMethod(this, &WhyNumbers::follow_looks, Qt::QueuedConnection);
}

}  // namespace kernelscape::views
