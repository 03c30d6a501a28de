#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/space/features.h"
#include "core/space/performance_predictor.h"
#include "core/space/search_space.h"
#include "core/surrogate/product_kernel.h"
#include "core/task/task.h"
#include "core/trial/series.h"
#include "core/trial/trial.h"

namespace kernelscape::tuner {

/** The value of a hyperparameter; `to_string` as for the values of knobs. */
using SettingValue = space::KnobValue;

/**
 * A hyperparameter, declared once in its tuner's file: command line, form, documentation and stored sessions
 * come from here.
 */
struct HyperparameterDeclaration {
  std::string name;
  SettingValue default_value;  ///< determines the type
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::vector<std::string> choices;  ///< only for texts
  std::string unit;
  std::string documentation;  ///< one line
  std::string source;         ///< "NoSE, section V-D", "AutoTVM", "ours"
  /// The value in sessions that were stored before the setting existed; nullopt: the default.
  std::optional<SettingValue> before = {};
};

/**
 * All settings of a tuner by name, checked, including those at their defaults. The struct that
 * read_settings() returns has each of them as a member.
 */
using SettingValues = std::map<std::string, SettingValue>;

/** Returns true for members that are wanted. Callable from any thread. Empty: all members are wanted. */
using MemberFilter = std::function<bool(const space::Configuration&)>;

/**
 * Trials of a related space that a model may learn from, as those of the same kernel on another device or of
 * a similar task. They need not be members of the searched space.
 */
struct SourceTrials {
  std::string name;          ///< as texts and series name it: "session 3", "gemm-a100"
  space::SearchSpace space;  ///< the space of the trials' configurations
  std::vector<trial::Observation> trials;
};

/**
 * Everything that a tuner may know. A tuner is a deterministic function of the context and of the
 * observations in order.
 */
struct Context {
  space::SearchSpace space;  ///< already restricted to the device limits if these are enforced
  task::Task task;
  space::FeatureSets features;              ///< for surrogates
  std::vector<trial::Observation> history;  ///< trials of other sessions of comparable spaces; may be empty
  std::int64_t trial_budget = 0;            ///< 0: none
  SettingValues settings;
  base::Random random{0};
  /**
   * Features of the history's trials, one row each, if the trials come from another space, in which indices
   * stand for other values. Empty: history trials that are members of `space` are described by `features`.
   */
  std::vector<std::vector<float>> history_features = {};
  /**
   * FeatureExtractor::names() of the extractor that made `history_features`. Rows with other columns, such as
   * the variables of another CSP, are not mixed with those of this session.
   */
  std::vector<std::string> history_columns = {};
  /** A predictor of the task's kernels on the target, trained before the session; null: there is none. */
  std::shared_ptr<const space::PerformancePredictor> predictor = {};
  /**
   * Returns true for members within the target's limits, if `space` does not enforce these; for tuners with a
   * predictor.
   */
  MemberFilter within_limits = {};
  /** Related spaces that a tuner with Declaration::learns_from_sources learns from. */
  std::vector<std::shared_ptr<const SourceTrials>> sources = {};
};

/** Reports that there are no more candidates, and why: "the whole space was visited". */
struct Finished {
  std::string reason;
};

using Proposal = std::variant<std::vector<space::Configuration>, Finished>;

/**
 * An algorithm that proposes candidates and observes trials.
 *
 * propose(n) is called when all earlier candidates were observed; it returns 1..n distinct members that were
 * never proposed before, or Finished. observe() gets the batch's trials in proposal order. A tuner must not
 * use a clock, global state, I/O, std::*_distribution, hash order, or the number of threads.
 *
 * To add a tuner: write one file core/tuner/NAME.cpp with its class and a function that returns its
 * declaration; add that function's line to core/tuner/registry.cpp, a test, and its name to
 * tuner_settings_test. All other code knows a tuner only by its declaration.
 */
class Tuner {
 public:
  virtual ~Tuner() = default;
  /** Returns 1 to n new members, or Finished. Errors are those of its model. @param n at least 1 */
  virtual Result<Proposal> propose(std::size_t n) = 0;
  /** Observes the trials of the last proposal, in its order; failed trials have fitness 0. */
  virtual void observe(std::span<const trial::Observation> observations) = 0;

  /** Returns the series values for the candidate at `position` of the last proposal. */
  virtual std::vector<trial::SeriesValue> series(std::size_t position) const;
};

/** How the proposed members sample the space. */
enum class Sampling : std::uint8_t {
  Guided,   ///< no unbiased sample: the tuner's model decides
  Uniform,  ///< uniformly random members
  InOrder   ///< members in the order of their indices
};

/** Value of Declaration::random_phase of a tuner that proposes only random members. */
inline constexpr std::int64_t all_trials_random = std::numeric_limits<std::int64_t>::max();

/** The relevance of a space's columns that a tuner has learnt, as reported by its lengthscales. */
struct LearntRelevance {
  std::int64_t from_trials = 0;        ///< number of valid trials from which on lengthscales are reported
  surrogate::KernelShape kernel = {};  ///< the kernel that the lengthscales belong to
};

/**
 * Value of Declaration::default_batch and of session options: the batch has as many candidates as are
 * built at the same time. A stored session holds the resolved number.
 */
inline constexpr std::int64_t batch_of_builders = -1;

struct Declaration {
  std::string name;
  std::string summary;             ///< one line
  std::string source;              ///< paper and section
  std::int64_t default_batch = 1;  ///< default number of candidates per batch, or batch_of_builders
  std::vector<HyperparameterDeclaration> hyperparameters = {};
  std::function<Result<std::unique_ptr<Tuner>>(Context)> make;
  /**
   * Returns the error with which `make` would reject a space, features or settings, so that it is reported
   * before a run starts. Empty: nothing is rejected.
   */
  std::function<Status(const Context&)> fits = {};
  /**
   * Returns a notice to the user before a run starts, though there is no error. Empty: there is no notice.
   */
  std::function<std::string(const Context&)> notice = {};
  std::vector<trial::SeriesDescription> series = {};  ///< all series that the tuner can report
  Sampling sampling = Sampling::Guided;
  bool uses_predictor = false;    ///< its setting "predictor" names the predictor of the context
  bool starts_with_best = false;  ///< its first candidate is the best trial of the history
  /**
   * Its model learns from rows of features, Context::history_features, also from those of other spaces
   * if its setting "features" names a set whose columns are the same in both.
   */
  bool learns_from_features = false;
  bool learns_from_sources = false;  ///< its model learns from Context::sources
  /**
   * By default the device limits are constraints of the space that it searches, as in Heron's CSP. Spaces of
   * other tuners have them only if a user enforces them: a trial beyond a limit fails (NoSE).
   */
  bool enforces_limits = false;
  /**
   * Returns how many of the first trials of a run without history are random, given the settings and the
   * budget of trials (0: none); all_trials_random: all of them. A bound if that depends on more. Empty: none.
   */
  std::function<std::int64_t(const SettingValues&, std::int64_t)> random_phase = {};
  /**
   * Returns the learnt relevance, given the settings and the number of valid trials. Empty: the tuner reports
   * no lengthscales.
   */
  std::function<LearntRelevance(const SettingValues&, std::int64_t)> relevance = {};
};

/**
 * Returns the tuner's default batch size.
 * @param builders build workers of the session, or of the recording
 */
std::int64_t own_batch(const Declaration& tuner, std::int64_t builders);
/** Returns the tuner's default batch size as text, for any session: "30", "builders". */
std::string own_batch_text(const Declaration& tuner);

/** The default tuner: the tuner that is ahead in the built-in study gp-recorded. */
constexpr std::string_view default_tuner = "gp";

/**
 * The setting that names a predictor; empty: the newest predictor that fits. See
 * Declaration::uses_predictor.
 */
inline constexpr std::string_view predictor_setting = "predictor";

/** The tuners that sample a space at random, and that visit all of it. */
constexpr std::string_view sampling_tuner = "random";
constexpr std::string_view sweeping_tuner = "grid";

/** Returns all tuners in the order of the documentation. */
const std::vector<Declaration>& tuner_registry();

/**
 * Returns the series of all tuners. A series that several tuners report is listed once, with the description
 * of each tuner.
 */
const std::vector<trial::SeriesDescription>& described_series();

/** Returns the tuner with this name. The error for an unknown name suggests the nearest name. */
Result<const Declaration*> find_tuner(std::string_view name);

/**
 * Returns the sampling of a tuner; Guided for an unknown tuner, because its trials are not known to be a
 * sample.
 */
Sampling sampling_of(std::string_view tuner);

/**
 * Returns the defaults overridden by name=value texts. Errors name the hyperparameter, its range and the
 * nearest valid name.
 */
Result<SettingValues> parse_settings(const Declaration& tuner,
                                     const std::map<std::string, std::string>& texts);

}  // namespace kernelscape::tuner
