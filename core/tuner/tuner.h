#pragma once

#include <functional>
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
#include "core/space/search_space.h"
#include "core/task/task.h"
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
};

using Settings = std::map<std::string, SettingValue>;

/** All of a tuner's settings: defaults, overridden by checked values. Typed access is an invariant, not
 * input. */
class SettingValues {
 public:
  SettingValues() = default;
  explicit SettingValues(Settings values) : values_(std::move(values)) {}
  std::int64_t integer(const std::string& name) const { return std::get<std::int64_t>(values_.at(name)); }
  double real(const std::string& name) const { return std::get<double>(values_.at(name)); }
  bool boolean(const std::string& name) const { return std::get<bool>(values_.at(name)); }
  const std::string& text(const std::string& name) const { return std::get<std::string>(values_.at(name)); }
  const Settings& all() const { return values_; }

 private:
  Settings values_;
};

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
};

/** No more candidates, and why: "the whole space was visited". */
struct Finished {
  std::string reason;
};

using Proposal = std::variant<std::vector<Configuration>, Finished>;

/** A number per trial that a tuner reports (epsilon, predicted deviation): stored and drawn. */
struct SeriesValue {
  std::string series;
  double value = 0;
};

/**
 * An algorithm that proposes candidates and observes trials.
 *
 * propose(n) is called when all earlier candidates were observed; it gives 1..n distinct members that were
 * never proposed before, or Finished. observe() gets the batch's trials in proposal order. No clock, no
 * global state, no I/O, no std::*_distribution, no hash order, no thread count.
 *
 * To add a tuner: one file core/tuner/NAME.cpp with its declaration and class, its test, and one line in
 * core/tuner/registry.cpp.
 */
class Tuner {
 public:
  virtual ~Tuner() = default;
  virtual Result<Proposal> propose(std::size_t n) = 0;
  virtual void observe(std::span<const Observation> observations) = 0;

  /** Values for the candidate at `position` of the last proposal. */
  virtual std::vector<SeriesValue> series(std::size_t position) const;
};

struct TunerDeclaration {
  std::string name;
  std::string summary;  ///< one line
  std::string source;   ///< paper and section
  std::int64_t default_batch = 1;
  std::vector<HyperparameterDeclaration> hyperparameters;
  std::function<Result<std::unique_ptr<Tuner>>(TunerContext)> make;
  /** What `make` would refuse of a space, of features or of settings, told before a run starts; empty:
   * nothing. */
  std::function<Status(const TunerContext&)> fits = {};
};

/** The tuner of who names none: the one that the shipped studies gp-recorded and gp-real show to be ahead. */
constexpr std::string_view default_tuner = "gp";

/** All tuners in the order of the documentation. */
const std::vector<TunerDeclaration>& tuner_registry();

/** By name; an unknown one offers the nearest. */
Result<const TunerDeclaration*> find_tuner(std::string_view name);

/** Defaults overridden by name=value texts; errors name the hyperparameter, its range and the nearest valid
 * name. */
Result<SettingValues> parse_settings(const TunerDeclaration& tuner,
                                     const std::map<std::string, std::string>& texts);

}  // namespace kernelscape
