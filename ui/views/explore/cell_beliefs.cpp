#include "ui/views/explore/cell_beliefs.h"

#include <utility>

#include "core/analysis/landscape/heat_map.h"
#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

constexpr double growth_to_believe_again = 1.1;
constexpr double min_progress = 0.01;

}  // namespace

BeliefOutcome beliefs_of(const figures::ShownTrials& shown, std::size_t x_column, std::size_t y_column,
                         const workspace::JobControl& control) {
  const std::vector<double> x_values = figures::column_values(shown, x_column, control);
  const std::vector<double> y_values = figures::column_values(shown, y_column, control);
  if (!control.proceed()) return {};
  // the trials of the heat map
  const auto x_bins = analysis::ValueBins::by_rank(x_values, shown.rows, analysis::HeatMap::max_values);
  const auto y_bins = analysis::ValueBins::by_rank(y_values, shown.rows, analysis::HeatMap::max_values);
  const space::SearchSpace& space = shown.source->space();
  const analysis::TrialColumns& columns = shown.source->columns();
  double reported = 0;
  const auto proceed = [&](double share_done) {
    if (share_done >= reported + min_progress) control.report(reported = share_done);
    return control.proceed();
  };
  Result<analysis::BelievedCells> cells =
      analysis::believed_cells(space, shown.source->trials, shown.source->flops(),
                               analysis::cell_axis(space, columns, x_column, x_bins),
                               analysis::cell_axis(space, columns, y_column, y_bins), {}, proceed);
  if (!cells) return {{}, QString::fromStdString(describe(cells.error()))};
  return {std::move(*cells), {}};
}

bool CellBeliefs::Query::same_kind(const Query& other) const {
  return shown && other.shown && shown->source->id() == other.shown->source->id() &&
         shown->filters == other.shown->filters && x_column == other.x_column && y_column == other.y_column;
}

CellBeliefs::CellBeliefs(QObject* parent) : QObject(parent) {
  connect(&jobs_, &workspace::JobTracker::progressed, this, [this](double fraction) {
    progress_ = fraction;
    emit progressed();
  });
}

bool CellBeliefs::is_fresh(const Query& query) const {
  if (!latest_.same_kind(query)) return false;
  const std::int64_t learnt = latest_.shown->source->trials.size();
  const std::int64_t now = query.shown->source->trials.size();
  if (jobs_.busy() || learnt == now) return true;
  return query.shown->source->running() &&
         static_cast<double>(now) < growth_to_believe_again * static_cast<double>(learnt);
}

figures::Shown CellBeliefs::follow(const figures::Shown& shown, std::size_t x_column, std::size_t y_column) {
  const Query query{shown, x_column, y_column};
  if (!learnt_.of.same_kind(query)) learnt_ = {};
  if (!is_fresh(query)) {
    latest_ = query;
    progress_ = 0;
    jobs_.start(
        [query](const workspace::JobControl& control) {
          return beliefs_of(*query.shown, query.x_column, query.y_column, control);
        },
        [this, query](BeliefOutcome outcome) {
          learnt_ = {query, std::move(outcome)};
          emit changed();
        });
  }
  return learnt_.of.shown ? learnt_.of.shown : latest_.shown;
}

void CellBeliefs::forget() {
  jobs_.cancel();
  latest_ = {};
  learnt_ = {};
}

QString CellBeliefs::notice() const {
  if (learnt_.of.shown) return learnt_.outcome.notice;
  const QString doing = tr("Predicting each cell");
  return progress_ > 0 ? doing + QStringLiteral(": ") + style::format_percent(progress_)
                       : doing + QStringLiteral(" ...");
}

QString CellBeliefs::origin_text() const {
  const analysis::BelievedCells& cells = learnt_.outcome.cells;
  if (cells.cells.empty()) return {};
  if (cells.learnt_from == cells.valid)
    return tr("predicted by a Gaussian process from %1 valid trials").arg(style::format_count(cells.valid));
  return tr("predicted by a Gaussian process from %1 of %2 valid trials")
      .arg(style::format_count(cells.learnt_from), style::format_count(cells.valid));
}

}  // namespace kernelscape::views
