#include "ui/figures/predictor_figures.h"

#include <algorithm>
#include <atomic>

#include "ui/charts/curves/prediction_chart.h"
#include "ui/figures/registry.h"
#include "ui/models/predictor_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int learning_height = 260;
constexpr int samples_height = 360;

QString curve_name(const ShownPredictors& shown, std::size_t predictor, const QString& what) {
  if (shown.predictors.size() == 1) return what;
  const QString title = models::predictor_title(shown.predictors[predictor]);
  return what.isEmpty() ? title : title + QStringLiteral(", ") + what;
}

/** Returns the text behind the title: the predictor's name, unless the curves name it. */
QString of_text(const ShownPredictors& shown) {
  QStringList names;
  for (const study::KnownPredictor& predictor : shown.predictors)
    names.append(models::predictor_title(predictor));
  return names.join(figure_text(" and "));
}

std::optional<double> kept_epoch(const study::KnownPredictor& predictor) {
  if (!predictor.description || predictor.description->best_epoch <= 0) return std::nullopt;
  return static_cast<double>(predictor.description->best_epoch);
}

/**
 * Returns the regret on the chosen task if it is not in the predictor's training set, otherwise the median
 * over the test tasks.
 */
std::vector<predictor::RegretAt> shown_regret(const study::KnownPredictor& predictor,
                                              const std::string& task) {
  const std::span<const predictor::TaskOutcome> outcomes = models::outcomes_of(predictor);
  if (task.empty()) return predictor::median_regret(outcomes, predictor::DataPart::Test);
  const auto found = std::ranges::find(outcomes, task, &predictor::TaskOutcome::task);
  return found == outcomes.end() || found->part == predictor::DataPart::Training
             ? std::vector<predictor::RegretAt>()
             : found->regret;
}

bool has_points(const charts::PredictorCurveData& data) {
  return std::ranges::any_of(data.curves,
                             [](const charts::PredictorCurve& curve) { return !curve.points.empty(); });
}

std::vector<Figure> training_figures(const Source& source, charts::PredictorQuantity quantity,
                                     const QString& title, const QString& caption) {
  if (!source.predictors) return {};
  charts::PredictorCurveData data = training_curves(*source.predictors, quantity);
  const QString notice = has_points(data) ? QString() : figure_text("No epoch is done yet.");
  return {make_figure<charts::PredictorCurveChart>(
      {.title = title, .of = of_text(*source.predictors), .notice = notice, .caption = caption},
      std::move(data), learning_height)};
}

std::vector<Figure> loss_figures(const Source& source, const workspace::JobControl&) {
  return training_figures(source, charts::PredictorQuantity::Loss, figure_text("Loss"),
                          figure_text("Solid: on the validation tasks. Dashed: on the training tasks."));
}

std::vector<Figure> tau_figures(const Source& source, const workspace::JobControl&) {
  return training_figures(
      source, charts::PredictorQuantity::Tau, figure_text("Rank correlation on validation tasks"),
      figure_text(
          "Kendall's tau-b. 1: every pair of samples is in the correct order; 0: no better than random."));
}

std::vector<Figure> regret_figures(const Source& source, const workspace::JobControl&) {
  if (!source.predictors) return {};
  const ShownPredictors& shown = *source.predictors;
  charts::PredictorCurveData data = regret_curves(shown);
  const QString of =
      shown.task.empty() ? figure_text("median of the test tasks") : QString::fromStdString(shown.task);
  const QString notice =
      has_points(data) ? QString() : figure_text("The regret is known once the predictor is trained.");
  return {make_figure<charts::PredictorCurveChart>(
      {.title = figure_text("Regret against the best known configuration"),
       .of = of,
       .notice = notice,
       .caption =
           figure_text("After this number of measurements: chosen by the predictor, or drawn at random.")},
      std::move(data), learning_height)};
}

/** Returns a figure for each predictor, of the chosen task. */
std::vector<Figure> predicted_samples_figures(const Source& source, const workspace::JobControl&) {
  if (!source.predictors) return {};
  const ShownPredictors& shown = *source.predictors;
  std::vector<Figure> figures;
  for (std::size_t place = 0; place < shown.predictors.size(); ++place) {
    const ShownSamples samples = place < shown.samples.size() ? shown.samples[place] : ShownSamples{};
    QString notice = samples.reason;
    if (!samples.samples && notice.isEmpty())
      notice = models::outcomes_of(shown.predictors[place]).empty()
                   ? figure_text("Predictions are available once the predictor is trained.")
                   : figure_text("Choose a task below.");
    figures.push_back(make_figure<charts::PredictionChart>(
        {.title = figure_text("Predicted against measured"),
         .of = models::predictor_title(shown.predictors[place]) +
               (shown.task.empty() ? QString() : QStringLiteral(" · ") + QString::fromStdString(shown.task)),
         .notice = samples.samples ? QString() : notice,
         .caption = figure_text("On the diagonal a sample was as fast as predicted.")},
        samples.samples ? series_data_of(*samples.samples) : charts::SeriesData{}, samples_height));
  }
  return figures;
}

}  // namespace

Result<PredictedSamples> predict_samples(const predictor::Predictor& predictor,
                                         const predictor::DataSet& data, const std::string& task) {
  const auto found = std::ranges::find(
      data.tasks, task, [](const predictor::TaskSamples& samples) { return samples.task.text; });
  if (found == data.tasks.end())
    return fail(ErrorCode::NotFound, "the data set has no samples of " + task,
                "choose another task, or other measurements");
  const schedule::ScheduledKernel kernel =
      TRY(schedule::apply_template(found->task, data.target, data.template_of(*found).name));
  const std::shared_ptr<const space::PerformancePredictor> bound = TRY(predictor.bind(kernel));
  static std::atomic<std::int64_t> predictions{0};
  return PredictedSamples{.number = ++predictions,
                          .task = task,
                          .flops = found->task.flops(),
                          .predicted = TRY(bound->predict(found->configurations)),
                          .measured = found->fitness};
}

charts::SeriesData series_data_of(const PredictedSamples& samples) {
  static constexpr std::string_view name = "predicted_mean";
  trial::Table trials(0);
  analysis::SeriesTable series;
  for (std::size_t place = 0; place < samples.measured.size(); ++place) {
    trial::Row row;
    row.number = static_cast<std::int64_t>(place);
    row.sample_count = 1;
    row.median_seconds = samples.flops / static_cast<double>(samples.measured[place]);
    row.first_quartile_seconds = row.third_quartile_seconds = row.median_seconds;
    trials.append(row, {});
    series.set(row.number, name, static_cast<double>(samples.predicted[place]) / style::giga);
  }
  return {.session = samples.number,
          .trials = trials.snapshot(),
          .series = series.snapshot(),
          .figure = {.name = std::string(name),
                     .title = "Predicted performance",
                     .unit = "GFLOPS",
                     .relation = trial::SeriesRelation::Estimate},
          .flops = samples.flops,
          .proposed = false};
}

charts::PredictorCurveData training_curves(const ShownPredictors& shown, charts::PredictorQuantity quantity) {
  charts::PredictorCurveData data{.quantity = quantity};
  const bool loss = quantity == charts::PredictorQuantity::Loss;
  for (std::size_t place = 0; place < shown.predictors.size(); ++place) {
    const study::KnownPredictor& predictor = shown.predictors[place];
    charts::PredictorCurve held_out{.predictor = place,
                                    .name = curve_name(shown, place, figure_text("validation")),
                                    .marked_x = kept_epoch(predictor)};
    charts::PredictorCurve training{.predictor = place,
                                    .name = curve_name(shown, place, figure_text("training")),
                                    .kind = charts::PredictorCurveKind::Training};
    for (const predictor::TrainingEpoch& epoch : predictor.epochs) {
      const auto x = static_cast<double>(epoch.epoch);
      held_out.points.emplace_back(x, loss ? epoch.validation_loss : epoch.validation_tau);
      if (loss) training.points.emplace_back(x, epoch.training_loss);
    }
    data.curves.push_back(std::move(held_out));
    if (loss) data.curves.push_back(std::move(training));
  }
  return data;
}

charts::PredictorCurveData regret_curves(const ShownPredictors& shown) {
  charts::PredictorCurveData data{.quantity = charts::PredictorQuantity::Regret};
  charts::PredictorCurve random{.name = figure_text("random"), .kind = charts::PredictorCurveKind::Random};
  for (std::size_t place = 0; place < shown.predictors.size(); ++place) {
    charts::PredictorCurve curve{.predictor = place,
                                 .name = models::predictor_title(shown.predictors[place])};
    const std::vector<predictor::RegretAt> regret = shown_regret(shown.predictors[place], shown.task);
    for (const predictor::RegretAt& at : regret) {
      curve.points.emplace_back(static_cast<double>(at.measurements), at.predicted);
      if (random.predictor == place)
        random.points.emplace_back(static_cast<double>(at.measurements), at.random);
    }
    // The random curve uses the samples of the first predictor that has samples.
    if (regret.empty() && random.predictor == place) ++random.predictor;
    data.curves.push_back(std::move(curve));
  }
  data.curves.push_back(std::move(random));
  return data;
}

Kind training_loss_figure_kind() {
  return figure_kind<charts::PredictorCurveChart>("training loss", Place::LearnTraining,
                                                  ReportPart::Predictor, loss_figures);
}

Kind training_tau_figure_kind() {
  return figure_kind<charts::PredictorCurveChart>("training tau", Place::LearnTraining, ReportPart::Predictor,
                                                  tau_figures);
}

Kind regret_figure_kind() {
  return figure_kind<charts::PredictorCurveChart>("regret", Place::LearnTasks, ReportPart::Predictor,
                                                  regret_figures);
}

Kind predicted_samples_figure_kind() {
  return figure_kind<charts::PredictionChart>("predicted samples", Place::LearnTasks, ReportPart::Predictor,
                                              predicted_samples_figures);
}

}  // namespace kernelscape::figures
