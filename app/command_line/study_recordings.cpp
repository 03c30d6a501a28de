#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/command_line/console.h"
#include "app/command_line/report_text.h"
#include "app/command_line/study_text.h"
#include "core/analysis/distribution.h"
#include "core/base/numbers.h"
#include "core/base/quantile.h"
#include "core/task/task.h"

namespace kernelscape::command_line {
namespace {

constexpr std::array below_best = {0.01, 0.02, 0.05, 0.10, 0.20, 0.50};
constexpr std::array quantile_shares = {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0};
constexpr std::size_t histogram_bins = 20;
constexpr std::size_t histogram_cells = 40;

/** What the rows of a recorded space say together. */
struct SpaceAnalysis {
  analysis::ErrorBreakdown errors;
  double flops = 0;
  std::vector<double> performance;  ///< by row: GFLOP/s, or calls per second; NaN: failed
  std::vector<std::int64_t> rows;
  std::vector<analysis::TopPoint> from_top;
};

double task_flops(const trial::Recording& recording) {
  const Result<task::Task> task = task::task_from_json(recording.header().task_json);
  return task ? task->flops() : 0;
}

SpaceAnalysis analyse(const trial::Recording& recording) {
  SpaceAnalysis analysis;
  analysis.flops = task_flops(recording);
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    const trial::ErrorCategory category = recording.category(row);
    analysis.errors.categories[static_cast<std::size_t>(category)] +=
        analysis::CategoryTotals{1, recording.build_seconds(row), recording.run_seconds(row)};
    const double seconds = category == trial::ErrorCategory::NoError ? recording.seconds(row) : 0;
    const double speed = analysis.flops > 0 ? base::gflops_of(analysis.flops, seconds) : 1 / seconds;
    analysis.performance.push_back(seconds > 0 ? speed : std::numeric_limits<double>::quiet_NaN());
  }
  analysis.rows.resize(recording.size());
  std::iota(analysis.rows.begin(), analysis.rows.end(), 0);
  analysis.from_top = analysis::distribution_from_top({analysis.performance}, analysis.rows);
  return analysis;
}

/** Share of all configurations that are at most so much slower than the best. */
double share_within(const SpaceAnalysis& analysis, double below) {
  double share = 0;
  for (const analysis::TopPoint& point : analysis.from_top) {
    if (point.below_best <= below) share = point.share;
  }
  return share;
}

std::vector<double> valid_performance(const SpaceAnalysis& analysis) {
  std::vector<double> valid;
  for (const double value : analysis.performance) {
    if (std::isfinite(value)) valid.push_back(value);
  }
  std::ranges::sort(valid);
  return valid;
}

std::string performance_text(const SpaceAnalysis& analysis, double performance) {
  if (analysis.flops > 0) return fmt::format("{:.4g} GFLOPS", performance);
  return base::time_text(1 / performance);
}

base::TerminalText histogram_text(const SpaceAnalysis& analysis) {
  const analysis::Histogram bins =
      analysis::histogram({analysis.performance}, analysis.rows, histogram_bins, false);
  if (bins.counts.empty()) return {};
  const auto most = static_cast<double>(std::ranges::max(bins.counts));
  TextTable table({"from", "to", "configurations", ""});
  for (std::size_t bin = 0; bin < bins.counts.size(); ++bin) {
    const auto cells = std::ceil(static_cast<double>(bins.counts[bin]) / most * histogram_cells);
    table.add({performance_text(analysis, bins.edges[bin]), performance_text(analysis, bins.edges[bin + 1]),
               std::to_string(bins.counts[bin]), std::string(static_cast<std::size_t>(cells), '#')});
  }
  return "\n" + table.text();
}

base::TerminalText distribution_text(const SpaceAnalysis& analysis) {
  const std::vector<double> valid = valid_performance(analysis);
  if (valid.empty()) return {"no configuration is valid\n"};
  std::string within;
  for (const double below : below_best) {
    within += fmt::format("{}{:.3g} % of all within {:.0f} %", within.empty() ? "" : ", ",
                          100 * share_within(analysis, below), 100 * below);
  }
  std::string quantiles;
  for (const double share : quantile_shares) {
    quantiles += fmt::format("{}{:.1f} ({:.0f} %)", quantiles.empty() ? "" : ", ",
                             100 * base::sorted_quantile(valid, share) / valid.back(), 100 * share);
  }
  return base::write<base::Terminal>(
             "best        {}\nnear it     {} of the best\nquantiles   {} of valid ones, in % of "
             "the best\n",
             performance_text(analysis, valid.back()), within, quantiles) +
         histogram_text(analysis);
}

}  // namespace

base::TerminalText recording_text(const trial::Recording& recording) {
  const SpaceAnalysis analysis = analyse(recording);
  return base::write<base::Terminal>("{}: {} configurations{}\n\n", recording.header().name,
                                     base::count_text(recording.size()),
                                     recording.complete() ? ", the whole space" : "") +
         category_table(analysis.errors) + "\n" + distribution_text(analysis);
}

nlohmann::json recording_event(store::StudyId study, store::SessionId session,
                               const trial::Recording& recording) {
  const SpaceAnalysis analysis = analyse(recording);
  nlohmann::json errors = nlohmann::json::object();
  for (std::size_t category = 0; category < trial::error_category_count; ++category) {
    const analysis::CategoryTotals& totals = analysis.errors.categories[category];
    if (totals.trials == 0) continue;
    errors[std::string(trial::to_string(static_cast<trial::ErrorCategory>(category)))] = {
        {"trials", totals.trials}, {"work_seconds", totals.work_seconds()}};
  }
  const std::vector<double> valid = valid_performance(analysis);
  nlohmann::json within = nlohmann::json::array();
  for (const double below : below_best)
    within.push_back({{"below_best", below}, {"share", share_within(analysis, below)}});
  nlohmann::json quantiles = nlohmann::json::array();
  for (const double share : quantile_shares)
    quantiles.push_back({{"quantile", share}, {"performance", base::sorted_quantile(valid, share)}});
  return {{"event", "analysis"},
          {"study", study},
          {"session", session},
          {"name", recording.header().name},
          {"configurations", recording.size()},
          {"complete", recording.complete()},
          {"unit", analysis.flops > 0 ? "GFLOPS" : "1/s"},
          {"errors", errors},
          {"best", valid.empty() ? nlohmann::json() : nlohmann::json(valid.back())},
          {"within", within},
          {"quantiles", quantiles}};
}

}  // namespace kernelscape::command_line
