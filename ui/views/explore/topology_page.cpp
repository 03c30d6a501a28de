#include "ui/views/explore/topology_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <algorithm>

#include "ui/charts/curves/walk_distance_chart.h"
#include "ui/style/numbers.h"
#include "ui/views/explore/walk_rate.h"
#include "ui/widgets/flow_layout.h"

namespace kernelscape::views {
namespace {

constexpr int control_spacing = 8;

/** Returns a label and its box as one widget, so that a line break does not separate them. */
QWidget* labelled(const QString& text, QComboBox* box) {
  auto* label = new QLabel(text);
  label->setBuddy(box);
  auto* both = new QWidget;
  auto* line = new QHBoxLayout(both);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(control_spacing);
  line->addWidget(label);
  line->addWidget(box);
  return both;
}

}  // namespace

TopologyPage::TopologyPage(workspace::Workspace& workspace, WalkRate& rate, QWidget* parent)
    : ExplorePage(workspace, tr("Topology"), parent),
      rate_(rate),
      graph_(new charts::TopologyChart(this)),
      distances_(new charts::WalkDistanceChart(this)) {
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(make_panel({}, graph_));
  splitter->addWidget(make_panel({}, distances_));
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(make_controls());
  layout->addWidget(splitter, 1);
  connect(graph_, &charts::TopologyChart::start_activated, this, &TopologyPage::start_at);
  connect(&rate_, &WalkRate::changed, this, &TopologyPage::refresh_after_job);
}

QWidget* TopologyPage::make_controls() {
  knob_box_ = new QComboBox;
  knob_box_->setAccessibleName(tr("Knob whose topology is shown"));
  knob_box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  knob_box_->setMinimumContentsLength(14);
  colour_box_ = new QComboBox;
  colour_box_->addItems({tr("probability"), tr("best measured")});
  colour_box_->setAccessibleName(tr("Colour of the values"));
  back_ = new QPushButton(tr("Back to the current trial's value"));
  back_->setEnabled(false);
  auto* controls = new QWidget;
  auto* lines = new widgets::FlowLayout(control_spacing);
  controls->setLayout(lines);
  for (QWidget* control :
       std::initializer_list<QWidget*>{labelled(tr("Topology of"), knob_box_),
                                       labelled(tr("by"), colour_box_), back_, new WalkRateControl(rate_)})
    lines->addWidget(control);
  connect(knob_box_, &QComboBox::currentIndexChanged, this, [this] {
    chosen_.reset();
    refresh();
  });
  connect(colour_box_, &QComboBox::currentIndexChanged, this, &TopologyPage::show_graph);
  connect(back_, &QPushButton::clicked, this, [this] {
    chosen_.reset();
    refresh();
  });
  return controls;
}

void TopologyPage::fill_knobs() {
  QStringList names;
  for (const space::Knob& knob : shown()->source->space().knobs())
    names.append(QString::fromStdString(knob.name()));
  bool same = names.size() == knob_box_->count();
  for (int index = 0; same && index < knob_box_->count(); ++index)
    same = knob_box_->itemText(index) == names[index];
  if (same) return;
  const QSignalBlocker quiet(knob_box_);
  const QString kept = knob_box_->currentText();
  knob_box_->clear();
  knob_box_->addItems(names);
  knob_box_->setCurrentIndex(std::max(0, knob_box_->findText(kept)));
}

void TopologyPage::start_at(std::uint32_t value) {
  chosen_ = value;
  refresh();
}

std::optional<std::int64_t> TopologyPage::current_row() {
  const std::int64_t row = workspace().current_row();
  return row >= 0 && row < shown()->source->trials.size() ? std::optional(row) : std::nullopt;
}

/** Returns true if a knob has a value to move to. */
bool TopologyPage::has_content(const figures::ShownTrials& shown) {
  return std::ranges::any_of(shown.source->space().knobs(),
                             [](const space::Knob& knob) { return knob.count() > 1; });
}

void TopologyPage::compute() {
  fill_knobs();
  const figures::TopologyQuery wanted =
      figures::topology_query(shown(), workspace().selection(),
                              static_cast<std::size_t>(knob_box_->currentIndex()), current_row(), chosen_);
  back_->setEnabled(chosen_.has_value());
  back_->setText(current_row() ? tr("Back to the current trial's value")
                               : tr("Back to the best trial's value"));
  if (!figures::obstacle_of(wanted).isEmpty()) {
    jobs().cancel();
    return show_outcome(figures::topology_of(wanted, rate_.q(), outcome_.parts, figures::uncontrolled_job()));
  }
  jobs().start(
      [wanted, q = rate_.q(), before = outcome_.parts](const workspace::JobControl& control) {
        return figures::topology_of(wanted, q, before, control);
      },
      [this](figures::TopologyOutcome outcome) { show_outcome(std::move(outcome)); });
}

void TopologyPage::show_outcome(figures::TopologyOutcome outcome) {
  outcome_ = std::move(outcome);
  show_graph();
  figures::walk_figure(outcome_).show_in(*distances_);
}

void TopologyPage::show_graph() {
  if (!outcome_.of.shown) return;
  figures::topology_figure(outcome_, static_cast<charts::TopologyColour>(colour_box_->currentIndex()))
      .show_in(*graph_);
}

void TopologyPage::forget() {
  chosen_.reset();
  outcome_ = {};
}

}  // namespace kernelscape::views
