#include "ui/views/explore/neighbourhood_page.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/landscape/neighbourhood.h"
#include "core/analysis/landscape/random_walk.h"
#include "ui/style/numbers.h"
#include "ui/views/explore/walk_rate.h"

namespace kernelscape::views {
namespace {

/** Limits the list: no user reads more rows, and one categorical knob may have four million values. */
constexpr std::size_t max_neighbours = 20'000;

/** Returns the measured trials that differ from a configuration in one knob, by that knob and its value. */
std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t> measured_beside(
    const trial::Snapshot& trials, const space::Configuration& centre, const workspace::JobControl& control) {
  std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t> found;
  for (std::int64_t row = 0; row < trials.size(); ++row) {
    if (row % workspace::rows_at_once == 0 && !control.proceed()) break;
    std::size_t different = 0;
    std::pair<std::size_t, std::uint32_t> change;
    for (std::size_t knob = 0; knob < trials.knob_count() && different < 2; ++knob) {
      const std::uint32_t index = trials.knob_index(row, knob);
      if (index == centre.indices[knob]) continue;
      ++different;
      change = {knob, index};
    }
    if (different == 1) found.try_emplace(change, row);
  }
  return found;
}

}  // namespace

/** The result of a neighbourhood page's job. */
struct NeighbourhoodOutcome {
  std::vector<NeighbourRow> neighbours;
  std::size_t all = 0;       ///< including neighbours that are not listed
  std::size_t measured = 0;  ///< number of all neighbours that were measured
  double stays = 0;          ///< probability that the walk changes nothing
  QString problem;           ///< why there are no probabilities
  QString unit;
};

namespace {

NeighbourRow describe_neighbour(const figures::ShownTrials& shown, const analysis::NeighbourMove& move,
                                double current) {
  const space::SearchSpace& space = shown.source->space();
  const space::Knob& knob = space.knobs()[move.knob];
  NeighbourRow neighbour;
  neighbour.knob = QString::fromStdString(knob.name());
  neighbour.move = QString::fromStdString(move.text);
  neighbour.value = QString::fromStdString(knob.describe(move.configuration.indices[move.knob]));
  neighbour.full = QString::fromStdString(space.describe(move.configuration));
  neighbour.row = move.row.value_or(analysis::no_row);
  if (!move.row) return neighbour;
  const trial::Row row = shown.source->trials.row(*move.row);
  neighbour.trial = row.number;
  neighbour.category = row.category;
  const analysis::PerformanceColumn performance = shown.performance_values();
  if (!performance.valid(*move.row)) return neighbour;
  neighbour.performance = performance.at(*move.row);
  neighbour.better = std::isfinite(current) && performance.better(neighbour.performance, current);
  return neighbour;
}

NeighbourhoodOutcome neighbours_of(const figures::ShownTrials& shown, std::int64_t centre, double q,
                                   const workspace::JobControl& control) {
  NeighbourhoodOutcome outcome;
  outcome.unit = shown.unit();
  const space::SearchSpace& space = shown.source->space();
  const space::Configuration from = shown.source->trials.configuration(centre);
  const auto measured = measured_beside(shown.source->trials, from, control);
  const auto find_row = [&](const space::Configuration& to) -> std::optional<std::int64_t> {
    const auto change = std::ranges::mismatch(to.indices, from.indices);
    const auto knob = static_cast<std::size_t>(change.in1 - to.indices.begin());
    const auto found = measured.find({knob, *change.in1});
    return found == measured.end() ? std::nullopt : std::optional(found->second);
  };
  if (!control.proceed()) return outcome;
  const std::vector<analysis::NeighbourMove> moves = analysis::neighbour_moves(space, from, find_row);
  if (!control.proceed()) return outcome;
  const Result<analysis::MutationDistribution> walk = analysis::MutationDistribution::make(space, from, q);
  if (walk) {
    outcome.stays = walk->probability(from);
  } else {
    outcome.problem = QString::fromStdString(describe(walk.error()));
  }
  outcome.all = moves.size();
  const double current = shown.performance[static_cast<std::size_t>(centre)];
  for (const analysis::NeighbourMove& move : moves) {
    if (move.row) ++outcome.measured;
    if (outcome.neighbours.size() >= max_neighbours) continue;
    if (outcome.neighbours.size() % 256 == 0 && !control.proceed()) return outcome;
    outcome.neighbours.push_back(describe_neighbour(shown, move, current));
    outcome.neighbours.back().probability = walk ? walk->probability(move.configuration) : std::nan("");
  }
  return outcome;
}

}  // namespace

NeighbourhoodPage::NeighbourhoodPage(workspace::Workspace& workspace, WalkRate& rate, QWidget* parent)
    : ExplorePage(workspace, tr("Neighbourhood"), parent),
      rate_(rate),
      trial_(new QLabel),
      caption_(new QLabel),
      stack_(new QStackedWidget),
      nothing_(new QWidget),
      model_(new NeighbourModel(this)) {
  trial_->setTextFormat(Qt::PlainText);
  caption_->setTextFormat(Qt::PlainText);
  trial_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QLabel* label : {trial_, caption_}) label->setWordWrap(true);
  make_nothing();
  table_ = make_table(tr("Neighbours of the current trial"), model_, {16, 36, 22, 17, 14, 14, 20});
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  stack_->addWidget(nothing_);
  stack_->addWidget(table_);
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  line->addWidget(caption_, 1);
  line->addWidget(new WalkRateControl(rate_));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(trial_);
  layout->addLayout(line);
  layout->addWidget(stack_, 1);
  connect(table_, &QTableView::activated, this, &NeighbourhoodPage::go_to);
  connect(table_, &QTableView::doubleClicked, this, &NeighbourhoodPage::go_to);
  connect(&rate_, &WalkRate::changed, this, &NeighbourhoodPage::refresh_after_job);
}

void NeighbourhoodPage::make_nothing() {
  auto* text = new QLabel(tr("Choose a trial in a chart: its neighbours in the space are listed here."));
  text->setAlignment(Qt::AlignCenter);
  text->setWordWrap(true);
  best_ = new QPushButton(tr("Show the best trial"));
  auto* column = new QVBoxLayout(nothing_);
  column->addStretch(1);
  column->addWidget(text);
  column->addSpacing(8);
  column->addWidget(best_, 0, Qt::AlignHCenter);
  column->addStretch(1);
  connect(best_, &QPushButton::clicked, this, [this] {
    if (const workspace::Source& source = workspace().source())
      workspace().set_current_row(source->headline.row);
  });
}

void NeighbourhoodPage::show_nothing() {
  jobs().cancel();
  trial_->clear();
  caption_->clear();
  shown_row_ = analysis::no_row;
  const workspace::Source& source = workspace().source();
  best_->setVisible(source && source->headline.row != analysis::no_row);
  stack_->setCurrentWidget(nothing_);
}

/** Returns true if there is a current trial, whose neighbours are listed. */
bool NeighbourhoodPage::has_content(const figures::ShownTrials& shown) {
  const std::int64_t row = workspace().current_row();
  return row >= 0 && row < shown.source->trials.size();
}

void NeighbourhoodPage::compute() {
  const std::int64_t row = workspace().current_row();
  if (row < 0 || row >= shown()->source->trials.size()) return show_nothing();
  const trial::Row trial = shown()->source->trials.row(row);
  const auto performance = current_value(shown()->performance_column);
  const std::string_view category = trial::to_string(trial.category);
  const QString outcome = performance
                              ? style::format_quantity(*performance, shown()->unit())
                              : QString::fromUtf8(category.data(), static_cast<qsizetype>(category.size()));
  const std::string configuration =
      shown()->source->space().describe(shown()->source->trials.configuration(row));
  trial_->setText(
      tr("Trial %1, %2: %3")
          .arg(style::format_count(trial.number), outcome, QString::fromStdString(configuration)));
  jobs().start([shown = shown(), row, q = rate_.q()](
                   const workspace::JobControl& control) { return neighbours_of(*shown, row, q, control); },
               [this, row](NeighbourhoodOutcome done) {
                 const bool same = row == shown_row_;
                 shown_row_ = row;
                 const int position = table_->verticalScrollBar()->value();
                 const int chosen = table_->currentIndex().row();
                 show_outcome(std::move(done));
                 if (!same) return;
                 if (chosen >= 0) table_->setCurrentIndex(model_->index(chosen, 0));
                 table_->verticalScrollBar()->setValue(position);
               });
}

void NeighbourhoodPage::show_outcome(NeighbourhoodOutcome outcome) {
  QString caption = tr("%1 neighbours, %2 measured")
                        .arg(style::format_count(static_cast<qint64>(outcome.all)),
                             style::format_count(static_cast<qint64>(outcome.measured)));
  if (outcome.neighbours.size() < outcome.all)
    caption += tr("; the first %1 are listed").arg(style::format_count(std::ssize(outcome.neighbours)));
  caption += outcome.problem.isEmpty()
                 ? tr("; probability of staying %1").arg(style::format_percent(outcome.stays))
                 : tr("; no probabilities: %1").arg(outcome.problem);
  caption_->setText(caption);
  caption_->setToolTip(outcome.problem);
  model_->set_neighbours(std::move(outcome.neighbours), outcome.unit);
  stack_->setCurrentWidget(table_);
}

void NeighbourhoodPage::go_to(const QModelIndex& index) {
  if (!index.isValid()) return;
  const NeighbourRow& neighbour = model_->neighbours()[static_cast<std::size_t>(index.row())];
  if (neighbour.row == analysis::no_row) {
    emit notified(tr("This neighbour was not measured: it has no trial to go to."));
  } else {
    workspace().set_current_row(neighbour.row);
  }
}

}  // namespace kernelscape::views
