#include "ui/views/explore/slices_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <algorithm>

namespace kernelscape::views {
namespace {

constexpr std::int64_t min_valid_trials = 5;
constexpr int of_current_trial = 1;  // the position in the box of bases

QComboBox* slice_box(const QString& accessible_name) {
  auto* box = new QComboBox;
  box->setAccessibleName(accessible_name);
  box->setToolTip(accessible_name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(12);
  box->setMaxVisibleItems(24);
  return box;
}

QLabel* slice_label(const QString& text, QWidget* buddy) {
  auto* label = new QLabel(text);
  label->setBuddy(buddy);
  return label;
}

std::size_t chosen_knob(const QComboBox& box) {
  return static_cast<std::size_t>(box.currentData().toULongLong());
}

}  // namespace

SlicesPage::SlicesPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Slices"), parent),
      x_box_(slice_box(tr("Knob of the slice"))),
      y_box_(slice_box(tr("Second knob of the contours"))),
      base_box_(slice_box(tr("Trial that gives the other knobs"))),
      slice_(new charts::SliceChart(this)),
      contour_(new charts::HeatMapChart(this)) {
  base_box_->addItems({tr("the best trial"), tr("the current trial")});
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(make_panel(
      {slice_label(tr("Knob"), x_box_), x_box_, slice_label(tr("others as in"), base_box_), base_box_},
      slice_));
  splitter->addWidget(make_panel({slice_label(tr("Second knob"), y_box_), y_box_}, contour_));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  for (QComboBox* box : {x_box_, y_box_, base_box_})
    connect(box, &QComboBox::currentIndexChanged, this, &SlicesPage::refresh);
  connect(contour_, &charts::HeatMapChart::cell_activated, this, &SlicesPage::open_cell);
}

/** Returns true if there are enough trials for a model, and a knob with several values. */
bool SlicesPage::has_content(const figures::ShownTrials& shown) {
  return shown.valid >= min_valid_trials &&
         std::ranges::any_of(shown.source->space().knobs(),
                             [](const space::Knob& knob) { return knob.count() > 1; });
}

/** Offers the knobs of the source; an equal list is not replaced, so that the choice is kept. */
void SlicesPage::fill_boxes() {
  const std::vector<space::Knob>& knobs = shown()->source->space().knobs();
  QStringList names;
  for (const space::Knob& knob : knobs) names.append(QString::fromStdString(knob.name()));
  QStringList offered;
  for (int index = 0; index < x_box_->count(); ++index) offered.append(x_box_->itemText(index));
  if (names == offered) return;
  const auto [x, y] = figures::slice_knobs(shown()->source->space());
  for (const auto& [box, chosen] : {std::pair(x_box_, x), std::pair(y_box_, y)}) {
    const QSignalBlocker quiet(box);
    box->clear();
    for (std::size_t knob = 0; knob < knobs.size(); ++knob)
      box->addItem(names[static_cast<qsizetype>(knob)], QVariant::fromValue<qulonglong>(knob));
    box->setCurrentIndex(static_cast<int>(chosen));
  }
}

std::optional<std::int64_t> SlicesPage::base_row() {
  const std::int64_t row = workspace().current_row();
  return base_box_->currentIndex() == of_current_trial && row >= 0 ? std::optional(row) : std::nullopt;
}

void SlicesPage::compute() {
  fill_boxes();
  shown_base_ = base_row();
  figures::SliceQuery query{shown(), chosen_knob(*x_box_), chosen_knob(*y_box_), shown_base_};
  jobs().start(
      [query = std::move(query), before = trained_](const workspace::JobControl& control) {
        return figures::slices_of(query, before, control);
      },
      [this](const figures::SliceOutcome& outcome) { show_outcome(outcome); });
}

void SlicesPage::show_outcome(const figures::SliceOutcome& outcome) {
  trained_ = outcome.trained;
  outcome.slice.show_in(*slice_);
  outcome.contour.show_in(*contour_);
}

/** Follows the current trial if it gives the other knobs. */
void SlicesPage::show_current() {
  if (base_row() != shown_base_) refresh();
}

void SlicesPage::forget() { trained_ = {}; }

void SlicesPage::open_cell(int x, int y) {
  const charts::HeatMapData& map = contour_->data();
  const auto cell = static_cast<std::size_t>(y) * map.x_labels.size() + static_cast<std::size_t>(x);
  if (cell < map.cells.size() && map.cells[cell].best_row >= 0)
    workspace().set_current_row(map.cells[cell].best_row);
}

}  // namespace kernelscape::views
