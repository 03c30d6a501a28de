#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/formats/logged_knobs.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/schedule/target.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"
#include "core/trial/measurement.h"

namespace kernelscape::exchange {

/**
 * Returns the category of a failure that Kernel Tuner names "InvalidConfig", "CompilationFailedConfig" or
 * "RuntimeFailedConfig". Every other name, such as "ErrorConfig", is an unknown error.
 */
trial::ErrorCategory kernel_tuner_category(std::string_view name, bool on_gpu = true);
/** Returns the closest of these names for a category. */
std::string_view kernel_tuner_name(trial::ErrorCategory category);

/**
 * Returns true if an entry of Kernel Tuner has a reserved member of this name, which is neither a parameter
 * nor a metric.
 */
bool is_kernel_tuner_member(std::string_view name);

/**
 * Returns the seconds since 1970 of "2023-12-22 09:54:05.502007+00:00", also with a T, a Z or without a zone
 * (then UTC); nullopt if the text is not a time.
 */
std::optional<double> timestamp_seconds(std::string_view text);
/** Returns "2023-12-22T09:54:05Z" or, for Kernel Tuner and T4, "2023-12-22 09:54:05.502007+00:00". */
std::string logged_utc_text(double seconds);
/** Returns the second of these forms, with microseconds; empty if the calendar has no such time. */
std::string timestamp_text(double seconds);

/** Returns the header for a task of a log on a target. Measure options are unknown. */
trial::RecordingHeader logged_header(const task::Task& task, const schedule::TargetDescription& target,
                                     std::string origin);

/**
 * Reads a time from a file in seconds. It must be finite and not negative; a missing value and null are 0.
 */
Result<double> logged_seconds(const space::Json& object, std::string_view member, double units_per_second);

/** Returns true unless the device is one of the processors that occur in such files. */
bool names_gpu(std::string_view device);

/**
 * Returns a device's description that contains only its name, because these formats have no other properties.
 */
std::string logged_target_json(std::string_view device, std::string& target_name);

/**
 * Appends the numbers of a list, nested to any depth, as seconds. Errors: a value that is not a number, a
 * negative number.
 */
Status append_logged_seconds(const space::Json& list, double units_per_second, std::vector<double>& seconds);

/** Refuses an impossible measurement of a tuner (gate_values.h). @param flops of the task; 0: unknown */
Status check_measurement(const trial::Measurement& measurement, double flops = 0);

/** A number of a result other than its time, with its name. */
struct NamedNumber {
  std::string name;
  double value = 0;
  std::string unit{};  ///< empty: none, or not known
};

/**
 * Collects results with a scalar for each parameter, as in files of Kernel Tuner and T4, while they are read.
 */
class LoggedResults {
 public:
  LoggedResults() = default;
  /** Creates an empty collection. @param parameters in the order of the file, with distinct names */
  explicit LoggedResults(const std::vector<std::string>& parameters);

  bool empty() const { return measurements_.empty(); }       ///< no result was added
  std::size_t size() const { return measurements_.size(); }  ///< number of results
  /** Returns the parameters in the order of the file; readers add choices to them. */
  std::vector<LoggedKnob>& parameters() { return parameters_; }
  const std::vector<LoggedKnob>& parameters() const { return parameters_; }  ///< see above

  /**
   * Adds a result and counts it against the file's budget. Nothing is kept if the result is an error: an
   * impossible value, or more than 256 columns. @param choices one for each parameter, in their order @param
   * columns values that are not finite are omitted
   */
  Status add(ImportText& file, std::vector<LoggedChoice> choices, trial::Measurement measurement,
             std::optional<double> timestamp, const std::vector<NamedNumber>& columns);

  /** Returns the columns, each with a value for every result, and removes them. */
  std::vector<trial::RecordedColumn> take_columns();

  /**
   * Returns the trials in the order of the file. They finish at their timestamps if all have one and these
   * ascend, else one after the other. The first trial sets the time of the header.
   */
  Result<ImportedTrials> take(trial::RecordingHeader header);

 private:
  std::vector<double> finished_seconds() const;
  Status check_columns(const std::vector<NamedNumber>& columns) const;
  void set_column(const NamedNumber& number);

  std::vector<LoggedKnob> parameters_;
  std::vector<std::vector<std::uint32_t>> choices_;
  std::vector<trial::Measurement> measurements_;
  std::vector<double> timestamps_;
  std::vector<trial::RecordedColumn> columns_;
};

}  // namespace kernelscape::exchange
