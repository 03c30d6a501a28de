#include "ui/views/trials/resource_panel.h"

#include <QFormLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "ui/models/trial_values.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/occupancy_bar.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int min_width_beside = 80 * style::grid_pixels;
constexpr std::size_t fact_count = 6;

const std::array<const char*, fact_count> fact_names = {
    QT_TRANSLATE_NOOP("ResourcePanel", "registers of a thread"),
    QT_TRANSLATE_NOOP("ResourcePanel", "spilled by a thread"),
    QT_TRANSLATE_NOOP("ResourcePanel", "shared memory of a block"),
    QT_TRANSLATE_NOOP("ResourcePanel", "threads of a block"),
    QT_TRANSLATE_NOOP("ResourcePanel", "block"),
    QT_TRANSLATE_NOOP("ResourcePanel", "grid")};

QString size_text(std::int64_t bytes) { return style::format_bytes(static_cast<double>(bytes)); }

/** Returns "64 of at most 255"; the limit is left out if it is not known. */
QString limited_text(const QString& text, std::int64_t limit, const QString& limit_text) {
  return limit > 0 ? ResourcePanel::tr("%1 of at most %2").arg(text, limit_text) : text;
}

QString extents_text(const std::array<std::int64_t, 3>& extents) {
  return QStringLiteral("%1 × %2 × %3")
      .arg(style::format_count(extents[0]), style::format_count(extents[1]), style::format_count(extents[2]));
}

/** Returns the facts in the order of fact_names; a dash for an unknown fact. */
std::array<QString, fact_count> fact_texts(const schedule::TargetDescription& target,
                                           const workspace::TrialDetails& details) {
  std::array<QString, fact_count> texts;
  texts.fill(style::no_number());
  if (details.trial.measurement.resources) {
    const trial::KernelResources& resources = *details.trial.measurement.resources;
    if (resources.registers > 0)
      texts[0] = limited_text(style::format_count(resources.registers), target.registers_per_thread,
                              style::format_count(target.registers_per_thread));
    texts[1] = models::spilled_text(resources);
    texts[2] =
        limited_text(size_text(resources.shared_bytes), target.shared_bytes, size_text(target.shared_bytes));
    texts[3] = limited_text(style::format_count(resources.threads), target.threads_per_block,
                            style::format_count(target.threads_per_block));
  }
  if (!details.source_text.empty()) {
    texts[4] = extents_text(details.launch.block);
    texts[5] = extents_text(details.launch.grid);
  }
  return texts;
}

}  // namespace

ResourcePanel::ResourcePanel(QWidget* parent) : QWidget(parent) {
  log_ = new CodePanel(widgets::CodeLanguage::Plain, tr("Compile log"));
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setAccessibleName(tr("Resources of the kernel"));
  scroll->setWidget(make_facts());
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  splitter_ = new QSplitter(Qt::Vertical);
  splitter_->setChildrenCollapsible(false);
  splitter_->addWidget(scroll);
  splitter_->addWidget(log_);
  splitter_->setStretchFactor(1, 1);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(splitter_);
  connect(log_, &CodePanel::notified, this, &ResourcePanel::notified);
}

QWidget* ResourcePanel::make_facts() {
  auto* page = new QWidget;
  auto* form = new QFormLayout(page);
  form->setContentsMargins(2 * style::grid_pixels, style::grid_pixels, style::grid_pixels,
                           style::grid_pixels);
  form->setVerticalSpacing(style::grid_pixels / 2);
  form->setHorizontalSpacing(2 * style::grid_pixels);
  form->setRowWrapPolicy(QFormLayout::DontWrapRows);
  form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
  const auto make_name = [](const QString& text) {
    auto* label = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
    label->setText(text);
    return label;
  };
  occupancy_ = new OccupancyBar;
  form->addRow(make_name(tr("occupancy")), occupancy_);
  for (const char* name : fact_names) {
    names_.push_back(make_name(tr(name)));
    values_.push_back(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text));
    values_.back()->setTextInteractionFlags(Qt::TextSelectableByMouse);
    values_.back()->setWordWrap(true);
    values_.back()->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    form->addRow(names_.back(), values_.back());
  }
  return page;
}

/** Places the log beside the facts if both fit, else below them. */
void ResourcePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  splitter_->setOrientation(width() >= min_width_beside ? Qt::Horizontal : Qt::Vertical);
}

void ResourcePanel::show_trial(const workspace::SourceData& source, const workspace::TrialDetails& details) {
  if (!source.has_resources()) return;
  const trial::Measurement& measurement = details.trial.measurement;
  const std::array<QString, fact_count> texts =
      fact_texts(source.origin->target.value_or(schedule::TargetDescription()), details);
  for (std::size_t fact = 0; fact < fact_count; ++fact) values_[fact]->setText(texts[fact]);
  occupancy_->set_resources(measurement.resources.value_or(trial::KernelResources()));
  if (!measurement.build_log.empty()) {
    log_->set_code(QString::fromStdString(measurement.build_log), tr("compiler output"));
  } else if (measurement.resources) {
    log_->set_state(tr("The compiler printed nothing."));
  } else {
    log_->set_state(
        tr("This kernel was not built, so its resources are not known. The tab Message shows the reason."));
  }
}

QStringList ResourcePanel::facts() const {
  QStringList texts;
  for (std::size_t fact = 0; fact < fact_count; ++fact)
    texts.append(QStringLiteral("%1: %2").arg(names_[fact]->text(), values_[fact]->text()));
  return texts;
}

}  // namespace kernelscape::views
