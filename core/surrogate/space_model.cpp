#include "core/surrogate/space_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/quantile.h"
#include "core/surrogate/source_model.h"

namespace kernelscape::surrogate {
namespace {

/** An incumbent before the first trial, on which every prediction of a source improves. */
constexpr double far_above = 1e6;

/** Returns a kernel with equal weight for all columns. */
ProductKernel equal_kernel(const std::vector<base::GridColumn>& columns, Correlation correlation,
                           double damping) {
  return {columns, correlation, damping, std::vector<double>(columns.size(), 1)};
}

}  // namespace

SpaceModel::SpaceModel(std::vector<base::GridColumn> columns, SpaceModelOptions options, base::Random random)
    : columns_(std::move(columns)),
      options_(options),
      random_(std::move(random)),
      source_random_(random_.fork("sources")),
      performance_(equal_kernel(columns_, Correlation::Matern32, options_.damping), options_.prior.nugget),
      cap_(std::numeric_limits<double>::infinity()),
      nugget_median_(options_.prior.nugget) {}

void SpaceModel::learn_from(std::vector<std::shared_ptr<const SourceModel>> sources) {
  sources_ = std::move(sources);
  weights_.assign(sources_.size(), {1.0 / static_cast<double>(sources_.size()), 1});
  source_values_.resize(sources_.size());
}

double SpaceModel::source_value(const base::GridPoint& point) const {
  double sum = 0;
  for (std::size_t source = 0; source < sources_.size(); ++source) {
    const double slope = weights_[source].weight * weights_[source].slope;
    if (slope > 0) sum += slope * sources_[source]->predict(point);
  }
  return sum;
}

void SpaceModel::observe(GridObservation observation) {
  all_points_.push_back(observation.point);
  labels_.push_back(observation.valid ? 1 : 0);
  if (observation.fitness <= 0) return;
  for (std::size_t source = 0; source < sources_.size(); ++source)
    source_values_[source].push_back(sources_[source]->predict(observation.point));
  points_.push_back(std::move(observation.point));
  log_times_.push_back(-std::log(observation.fitness));
  if (observation.spread > 0) spreads_.push_back(observation.spread);
}

void SpaceModel::update() {
  take_back_beliefs();
  ++revision_;
  set_cap();
  weigh_sources();
  follow_spread();
  const auto valid = static_cast<double>(valid_trials());
  const Correlation correlation = options_.correlation(valid_trials());
  KernelFit fit{performance_.kernel().lengthscales(),
                fitted() ? performance_.nugget() : std::min(nugget_median_, options_.prior.max_nugget)};
  const bool due = valid_trials() >= options_.fit_from &&
                   (!fitted() || valid >= options_.refit_growth * static_cast<double>(fitted_at_));
  if (due) {
    fit = this->fit(fit, correlation);
    fitted_at_ = valid_trials();
  }
  const KernelFit current{performance_.kernel().lengthscales(), performance_.nugget()};
  if (fit != current || correlation != performance_.kernel().correlation())
    performance_ = GaussianProcess({columns_, correlation, options_.damping, fit.lengthscales}, fit.nugget);
  choose_trials();
  learn_performance();
  learn_feasibility();
}

/**
 * Sets the cap that compresses slow trials above the median, but never within cap_margin of the best trial.
 */
void SpaceModel::set_cap() {
  if (valid_trials() < options_.cap_from || valid_trials() == 0) return;
  const double best = std::ranges::min(log_times_);
  cap_ = best + std::max(options_.cap_margin, base::quantile(log_times_, 0.5) - best);
}

double SpaceModel::capped(double log_time) const {
  return log_time <= cap_ ? log_time : cap_ + options_.cap_slope * (log_time - cap_);
}

double SpaceModel::value_of(double fitness) const { return capped(-std::log(fitness)); }

/** Returns the value of a valid trial in the performance process. */
double SpaceModel::residual(std::size_t trial) const {
  double value = capped(log_times_[trial]);
  for (std::size_t source = 0; source < sources_.size(); ++source)
    value -= weights_[source].weight * weights_[source].slope * source_values_[source][trial];
  return value;
}

/**
 * Weighs the sources after every trial at first, later when the trials have grown. The kernel has equal
 * lengthscales: those that were fitted to the residuals of one model would favour it.
 */
void SpaceModel::weigh_sources() {
  constexpr std::int64_t always_until = 20;
  constexpr std::int64_t max_weighed = 80;
  const double due = std::max(1.0, options_.refit_growth * static_cast<double>(weighed_at_));
  const bool early = valid_trials() <= always_until && valid_trials() != weighed_at_;
  if (sources_.empty() || (!early && static_cast<double>(valid_trials()) < due)) return;
  weighed_at_ = valid_trials();
  std::vector<base::GridPoint> points;
  std::vector<double> values;
  std::vector<std::vector<double>> predictions(sources_.size());
  for (const std::size_t trial : best_and_random(max_weighed)) {
    points.push_back(points_[trial]);
    values.push_back(capped(log_times_[trial]));
    for (std::size_t source = 0; source < sources_.size(); ++source)
      predictions[source].push_back(source_values_[source][trial]);
  }
  weights_ = source_weights(equal_kernel(columns_, options_.correlation(valid_trials()), options_.damping),
                            std::min(nugget_median_, options_.prior.max_nugget), points, values, predictions,
                            source_random_);
}

double SpaceModel::fitness_at(double value) const {
  return std::exp(-(value <= cap_ ? value : cap_ + (value - cap_) / options_.cap_slope));
}

/** The spread of the samples is noise: its share of the variance is the minimum of the nugget's median. */
void SpaceModel::follow_spread() {
  if (spreads_.empty() || log_times_.size() < 2) return;
  const double count = static_cast<double>(log_times_.size());
  double mean = 0;
  for (std::size_t trial = 0; trial < log_times_.size(); ++trial) mean += residual(trial) / count;
  double variance = 0;
  for (std::size_t trial = 0; trial < log_times_.size(); ++trial)
    variance += std::pow(residual(trial) - mean, 2) / (count - 1);
  if (!(variance > 0)) return;
  const double spread = base::quantile(spreads_, 0.5);
  nugget_median_ =
      std::min(std::max(spread * spread / variance, options_.prior.nugget), options_.prior.max_nugget);
}

/** Returns valid trials: all of them, in order, or the best half of `most` and a random half. */
std::vector<std::size_t> SpaceModel::best_and_random(std::int64_t most) {
  std::vector<std::size_t> chosen(points_.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (std::ssize(chosen) <= most) return chosen;
  std::ranges::stable_sort(chosen, {}, [&](std::size_t i) { return log_times_[i]; });
  random_.shuffle(std::span(chosen).subspan(static_cast<std::size_t>(most / 2)));
  chosen.resize(static_cast<std::size_t>(most));
  return chosen;
}

KernelFit SpaceModel::fit(const KernelFit& start, Correlation correlation) {
  std::vector<base::GridPoint> points;
  std::vector<double> values;
  for (const std::size_t i : best_and_random(options_.fit_trials)) {
    points.push_back(points_[i]);
    values.push_back(residual(i));
  }
  KernelPrior prior = options_.prior;
  prior.nugget = nugget_median_;
  const ProductKernel kernel(columns_, correlation, options_.damping, start.lengthscales);
  return fit_kernel(kernel, start, prior, options_.steps, points, values, random_);
}

/**
 * Adds the new trials to the models; once these have grown too far beyond `max_trials`, selects their trials
 * again.
 */
void SpaceModel::choose_trials() {
  const double most = options_.refit_growth * static_cast<double>(options_.max_trials);
  for (std::size_t i = valid_seen_; i < points_.size(); ++i) modelled_.push_back(i);
  if (static_cast<double>(modelled_.size()) > most) {
    modelled_ = best_and_random(options_.max_trials);
    performance_.remove_last(performance_.size());
  }
  for (std::size_t i = seen_; i < all_points_.size(); ++i) labelled_.push_back(i);
  if (static_cast<double>(labelled_.size()) > most) {
    labelled_.resize(all_points_.size());
    std::iota(labelled_.begin(), labelled_.end(), 0);
    random_.shuffle(std::span(labelled_));
    labelled_.resize(static_cast<std::size_t>(options_.max_trials));
    if (feasibility_) feasibility_->remove_last(feasibility_->size());
  }
  valid_seen_ = points_.size();
  seen_ = all_points_.size();
}

void SpaceModel::learn_performance() {
  std::vector<double> values;
  for (const std::size_t trial : modelled_) values.push_back(residual(trial));
  const std::size_t known = performance_.size();
  if (!std::ranges::equal(performance_.values(), std::span(values).first(known)))
    performance_.set_values(std::span(values).first(known));
  for (std::size_t i = known; i < values.size(); ++i) performance_.add(points_[modelled_[i]], values[i]);
  if (!values.empty()) {
    std::vector<double> means = performance_.means_at_points();
    // A difference of values and residuals, which is 0 without sources.
    for (std::size_t i = 0; i < means.size(); ++i) means[i] += capped(log_times_[modelled_[i]]) - values[i];
    measured_incumbent_ = std::ranges::min(means);
  } else if (!sources_.empty()) {
    measured_incumbent_ = far_above;
  }
  incumbent_ = measured_incumbent_;
}

/**
 * Labels are 1 and 0; there is no process before a trial has failed. The mean follows Laplace's rule: one
 * more valid trial than there was, so that it is never 0 if all have failed.
 */
void SpaceModel::learn_feasibility() {
  const double valid = std::accumulate(labels_.begin(), labels_.end(), 0.0);
  const auto all = static_cast<double>(labels_.size());
  if (valid == all) return;
  if (!feasibility_) {
    feasibility_.emplace(equal_kernel(columns_, Correlation::Exponential, options_.damping),
                         options_.feasibility_nugget);
  }
  feasibility_->fix_mean((valid + 1) / (all + 1));
  for (std::size_t i = feasibility_->size(); i < labelled_.size(); ++i)
    feasibility_->add(all_points_[labelled_[i]], labels_[labelled_[i]]);
}

Belief SpaceModel::predict(const base::GridPoint& point) const {
  Posterior posterior = performance_.predict(point);
  posterior.mean += source_value(point);
  Belief belief{.fitness = fitness_at(posterior.mean)};
  const double slope = posterior.mean <= cap_ ? 1 : options_.cap_slope;
  const double noise = performance_.nugget() * performance_.scale();
  belief.deviation = belief.fitness * std::sqrt(posterior.variance + noise) / slope;
  if (feasibility_) belief.feasibility = feasible(feasibility_->predict(point).mean);
  return belief;
}

void SpaceModel::believe(const base::GridPoint& point) {
  const double mean = performance_.predict(point).mean;
  if (options_.beliefs_gain) {
    if (beliefs_ == 0) performance_.hold_scale();
    incumbent_ = std::min(incumbent_, mean + source_value(point));
  }
  performance_.add(point, mean);
  ++beliefs_;
  ++revision_;
}

void SpaceModel::take_back_beliefs() {
  if (beliefs_ == 0) return;
  performance_.remove_last(beliefs_);
  performance_.release_scale();
  incumbent_ = measured_incumbent_;
  beliefs_ = 0;
  ++revision_;
}

}  // namespace kernelscape::surrogate
