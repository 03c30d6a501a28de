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

namespace kernelscape {

/** The value of a hyperparameter; `to_string` as for the values of knobs. */
using SettingValue = KnobValue;

/**
 * A hyperparameter, declared once in its tuner's file: command line, form, documentation and stored sessions
 * come from here.
 */
struct HyperparameterDeclaration {
  std::string name;
  SettingValue default_value;  ///< fixes the type
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::vector<std::string> choices;  ///< texts only
  std::string unit;
  std::string documentation;  ///< one line
  std::string source;         ///< "NoSE, section V-D", "AutoTVM", "ours"
  /// What sessions had that were stored before the setting existed; none: the default.
  std::optional<SettingValue> before = {};
};

/** Settings by name: all of a tuner's, checked, those at their defaults too. The struct that read_settings()
 * makes of them has each as a member. */
using SettingValues = std::map<std::string, SettingValue>;

/** Says of members whether they are wanted; any thread may ask. Empty: all are. */
using MemberFilter = std::function<bool(const Configuration&)>;

/** Everything a tuner may know. A tuner is a deterministic function of it and of the observations in order.
 */
struct TunerContext {
  SearchSpace space;  ///< membership already restricted where limits are respected
  Task task;
  FeatureSets features;              ///< for surrogates
  std::vector<Observation> history;  ///< trials of other sessions of comparable spaces; may be empty
  std::int64_t trial_budget = 0;     ///< 0: none
  SettingValues settings;
  Random random{0};
  /**
   * Features of the history's trials, one row each, where they come from another space, in which their
   * indices mean other values; empty: history trials that are members of `space` are described by `features`.
   */
  std::vector<std::vector<float>> history_features = {};
  /** FeatureExtractor::names() of what made `history_features`: rows of other columns, such as the variables
   * of another CSP, are not mixed with this session's. */
  std::vector<std::string> history_columns = {};
  /** Of the task's kernels on the target, trained before; null: there is none. */
  std::shared_ptr<const PerformancePredictor> predictor = {};
  /** What is within the target's limits, as far as `space` leaves them open; for tuners with a predictor. */
  MemberFilter within_limits = {};
};

/** No more candidates, and why: "the whole space was visited". */
struct Finished {
  std::string reason;
};

using Proposal = std::variant<std::vector<Configuration>, Finished>;

/**
 * An algorithm that proposes candidates and observes trials.
 *
 * propose(n) is called when all earlier candidates were observed; it gives 1..n distinct members that were
 * never proposed before, or Finished. observe() gets the batch's trials in proposal order. No clock, no
 * global state, no I/O, no std::*_distribution, no hash order, no thread count.
 *
 * To add a tuner: one file core/tuner/NAME.cpp with its class and a function that gives its declaration, and
 * that function's line in core/tuner/registry.cpp; its test, and its name in tuner_settings_test. All that
 * others know of a tuner is its declaration.
 */
class Tuner {
 public:
  virtual ~Tuner() = default;
  /** 1 to n new members, or Finished. Errors: what its model reports. @param n at least 1 */
  virtual Result<Proposal> propose(std::size_t n) = 0;
  /** The trials of the last proposal, in its order; failed ones have fitness 0. */
  virtual void observe(std::span<const Observation> observations) = 0;

  /** Values for the candidate at `position` of the last proposal. */
  virtual std::vector<SeriesValue> series(std::size_t position) const;
};

/** Which members of a space a tuner proposes, as far as that makes them a sample of it. */
enum class Sampling : std::uint8_t {
  Guided,   ///< no fair sample: what it learns decides
  Uniform,  ///< uniformly random members
  InOrder   ///< members in the order of their indices
};

/** Of TunerDeclaration::random_phase: nothing that is learnt ever decides. */
inline constexpr std::int64_t all_trials_random = std::numeric_limits<std::int64_t>::max();

/** What a tuner has learnt of which columns of a space matter, by the lengthscales that it reports. */
struct LearntRelevance {
  std::int64_t from_trials = 0;  ///< valid trials from which on there are lengthscales
  KernelShape kernel = {};       ///< what they are of
};

/** Of TunerDeclaration::default_batch, and where a session is asked for: as many candidates as are built at
 * the same time. A stored session has their number. */
inline constexpr std::int64_t batch_of_builders = -1;

struct TunerDeclaration {
  std::string name;
  std::string summary;             ///< one line
  std::string source;              ///< paper and section
  std::int64_t default_batch = 1;  ///< candidates of a batch where none is asked for, or batch_of_builders
  std::vector<HyperparameterDeclaration> hyperparameters = {};
  std::function<Result<std::unique_ptr<Tuner>>(TunerContext)> make;
  /** What `make` would refuse of a space, of features or of settings, told before a run starts; empty:
   * nothing. */
  std::function<Status(const TunerContext&)> fits = {};
  /** What to tell the user of a run before it starts, though nothing is wrong; empty: nothing. */
  std::function<std::string(const TunerContext&)> notice = {};
  std::vector<SeriesDescription> series = {};  ///< all that it can report
  Sampling sampling = Sampling::Guided;
  bool uses_predictor = false;    ///< its setting "predictor" names that of the context
  bool starts_with_best = false;  ///< its first candidate is the best trial of the history
  /** Its model learns from rows of features, TunerContext::history_features: those of other spaces too, where
   * its setting "features" names a set whose columns are the same in both. */
  bool learns_from_features = false;
  /** How many of the first trials of a run without history are drawn before anything that was learnt decides,
   * by its settings; all_trials_random: all of them; empty: none. */
  std::function<std::int64_t(const SettingValues&)> random_phase = {};
  /** From its settings and the number of valid trials; empty: it reports no lengthscales. */
  std::function<LearntRelevance(const SettingValues&, std::int64_t)> relevance = {};
};

/** The tuner's own batch. @param builders of the session: build workers, or those of the recording */
std::int64_t own_batch(const TunerDeclaration& tuner, std::int64_t builders);
/** The same in words, of any session: "30", "builders". */
std::string own_batch_text(const TunerDeclaration& tuner);

/** The tuner of who names none: the one that the shipped studies gp-recorded and gp-real show to be ahead. */
constexpr std::string_view default_tuner = "gp";

/** The setting that names a predictor: empty for the newest that fits, see TunerDeclaration::uses_predictor.
 */
inline constexpr std::string_view predictor_setting = "predictor";

/** The tuners of who wants a random sample of a space, and all of it. */
constexpr std::string_view sampling_tuner = "random";
constexpr std::string_view sweeping_tuner = "grid";

/** All tuners in the order of the documentation. */
const std::vector<TunerDeclaration>& tuner_registry();

/** The series of all tuners. One that several report is there once, with what each of them says of itself. */
const std::vector<SeriesDescription>& described_series();

/** By name; an unknown one offers the nearest. */
Result<const TunerDeclaration*> find_tuner(std::string_view name);

/** Of a tuner that is unknown, Guided: then nothing is known to be a sample. */
Sampling sampling_of(std::string_view tuner);

/** Defaults overridden by name=value texts; errors name the hyperparameter, its range and the nearest valid
 * name. */
Result<SettingValues> parse_settings(const TunerDeclaration& tuner,
                                     const std::map<std::string, std::string>& texts);

}  // namespace kernelscape
