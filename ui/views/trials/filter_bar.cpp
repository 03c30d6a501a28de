#include "ui/views/trials/filter_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/trials/filter_chip.h"
#include "ui/views/trials/filter_entry.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {
namespace {

constexpr int min_entry_width = 140;
constexpr int min_worded_width = 420;  ///< in a narrower bar, counts are shown as numbers only

QString message_of(const analysis::FilterError& error) {
  QString message = QString::fromStdString(error.message);
  if (error.hint.empty()) return message;
  return QStringLiteral("%1 · %2").arg(message, QString::fromStdString(error.hint));
}

}  // namespace

FilterBar::FilterBar(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  flow_ = new widgets::FlowLayout(8);
  entry_ = new FilterEntry;
  entry_->setAccessibleName(tr("Filter of trials"));
  entry_->addAction(style::icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
  flow_->addWidget(entry_);
  counts_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  apply_height();
  error_ = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::warning);
  error_->setWordWrap(true);
  error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  error_->hide();

  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  line->addLayout(flow_, 1);
  line->addWidget(counts_, 0, Qt::AlignTop);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(4);
  all->addLayout(line);
  all->addWidget(error_);
  setFocusProxy(entry_);

  connect(entry_, &FilterEntry::accepted, this, &FilterBar::add_entry);
  connect(entry_, &FilterEntry::backspace_in_empty, this, [this] {
    if (!workspace_.filters().isEmpty()) take_back(workspace_.filters().last());
  });
  settle_.setSingleShot(true);
  settle_.setInterval(settle_milliseconds);
  connect(&settle_, &QTimer::timeout, this, &FilterBar::hold_entry);
  connect(entry_, &QLineEdit::textChanged, this, &FilterBar::judge_entry);
  connect(&workspace_, &workspace::Workspace::source_changed, this, &FilterBar::show_source);
  connect(&workspace_, &workspace::Workspace::source_updated, this, &FilterBar::show_counts);
  connect(&workspace_, &workspace::Workspace::filters_changed, this, &FilterBar::show_chips);
  show_source();
}

void FilterBar::focus_entry() {
  entry_->setFocus(Qt::ShortcutFocusReason);
  entry_->selectAll();
}

void FilterBar::show_source() {
  const workspace::Source& source = workspace_.source();
  setEnabled(source != nullptr);
  entry_->set_columns(source ? std::optional(source->columns()) : std::nullopt);
  entry_->setPlaceholderText(
      source ? tr("Filter: valid and %1 …")
                   .arg(source->flops() > 0 ? QStringLiteral("gflops > 100") : QStringLiteral("ms < 2"))
             : tr("Filter"));
  entry_->clear();
  show_error(std::nullopt);
  show_chips();
}

void FilterBar::show_chips() {
  show_counts();
  // All filters were removed elsewhere.
  if (held_ && workspace_.draft_filter().isEmpty()) {
    held_ = false;
    entry_->clear();
  }
  if (shown_ == workspace_.filters()) return;
  shown_ = workspace_.filters();
  // One of the chips may be the sender, because its removal changed the filters.
  for (FilterChip* chip : chips_) {
    flow_->removeWidget(chip);
    chip->hide();
    chip->deleteLater();
  }
  chips_.clear();
  for (const QString& filter : shown_) {
    FilterChip* chip = make_chip(filter);
    flow_->insert_widget(static_cast<int>(chips_.size()), chip);
    chip->show();
    chips_.append(chip);
    setTabOrder(chip, entry_);
  }
  updateGeometry();
}

FilterChip* FilterBar::make_chip(const QString& filter) {
  auto* chip = new FilterChip(filter, this);
  connect(chip, &FilterChip::removed, this, [this, filter] {
    remove(filter);
    entry_->setFocus();
  });
  connect(chip, &FilterChip::edit_requested, this, [this, filter] { take_back(filter); });
  return chip;
}

void FilterBar::apply_height() {
  const int height = FilterChip::height_for(fontMetrics());
  entry_->setMinimumSize(min_entry_width, height);
  counts_->setMinimumHeight(height);
}

void FilterBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange && counts_ != nullptr) apply_height();
}

void FilterBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  show_counts();
}

void FilterBar::show_counts() {
  const workspace::Source& source = workspace_.source();
  if (!source) {
    counts_->clear();
    return;
  }
  const std::optional<analysis::RowSet>& filtered = workspace_.filtered();
  // While new trials arrive, the filter may have judged fewer.
  const std::int64_t all = filtered ? filtered->size() : source->trials.size();
  if (width() < min_worded_width) {
    const QString count = style::format_count(all);
    counts_->setText(filtered ? QStringLiteral("%1/%2").arg(style::format_count(filtered->count()), count)
                              : count);
    counts_->setToolTip(filtered ? tr("Number of trials that pass the filters") : tr("Trials"));
    return;
  }
  counts_->setToolTip({});
  counts_->setText(
      filtered
          ? tr("%1 of %2 trials pass").arg(style::format_count(filtered->count()), style::format_count(all))
      : all == 1 ? tr("1 trial")
                 : tr("%1 trials").arg(style::format_count(all)));
}

void FilterBar::show_error(const std::optional<analysis::FilterError>& error) {
  entry_->set_error(error);
  error_->setVisible(error.has_value());
  if (!error) return;
  error_->set_colour(&style::Colours::warning);
  error_->setText(message_of(*error));
}

void FilterBar::show_hint(const QString& text) {
  error_->set_colour(&style::Colours::muted_text);
  error_->setText(text);
  error_->show();
}

/**
 * Applies the text of the entry. An invalid text keeps the previous filter; an empty entry keeps the chips.
 */
void FilterBar::hold_entry() {
  settle_.stop();
  if (!workspace_.source()) return;
  const QString text = entry_->text().trimmed();
  if (text.isEmpty()) held_ = false;
  if (!workspace_.set_draft_filter(text) || text.isEmpty()) return;
  held_ = true;
  show_hint(tr("Applied; Enter keeps it as a chip"));
}

/** Removes the unfinished filter, because a filter that is not visible must not have an effect. */
void FilterBar::hideEvent(QHideEvent* event) {
  settle_.stop();
  if (!event->spontaneous()) held_ = false;
  // A window that the desktop hides is restored unchanged.
  if (!event->spontaneous()) (void)workspace_.set_draft_filter({});
  QWidget::hideEvent(event);
}

void FilterBar::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!event->spontaneous() && !entry_->text().isEmpty()) judge_entry();
}

/**
 * Checks the text of the entry. While it is being typed it is usually incomplete at its end, so only earlier
 * errors are reported.
 */
void FilterBar::judge_entry() {
  if (!workspace_.source()) return;
  settle_.start();
  const std::string text = entry_->text().toStdString();
  const auto filter = analysis::Filter::parse(text, workspace_.source()->columns());
  if (filter || filter.error().position + filter.error().length >= text.size()) {
    show_error(std::nullopt);
    if (filter && !text.empty()) show_hint(tr("Applied when typing stops; Enter keeps it as a chip"));
  } else {
    show_error(filter.error());
  }
}

void FilterBar::add_entry() {
  const QString text = entry_->text().trimmed();
  if (text.isEmpty() || !workspace_.source()) return;
  // Checked without trimming, so that the error position matches the entry.
  const auto filter = analysis::Filter::parse(entry_->text().toStdString(), workspace_.source()->columns());
  if (!filter) {
    show_error(filter.error());
    return;
  }
  show_error(std::nullopt);
  entry_->clear();
  hold_entry();
  if (const auto added = workspace_.add_filter(text); !added) show_error(added.error());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): its chip goes meanwhile
void FilterBar::take_back(QString filter) {
  remove(filter);
  entry_->setText(filter);
  entry_->setFocus();
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): its chip goes meanwhile
void FilterBar::remove(QString filter) {
  QStringList filters = workspace_.filters();
  filters.removeOne(filter);
  if (const auto set = workspace_.set_filters(filters); !set) show_error(set.error());
}

}  // namespace kernelscape::views
