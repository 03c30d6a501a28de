#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/gaussian_process.h"
#include "core/surrogate/kernel_fit.h"
#include "core/surrogate/source_weights.h"

namespace kernelscape::surrogate {

class SourceModel;

/**
 * Constants of the model that core/tuner/README.md describes (How gp works). Fitting from 20 valid trials on
 * was better than from 100, and the exponential correlation from 20 on better than from 40, both on public
 * recorded spaces and on ours.
 */
struct SpaceModelOptions {
  double damping = 0.2;
  std::int64_t cap_from = 5;  ///< number of valid trials from which slow trials are compressed by the cap
  double cap_margin = 0.05;   ///< minimum distance of the cap from the best ln time
  double cap_slope = 0.2;     ///< of ln time above the cap
  std::int64_t exponential_from = 20;  ///< number of valid trials from which the correlation is exponential
  std::int64_t fit_from = 20;          ///< number of valid trials from which lengthscales are fitted
  double refit_growth = 1.15;     ///< growth of the number of valid trials after which they are fitted again
  std::int64_t fit_trials = 120;  ///< trials in a fit: half the best, half random
  /** Maximum number of trials in the model: beyond, half the best, half random. */
  std::int64_t max_trials = 1000;
  KernelPrior prior = {};  ///< prior.nugget is the minimum of the nugget's median, see `nugget_median`
  FitSteps steps = {};
  double feasibility_nugget = 1e-2;
  double min_feasibility = 0.01;
  /**
   * If true, a predicted point (see believe()) lowers the incumbent where it is better, so that the same gain
   * is not expected again next to it, and leaves the scale unchanged, which a residual of zero would reduce.
   * If false, it counts like any other trial.
   */
  bool beliefs_gain = true;

  /**
   * Returns the correlation of the performance process: Matern 3/2 below `exponential_from` valid trials,
   * else exponential.
   */
  Correlation correlation(std::int64_t valid_trials) const {
    return valid_trials >= exponential_from ? Correlation::Exponential : Correlation::Matern32;
  }
};

/** The measurement at a point. */
struct GridObservation {
  base::GridPoint point;
  double fitness = 0;  ///< 0: the trial failed, or it was only built
  bool valid = true;
  double spread = 0;  ///< relative standard error of the time; 0: not known
};

/** The model's prediction for a point. */
struct Belief {
  double fitness = 0;      ///< predicted median, in the unit of the observations
  double deviation = 0;    ///< standard deviation of a measured fitness, including noise, to first order
  double feasibility = 1;  ///< in [min_feasibility, 1]
};

/**
 * A Gaussian process on the logarithm of the time of valid trials, with slow trials compressed, and a second
 * one on whether trials are valid. This is the model of a space, as points of a grid, that the tuner gp uses
 * and that charts show.
 *
 * Any number of trials may be observed before `update` recomputes the model from all of them. Deterministic
 * in the order of the trials.
 */
class SpaceModel {
 public:
  SpaceModel(std::vector<base::GridColumn> columns, SpaceModelOptions options, base::Random random);

  /**
   * Adds sources before the first trial: ln time = a + sum of rho_s source_s + residual, where the residual
   * is the process that performance() returns. The sources' weights follow the trials, see source_weights();
   * a model without sources does not change.
   */
  void learn_from(std::vector<std::shared_ptr<const SourceModel>> sources);
  /** Returns the sources in the order in which they were given. */
  const std::vector<std::shared_ptr<const SourceModel>>& sources() const { return sources_; }
  /** Returns the weight of each source at the last `update`. */
  const std::vector<SourceWeight>& weights() const { return weights_; }
  /**
   * Returns what the sources add to the values of the performance process at a point; 0 without sources.
   */
  double source_value(const base::GridPoint& point) const;

  /** Adds a trial, valid or failed; the models use it after the next `update`. */
  void observe(GridObservation observation);
  /** Removes predicted points, and updates the models with the trials observed since. */
  void update();

  /** Returns the number of observed trials, valid or failed. */
  std::int64_t trials() const { return static_cast<std::int64_t>(labels_.size()); }
  /** Returns the number of trials with a positive fitness, which train the performance process. */
  std::int64_t valid_trials() const { return static_cast<std::int64_t>(log_times_.size()); }

  /**
   * Returns the process on ln time (less is better) in the units that `fitness_at` takes, less what the
   * sources predict (`source_value`). Its points are the valid trials and the predicted points.
   */
  const GaussianProcess& performance() const { return performance_; }
  /** Returns the process on 1 for valid and 0 for failed trials, or null while none has failed. */
  const GaussianProcess* feasibility() const { return feasibility_ ? &*feasibility_ : nullptr; }
  /** Returns the feasibility for a mean of the feasibility process. */
  double feasible(double mean) const { return std::clamp(mean, options_.min_feasibility, 1.0); }
  /**
   * Returns the minimum posterior mean at the valid trials, and at predicted points if beliefs_gain is set.
   * Using the mean ensures that a lucky sample does not count more than its surroundings. Above all values
   * if sources predict before the first trial.
   */
  double incumbent() const { return incumbent_; }

  /** Converts a value of the performance process, with what the sources add to it, to a fitness. */
  double fitness_at(double value) const;
  /** Converts a positive fitness to such a value. */
  double value_of(double fitness) const;
  /** Returns the median of the nugget's prior: the spread of the samples if it is above the prior's. */
  double nugget_median() const { return nugget_median_; }
  /** Returns true if lengthscales were fitted; before, all are 1. */
  bool fitted() const { return fitted_at_ > 0; }

  /**
   * Returns a number that changes whenever predictions may change: equal numbers of one model mean equal
   * predictions.
   */
  std::uint64_t revision() const { return revision_; }

  /**
   * Returns fitness, its deviation and feasibility according to the last `update` and later predicted points.
   */
  Belief predict(const base::GridPoint& point) const;

  /**
   * Adds a predicted point (kriging believer): until it is removed, the point counts as a trial that gave the
   * expected value, in the way that SpaceModelOptions::beliefs_gain selects.
   */
  void believe(const base::GridPoint& point);
  /** Removes all predicted points: restores process and incumbent of the last `update`. */
  void take_back_beliefs();

 private:
  void set_cap();
  double capped(double log_time) const;
  double residual(std::size_t trial) const;
  void weigh_sources();
  void follow_spread();
  std::vector<std::size_t> best_and_random(std::int64_t most);
  KernelFit fit(const KernelFit& start, Correlation correlation);
  void choose_trials();
  void learn_performance();
  void learn_feasibility();

  std::vector<base::GridColumn> columns_;
  SpaceModelOptions options_;
  base::Random random_;
  base::Random source_random_;
  std::vector<std::shared_ptr<const SourceModel>> sources_;
  std::vector<SourceWeight> weights_;               ///< one per source
  std::vector<std::vector<double>> source_values_;  ///< predictions by source, of the valid trials
  std::int64_t weighed_at_ = 0;                     ///< number of valid trials at the last weighing
  std::vector<base::GridPoint> points_;             ///< of the valid trials
  std::vector<double> log_times_;                   ///< of the valid trials, -ln fitness
  std::vector<double> spreads_;                     ///< of the valid trials that have one
  std::vector<base::GridPoint> all_points_;         ///< of all trials
  std::vector<double> labels_;                      ///< of all trials
  std::vector<std::size_t> modelled_;               ///< valid trials in the model, in its order
  std::vector<std::size_t> labelled_;               ///< trials in the model of feasibility
  GaussianProcess performance_;
  std::optional<GaussianProcess> feasibility_;
  std::size_t seen_ = 0;        ///< number of trials that the models include
  std::size_t valid_seen_ = 0;  ///< valid ones of these
  std::size_t beliefs_ = 0;
  std::uint64_t revision_ = 0;
  std::int64_t fitted_at_ = 0;  ///< valid trials; 0: not yet
  double cap_ = 0;
  double incumbent_ = 0;
  double measured_incumbent_ = 0;  ///< without predicted points
  double nugget_median_ = 0;
};

}  // namespace kernelscape::surrogate
