#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/chosen_trials.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/importer.h"
#include "core/space/search_space.h"

namespace kernelscape {

/**
 * A space's knobs as the scalar parameters that other tuners have: a factorization is a parameter for each
 * factor ("tile_f_0", "tile_f_1"), a permutation a text.
 */
class ScalarParameters {
 public:
  explicit ScalarParameters(const SearchSpace& space);

  /** In order; no two are equal, and none is a member that results have beside parameters. */
  const std::vector<std::string>& names() const { return names_; }
  /** Each once, in the order of the knobs' values. */
  std::vector<nlohmann::ordered_json> values(std::size_t parameter) const;
  /** One for each parameter. */
  std::vector<nlohmann::ordered_json> of(const Configuration& configuration) const;
  bool splits_knobs() const { return splits_; }  ///< some knob is more than one parameter

 private:
  struct Part {
    std::size_t knob;
    int element;
  };
  nlohmann::ordered_json value(const Part& part, std::uint32_t index) const;

  SearchSpace space_;
  std::vector<std::string> names_;
  std::vector<Part> parts_;
  bool splits_ = false;
};

/** Numbers of trials beside their times, by the trials' numbers. */
class TrialNumbers {
 public:
  /** A recorded space's columns, or the session's series. */
  static Result<TrialNumbers> of(const ExportRequest& request, const SessionRecord& record);

  /** Name and value of each that the trial has. */
  std::vector<std::pair<std::string, double>> of_trial(std::int64_t trial) const;

 private:
  std::vector<RecordedColumn> columns_;
};

/** A number of a result beside its time, as files of other tuners name it. */
struct LoggedNumber {
  std::string_view name;
  double value = 0;
  std::string_view unit = {};  ///< "B", "%"; empty: none
};
/** What a GPU kernel takes; empty of other trials. What limits its occupancy is no number. */
std::vector<LoggedNumber> resource_numbers(const Measurement& measurement);
/** Whether results of GPU kernels name such a number beside their time; the session has it with its trials.
 */
bool is_resource_number(std::string_view name);

/** What is left out of files of other tuners, told once. */
void note_what_is_left_out(const ExportRequest& request, const ExportedSession& session);

}  // namespace kernelscape
