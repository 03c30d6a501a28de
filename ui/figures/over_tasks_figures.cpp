#include <algorithm>
#include <cmath>

#include "core/analysis/comparison/friedman.h"
#include "core/analysis/comparison/performance_profile.h"
#include "ui/charts/bars/mean_rank_chart.h"
#include "ui/charts/curves/profile_chart.h"
#include "ui/figures/registry.h"
#include "ui/models/comparison_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr std::size_t fewest_ranked_tasks = 2;
constexpr std::size_t fewest_ranked_tuners = 3;
constexpr int rank_height = 150;
constexpr int rank_row_height = 12;
constexpr int profile_height = 340;

QString name_of_arm(const analysis::ComparedRuns& runs, std::size_t arm) {
  return QString::fromStdString(runs.arms[arm].name);
}

/** Returns the seconds or trials by which profiles are made: nullopt for final performance or score. */
analysis::ComparedMeasure profile_measure(const analysis::ComparedMeasure& measure) {
  return analysis::less_is_better(measure)
             ? measure
             : analysis::ComparedMeasure{analysis::CompareBy::TrialsToGoal, measure.goal};
}

/** Returns the name of the ranked number: the mean or median if a measure has several numbers per task. */
QString ranked_by(const analysis::ComparedMeasure& measure) {
  const QString name = models::measure_text(measure);
  return analysis::less_is_better(measure) ? figure_text("median %1").arg(name)
                                           : figure_text("mean %1").arg(name);
}

/** Returns why there are no ranks; empty: there are ranks. */
QString rank_notice(const analysis::ComparedRuns& runs, const std::optional<analysis::TaskRanking>& ranking,
                    const analysis::ComparedMeasure& measure) {
  if (runs.tasks.size() < fewest_ranked_tasks)
    return figure_text("Only one task: ranks need at least two tasks, and more to be conclusive.");
  if (runs.arms.size() < fewest_ranked_tuners)
    return figure_text(
        "Fewer than three tuners: see the table, which compares them over the tasks with Wilcoxon's "
        "signed-rank test.");
  if (!ranking)
    return figure_text(
               "On fewer than two tasks every tuner has a value of %1: runs are missing, the goal is within "
               "the noise,\nor the space is not recorded completely. Choose another measure, or finish the "
               "runs.")
        .arg(models::measure_text(measure));
  if (ranking->arms.size() < fewest_ranked_tuners)
    return figure_text("Fewer than three tuners have finished runs: ranks need three.");
  return {};
}

QString rank_caption(const analysis::ComparedRuns& runs, const analysis::TaskRanking& ranking,
                     const analysis::ComparedMeasure& measure) {
  QString text = figure_text(
                     "Mean rank of each tuner over %1 tasks by its %2, the best at the left. Friedman's test "
                     "(Iman and Davenport's F) gives p %3; ")
                     .arg(style::format_count(std::ssize(ranking.tasks)), ranked_by(measure),
                          style::format_probability(ranking.test.p));
  text += ranking.test.significant()
              ? figure_text(
                    "tuners joined by a bar differ by less than Nemenyi's critical difference at 0.05 and "
                    "are not distinguishable.")
              : figure_text("the ranks are not distinguishable, so that one bar joins all tuners.");
  const std::size_t left_out = runs.tasks.size() - ranking.tasks.size();
  if (left_out > 0)
    text += QLatin1Char(' ') + figure_text("Left out: %1 of %2 tasks, on which a tuner has no such value.")
                                   .arg(left_out)
                                   .arg(runs.tasks.size());
  return text + QLatin1Char(' ') + figure_text("As Demsar 2006.");
}

charts::MeanRankData rank_data(const analysis::ComparedRuns& runs, const analysis::TaskRanking& ranking,
                               const analysis::ComparedMeasure& measure) {
  charts::MeanRankData data{.tuners = {},
                            .alike = {},
                            .critical_difference = ranking.test.critical_difference,
                            .p = ranking.test.p,
                            .tasks = ranking.tasks.size(),
                            .of_what = ranked_by(measure)};
  for (std::size_t place = 0; place < ranking.arms.size(); ++place)
    data.tuners.push_back(
        {ranking.arms[place], name_of_arm(runs, ranking.arms[place]), ranking.test.mean_ranks.at(place)});
  // Differences are only meaningful if the test rejects that there are none.
  if (!ranking.test.significant()) {
    data.alike.push_back(ranking.arms);
    return data;
  }
  for (const analysis::RankGroup& group : analysis::rank_groups(ranking.test)) {
    std::vector<std::size_t>& arms = data.alike.emplace_back();
    for (const std::size_t place : group.arms) arms.push_back(ranking.arms.at(place));
  }
  return data;
}

/** Returns Friedman's mean ranks with Nemenyi's critical difference. */
std::vector<Figure> rank_figures(const Source& source, const workspace::JobControl&) {
  const analysis::ComparedRuns& runs = *source.runs;
  const analysis::ComparedMeasure& measure = source.choice.measure;
  std::optional<analysis::TaskRanking> ranking;
  // Ranks do not use intervals.
  if (runs.tasks.size() >= fewest_ranked_tasks && runs.arms.size() >= fewest_ranked_tuners)
    ranking = analysis::rank_over_tasks(
        analysis::comparison_table(runs, source.choice.baseline, {.resamples = 0}), measure);
  Text text{.notice = rank_notice(runs, ranking, measure)};
  charts::MeanRankData data;
  if (text.notice.isEmpty()) {
    text.caption = rank_caption(runs, *ranking, measure);
    data = rank_data(runs, *ranking, measure);
  }
  const int height = rank_height + rank_row_height * static_cast<int>(data.tuners.size());
  return {make_figure<charts::MeanRankChart>(std::move(text), std::move(data), height)};
}

/** Returns the mean ranks by final performance, independent of the chosen measure. */
std::vector<Figure> final_rank_figures(const Source& source, const workspace::JobControl& control) {
  Source of_final = source;
  of_final.choice.measure = {analysis::CompareBy::FinalPerformance};
  return rank_figures(of_final, control);
}

QString profile_notice(const analysis::ComparedRuns& runs, const analysis::PerformanceProfile& profile,
                       const analysis::ComparedMeasure& measure) {
  if (runs.arms.size() < 2) return figure_text("Only one tuner: there is nothing to compare it with.");
  if (!profile.lines.empty() && !profile.tasks.empty()) return {};
  const bool finished = std::ranges::any_of(
      runs.runs, [](const analysis::ComparedRun& run) { return run.finished && run.error.empty(); });
  if (!finished) return figure_text("No run has finished yet.");
  const QString name = models::measure_text(measure);
  if (!profile.within_noise.empty() && profile.within_noise.size() == runs.tasks.size())
    return figure_text(
               "No profile of %1: on every task the difference between that goal and the optimum is within "
               "the noise.\nChoose a goal further from the optimum.")
        .arg(name);
  return figure_text("No profile of %1: no tuner reaches the goal in half of its runs on any task.")
      .arg(name);
}

QString profile_caption(const analysis::PerformanceProfile& profile,
                        const analysis::ComparedMeasure& measure) {
  QString text = figure_text(
                     "Share of each tuner's runs whose %1 are at most x times the best tuner's median on the "
                     "task, over %2 tasks. The share missing to 100 % at the right never reached the goal.")
                     .arg(models::measure_text(measure), style::format_count(std::ssize(profile.tasks)));
  if (!profile.unreached.empty())
    text += QLatin1Char(' ') + figure_text("Left out: %1 tasks on which no tuner's median reaches the goal.")
                                   .arg(profile.unreached.size());
  if (!profile.within_noise.empty())
    text +=
        QLatin1Char(' ') +
        figure_text("Left out: %1 tasks whose goal is within the noise.").arg(profile.within_noise.size());
  const bool any_band = std::ranges::any_of(
      profile.lines, [](const analysis::ProfileLine& line) { return !line.band.low.empty(); });
  if (any_band)
    text += QLatin1Char(' ') +
            (profile.tasks.size() > 1
                 ? figure_text("The band is the 95 % interval at each point by the bootstrap over tasks and "
                               "runs.")
                 : figure_text("The band is the 95 % interval at each point by the bootstrap over runs."));
  return text + QLatin1Char(' ') + figure_text("As Dolan and More 2002.");
}

/** Returns the performance profiles of seconds or trials to a goal. */
std::vector<Figure> profile_figures(const Source& source, const workspace::JobControl&) {
  const analysis::ComparedRuns& runs = *source.runs;
  const analysis::ComparedMeasure measure = profile_measure(source.choice.measure);
  const analysis::PerformanceProfile profile = analysis::performance_profile(runs, measure, {});
  Text text{.notice = profile_notice(runs, profile, measure)};
  charts::ProfileData data{
      .profiles = {}, .cost = models::measure_text(measure), .tasks = profile.tasks.size()};
  if (text.notice.isEmpty()) {
    text.caption = profile_caption(profile, measure);
    for (const analysis::ProfileLine& line : profile.lines)
      data.profiles.push_back({line.arm, name_of_arm(runs, line.arm), line.factors, line.shares, line.runs,
                               line.band.factors, line.band.low, line.band.high});
  }
  return {make_figure<charts::ProfileChart>(std::move(text), std::move(data), profile_height)};
}

}  // namespace

Kind ranks_figure_kind() {
  return figure_kind<charts::MeanRankChart>("ranks", Place::CompareOverTasks, ReportPart::OverTasks,
                                            rank_figures);
}

Kind final_ranks_figure_kind() {
  return figure_kind<charts::MeanRankChart>("ranks of final performance", Place::Chosen,
                                            ReportPart::OverTasks, final_rank_figures);
}

Kind profiles_figure_kind() {
  return figure_kind<charts::ProfileChart>("performance profiles", Place::CompareOverTasks,
                                           ReportPart::OverTasks, profile_figures);
}

}  // namespace kernelscape::figures
