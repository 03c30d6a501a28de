#include <algorithm>
#include <numeric>

#include "core/base/random.h"
#include "ui/figures/knob_statistics.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr std::size_t max_rows = 100'000;
constexpr std::size_t shown_pairs = 6;
constexpr std::size_t shown_knobs = 16;
constexpr double min_progress = 0.01;

/**
 * Returns the training rows: all rows of a complete space; otherwise a seeded sample, so that a million
 * trials need no more memory than a hundred thousand.
 */
std::vector<std::int64_t> rows_to_learn_from(const ShownTrials& shown, bool of_validity) {
  std::vector<std::int64_t> rows;
  const analysis::PerformanceColumn performance = shown.performance_values();
  for (const std::int64_t row : shown.rows)
    if (of_validity || performance.valid(row)) rows.push_back(row);
  if (shown.source->complete() || rows.size() <= max_rows) return rows;
  base::Random random(1);
  for (std::size_t place = 0; place < max_rows; ++place)
    std::swap(rows[place], rows[place + random.below(rows.size() - place)]);
  rows.resize(max_rows);
  std::ranges::sort(rows);
  return rows;
}

/**
 * Returns the ordinal columns of the knobs: the elements of a knob that has elements, otherwise its value.
 */
std::vector<std::size_t> knob_columns(const analysis::TrialColumns& columns) {
  std::vector<std::size_t> chosen;
  const std::vector<analysis::Column>& all = columns.columns();
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (!all[index].knob) continue;
    const bool has_elements = std::ranges::any_of(all, [&](const analysis::Column& other) {
      return other.knob == all[index].knob && other.element >= 0;
    });
    if (!has_elements || all[index].element >= 0) chosen.push_back(index);
  }
  return chosen;
}

std::vector<charts::ImportanceBar> bars_of(const analysis::Importance& importance,
                                           const space::SearchSpace& space) {
  std::vector<charts::ImportanceBar> bars;
  const auto name = [&](std::size_t knob) { return QString::fromStdString(space.knobs()[knob].name()); };
  for (std::size_t knob = 0; knob < importance.knobs.size(); ++knob)
    bars.push_back({name(knob), importance.knobs[knob], static_cast<int>(knob), -1});
  std::ranges::stable_sort(bars, std::greater(), &charts::ImportanceBar::share);
  if (bars.size() > shown_knobs) bars.resize(shown_knobs);
  for (const analysis::PairImportance& pair : importance.pairs) {
    if (bars.size() >= std::min(importance.knobs.size(), shown_knobs) + shown_pairs) break;
    bars.push_back({name(pair.first) + QStringLiteral(" × ") + name(pair.second), pair.share,
                    static_cast<int>(pair.first), static_cast<int>(pair.second)});
  }
  return bars;
}

QString basis_of(const analysis::Importance& importance, std::int64_t rows, bool of_validity) {
  const QString kind = of_validity ? figure_text("trials") : figure_text("valid trials");
  const double alone = std::accumulate(importance.knobs.begin(), importance.knobs.end(), 0.0);
  const QString shares =
      figure_text("single knobs %1, all pairs %2, interactions of three and more %3")
          .arg(style::format_percent(alone), style::format_percent(importance.all_pairs),
               style::format_percent(std::clamp(1 - alone - importance.all_pairs, 0.0, 1.0)));
  if (importance.exact) {
    const QString exact = figure_text("Exact, of the variance among all %1 %2 of the space: %3.")
                              .arg(style::format_count(rows), kind, shares);
    if (importance.independent) return exact;
    return exact + QLatin1Char(' ') +
           figure_text(
               "These are not all combinations of values, so knobs depend on each other: what "
               "several explain together counts once, for the strongest of them.");
  }
  return figure_text("Random forest on %1 of the %2 %3 shown, out-of-bag R² %4: %5.")
      .arg(style::format_count(importance.sample), style::format_count(rows), kind,
           style::format_number(importance.out_of_bag_r2.value_or(0), 2), shares);
}

QString decided(bool of_validity) {
  return of_validity ? figure_text("validity") : figure_text("performance");
}

Figure drawn(const FigureOf<charts::ImportanceData>& figure) {
  return make_figure<charts::ImportanceChart>(figure, bars_height(figure.data.bars.size() + 3));
}

}  // namespace

Text importance_text(const ShownTrials& shown, bool of_validity) {
  return {.title = figure_text("Parameter importance (fANOVA) for %1").arg(decided(of_validity)),
          .of = shown.origin_text(),
          .caption = figure_text("Shares of the variance that a knob explains alone, and that a pair "
                                 "explains beyond single knobs (functional analysis of variance).")};
}

FigureOf<charts::ImportanceData> importance_of(const ShownTrials& shown, bool of_validity,
                                               const workspace::JobControl& control) {
  FigureOf<charts::ImportanceData> figure;
  figure.text = importance_text(shown, of_validity);
  figure.data.of_what = decided(of_validity);
  if (shown.valid == 0 && !of_validity) {
    figure.text.notice =
        shown.source->build_only()
            ? figure_text(
                  "Build only: choose \"validity\" to see the importance of knobs for whether a kernel can "
                  "be built.")
            : figure_text(
                  "No valid trial yet: choose \"validity\" to see the importance of knobs for validity.");
    return figure;
  }
  const std::vector<std::int64_t> sample = rows_to_learn_from(shown, of_validity);
  const trial::Snapshot& trials = shown.source->trials;
  const analysis::TrialColumns& columns = shown.source->columns();
  // Copy only the training rows; the forests then see rows without gaps.
  std::vector<std::vector<double>> values;
  std::vector<analysis::KnobColumn> knobs;
  for (const std::size_t column : knob_columns(columns)) {
    if (!control.proceed()) return figure;
    std::vector<double>& copied = values.emplace_back();
    for (const std::int64_t row : sample) copied.push_back(columns.value(trials, row, column));
    knobs.push_back({*shown.column(column).knob, {}});
  }
  for (std::size_t index = 0; index < knobs.size(); ++index) knobs[index].values = values[index];
  const analysis::PerformanceColumn known =
      of_validity ? shown.validity_values() : shown.performance_values();
  std::vector<double> performance;
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : sample) {
    rows.push_back(std::ssize(rows));
    performance.push_back(known.at(row));
  }
  analysis::ImportanceOptions options;
  options.complete = shown.source->complete() && shown.filters.isEmpty();
  const analysis::PerformanceColumn column{performance, shown.higher_is_better};
  double reported = 0;
  const auto proceed = [&](double share_done) {
    if (share_done >= reported + min_progress) control.report(reported = share_done);
    return control.proceed();
  };
  const Result<analysis::Importance> importance =
      of_validity ? analysis::validity_importance(knobs, column, rows, options, proceed)
                  : analysis::performance_importance(knobs, column, rows, options, proceed);
  if (!importance) {
    figure.text.notice = QString::fromStdString(describe(importance.error()));
    return figure;
  }
  const std::int64_t all = of_validity ? std::ssize(shown.rows) : shown.valid;
  figure.data.basis = basis_of(*importance, all, of_validity);
  figure.data.bars = bars_of(*importance, shown.source->space());
  if (!importance->explains())
    figure.text.notice =
        figure_text("The knobs do not explain %1 here.\n%2\nRun more trials, or remove filters.")
            .arg(figure.data.of_what, figure.data.basis);
  return figure;
}

namespace {

/** Returns the importance for performance, then for validity if it can be estimated. */
std::vector<Figure> importance_figures(const Source& source, const workspace::JobControl& control) {
  const ShownTrials& shown = *source.shown;
  std::vector<Figure> figures{
      drawn(source.importance ? *source.importance : importance_of(shown, false, control))};
  if (shown.valid == std::ssize(shown.rows)) return figures;
  const FigureOf<charts::ImportanceData> validity = importance_of(shown, true, control);
  if (validity.text.notice.isEmpty()) figures.push_back(drawn(validity));
  return figures;
}

}  // namespace

Kind importance_figure_kind() {
  return figure_kind<charts::ImportanceChart>("importance", Place::Explore, ReportPart::Knobs,
                                              importance_figures);
}

}  // namespace kernelscape::figures
