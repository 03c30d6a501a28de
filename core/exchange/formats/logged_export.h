#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/importer.h"
#include "core/space/search_space.h"

namespace kernelscape::exchange {

/**
 * A space's knobs as the scalar parameters of other tuners: a factorization becomes a parameter for each
 * factor ("tile_f_0", "tile_f_1"), a permutation becomes a text.
 */
class ScalarParameters {
 public:
  explicit ScalarParameters(const space::SearchSpace& space);

  /**
   * Returns the names in order. They are distinct, and none equals a member that results have beside
   * parameters.
   */
  const std::vector<std::string>& names() const { return names_; }
  /** Returns the distinct values in the order of the knobs' values. */
  std::vector<nlohmann::ordered_json> values(std::size_t parameter) const;
  /** Returns one value for each parameter. */
  std::vector<nlohmann::ordered_json> of(const space::Configuration& configuration) const;
  bool splits_knobs() const { return splits_; }  ///< a knob has more than one parameter

 private:
  struct Part {
    std::size_t knob;
    int element;
  };
  nlohmann::ordered_json value(const Part& part, std::uint32_t index) const;

  space::SearchSpace space_;
  std::vector<std::string> names_;
  std::vector<Part> parts_;
  bool splits_ = false;
};

/** Numbers that a tuner reported for trials, by the trials' numbers. */
class TrialNumbers {
 public:
  /** Reads the series of a session; a recorded space has none. */
  static Result<TrialNumbers> of(const ExportRequest& request, const store::SessionRecord& record);

  /** Returns the names and values that the trial has. */
  std::vector<std::pair<std::string, double>> of_trial(std::int64_t trial) const;

 private:
  std::vector<trial::RecordedColumn> columns_;
};

/** A number of a result other than its time, with its name in files of other tuners. */
struct LoggedNumber {
  std::string_view name;
  double value = 0;
  std::string_view unit = {};  ///< "B", "%"; empty: none
};
/**
 * Returns the resources of a GPU kernel; empty for other trials. The limit of the occupancy is not a number
 * and is omitted.
 */
std::vector<LoggedNumber> resource_numbers(const trial::Measurement& measurement);
/**
 * Returns the metrics of a trial, without those whose name means something else in such files. The texts are
 * those of the measurement.
 */
std::vector<LoggedNumber> metric_numbers(const trial::Measurement& measurement);
/**
 * Returns true if results of GPU kernels have a number of this name beside their time. The session stores it
 * with its trials.
 */
bool is_resource_number(std::string_view name);

/** Reports once what files of other tuners omit. */
void note_what_is_left_out(const ExportRequest& request, const ExportedSession& session);

}  // namespace kernelscape::exchange
