#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/gaussian_process.h"
#include "core/surrogate/kernel_fit.h"

namespace kernelscape {

/**
 * Constants of the model that core/tuner/README.md describes (How gp works). Fits from 20 valid trials on
 * were found to be better than from 100, the exponential correlation from 20 on better than from 40, both on
 * public recorded spaces and on ours.
 */
struct SpaceModelOptions {
  double damping = 0.2;
  std::int64_t cap_from = 5;           ///< valid trials from which on slow ones are told apart less
  double cap_margin = 0.05;            ///< the least distance of the cap from the best ln time
  double cap_slope = 0.2;              ///< of ln time above the cap
  std::int64_t exponential_from = 20;  ///< valid trials from which on the correlation is exponential
  std::int64_t fit_from = 20;          ///< valid trials from which on lengthscales are fitted
  double refit_growth = 1.15;          ///< of the valid trials, after which they are fitted again
  std::int64_t fit_trials = 120;       ///< in a fit: half the best, half random
  std::int64_t most_trials = 1000;     ///< in the model: beyond, half the best, half random
  KernelPrior prior = {};  ///< prior.nugget is the least median of the nugget, see `nugget_median`
  FitSteps steps = {};
  double feasibility_nugget = 1e-2;
  double least_feasibility = 0.01;
  /**
   * A belief counts as a gain: it lowers the incumbent where it is better, so that the same gain is not
   * expected next to it once more, and it leaves the scale as it was, which a residual of zero would shrink.
   * Else it is a trial like any other.
   */
  bool beliefs_gain = true;

  /** Of the performance process: Matern 3/2 below `exponential_from` valid trials, else exponential. */
  Correlation correlation(std::int64_t valid_trials) const {
    return valid_trials >= exponential_from ? Correlation::Exponential : Correlation::Matern32;
  }
};

/** What was measured at a point. */
struct GridObservation {
  GridPoint point;
  double fitness = 0;  ///< 0: it failed, or it was only built
  bool valid = true;
  double spread = 0;  ///< relative standard error of the time; 0: not known
};

/** What the model believes of a point. */
struct Belief {
  double fitness = 0;      ///< the median, in the unit of the observations
  double deviation = 0;    ///< standard deviation of a measured fitness, noise included, to first order
  double feasibility = 1;  ///< in [least_feasibility, 1]
};

/**
 * A Gaussian process on the logarithm of the time of valid trials, slow ones told apart less, and a second
 * one on whether trials are valid: what the tuner gp knows of a space, as points of a grid, and what charts
 * show of it.
 *
 * Trials are observed in any number, then `update` settles what follows from all of them. Deterministic in
 * the order of the trials.
 */
class SpaceModel {
 public:
  SpaceModel(std::vector<GridColumn> columns, SpaceModelOptions options, Random random);

  /** A trial, valid or failed; the models learn of it at the next `update`. */
  void observe(GridObservation observation);
  /** Takes back beliefs, and learns what was observed since. */
  void update();

  /** Observed ones, and which of them are valid. */
  std::int64_t trials() const { return static_cast<std::int64_t>(labels_.size()); }
  /** Those of a positive fitness: what the performance process learns from. */
  std::int64_t valid_trials() const { return static_cast<std::int64_t>(log_times_.size()); }

  /** On ln time, less is better, in units that `fitness_at` takes: its points are the valid trials and what
   * is believed. */
  const GaussianProcess& performance() const { return performance_; }
  /** On 1 for valid, 0 for failed trials; null while none has failed. */
  const GaussianProcess* feasibility() const { return feasibility_ ? &*feasibility_ : nullptr; }
  /** What the mean of the feasibility process counts as. */
  double feasible(double mean) const { return std::clamp(mean, options_.least_feasibility, 1.0); }
  /** The least posterior mean at a valid trial, or at what is believed where beliefs are gains: a lucky
   * sample does not count more than what surrounds it. */
  double incumbent() const { return incumbent_; }

  /** From a value of the performance process to a fitness. */
  double fitness_at(double value) const;
  /** Of the median of the nugget: the spread of the samples where it is above the prior's. */
  double nugget_median() const { return nugget_median_; }
  /** Whether lengthscales were fitted: before, all are 1. */
  bool fitted() const { return fitted_at_ > 0; }

  /** Another one after everything that changes what is believed of points: of one model, equal numbers mean
   * equal beliefs. */
  std::uint64_t revision() const { return revision_; }

  /** Fitness, its deviation and feasibility by what the last `update` and later beliefs know. */
  Belief believe_of(const GridPoint& point) const;

  /** Kriging believer: the point counts as a trial that gave what is expected of it, until it is taken back;
   * how, SpaceModelOptions::beliefs_gain says. */
  void believe(const GridPoint& point);
  void take_back_beliefs();  ///< all of them: process and incumbent are what `update` left

 private:
  void set_cap();
  double capped(double log_time) const;
  void follow_spread();
  std::vector<std::size_t> best_and_random(std::int64_t most);
  KernelFit fit(const KernelFit& start, Correlation correlation);
  void choose_trials();
  void learn_performance();
  void learn_feasibility();

  std::vector<GridColumn> columns_;
  SpaceModelOptions options_;
  Random random_;
  std::vector<GridPoint> points_;      ///< of the valid trials
  std::vector<double> log_times_;      ///< of the valid trials, -ln fitness
  std::vector<double> spreads_;        ///< of the valid trials that have one
  std::vector<GridPoint> all_points_;  ///< of all trials
  std::vector<double> labels_;         ///< of all trials
  std::vector<std::size_t> modelled_;  ///< valid trials in the model, in its order
  std::vector<std::size_t> labelled_;  ///< trials in the model of feasibility
  GaussianProcess performance_;
  std::optional<GaussianProcess> feasibility_;
  std::size_t seen_ = 0;        ///< trials, of which the models know
  std::size_t valid_seen_ = 0;  ///< valid ones of these
  std::size_t beliefs_ = 0;
  std::uint64_t revision_ = 0;
  std::int64_t fitted_at_ = 0;  ///< valid trials; 0: not yet
  double cap_ = 0;
  double incumbent_ = 0;
  double measured_incumbent_ = 0;  ///< without beliefs
  double nugget_median_ = 0;
};

}  // namespace kernelscape
