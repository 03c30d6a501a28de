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

namespace kernelscape {

/**
 * The category of a failure that Kernel Tuner names "InvalidConfig", "CompilationFailedConfig" or
 * "RuntimeFailedConfig". Every other name, such as "ErrorConfig", is an unknown error.
 */
ErrorCategory kernel_tuner_category(std::string_view name, bool on_gpu = true);
/** The nearest of these names for a category. */
std::string_view kernel_tuner_name(ErrorCategory category);

/** Whether an entry of Kernel Tuner has this member for itself: it is neither a parameter nor a metric. */
bool is_kernel_tuner_member(std::string_view name);

/**
 * Seconds since 1970 of "2023-12-22 09:54:05.502007+00:00", also with a T, a Z or no zone (then UTC); none
 * where the text is no time.
 */
std::optional<double> timestamp_seconds(std::string_view text);
/** "2023-12-22T09:54:05Z" or, for Kernel Tuner and T4, "2023-12-22 09:54:05.502007+00:00". */
std::string logged_utc_text(double seconds);
/** The second of these forms, with microseconds; empty where a calendar has no such time. */
std::string timestamp_text(double seconds);

/** What a log says of a task of its own, on a target; how it was measured is not known. */
RecordingHeader logged_header(const Task& task, const TargetDescription& target, std::string origin);

/** A number of a file that is a time: finite, not negative; missing and null are 0. In seconds. */
Result<double> logged_seconds(const Json& object, std::string_view member, double units_per_second);

/** Whether a device of this name is none of the processors that such files come from. */
bool names_gpu(std::string_view device);

/** A device's description by its name alone: all that these formats say. */
std::string logged_target_json(std::string_view device, std::string& target_name);

/** Numbers of a list, in lists of any depth, as seconds. Errors: something else, a negative number. */
Status append_logged_seconds(const Json& list, double units_per_second, std::vector<double>& seconds);

/** Refuses what a tuner measured if it cannot be (gate_values.h). @param flops of the task; 0: not known */
Status check_measurement(const Measurement& measurement, double flops = 0);

/** A number beside the time, by its name. */
using NamedNumber = std::pair<std::string, double>;

/** Results with a scalar for each parameter, as Kernel Tuner and T4 have them, while they are read. */
class LoggedResults {
 public:
  LoggedResults() = default;
  /** @param parameters in the file's order, without a name twice */
  explicit LoggedResults(const std::vector<std::string>& parameters);

  bool empty() const { return measurements_.empty(); }       ///< no result was added
  std::size_t size() const { return measurements_.size(); }  ///< results
  /** In the file's order; readers add choices to them. */
  std::vector<LoggedKnob>& parameters() { return parameters_; }
  const std::vector<LoggedKnob>& parameters() const { return parameters_; }  ///< see above

  /**
   * Adds a result, counted against the file's budget; nothing of it is kept where that is an error: what
   * cannot be, or over 256 columns.
   * @param choices one for each parameter, in their order @param columns what is not finite is left out
   */
  Status add(ImportText& file, std::vector<LoggedChoice> choices, Measurement measurement,
             std::optional<double> timestamp, const std::vector<NamedNumber>& columns);

  /** Columns alone, each with a value for every result. */
  std::vector<RecordedColumn> take_columns();

  /**
   * Trials in the file's order; they finish when their timestamps say, where all have one and these ascend,
   * else one after the other. The header gets its time from the first.
   */
  Result<ImportedTrials> take(RecordingHeader header);

 private:
  std::vector<double> finished_seconds() const;
  Status check_columns(const std::vector<NamedNumber>& columns) const;
  void set_column(const NamedNumber& number);

  std::vector<LoggedKnob> parameters_;
  std::vector<std::vector<std::uint32_t>> choices_;
  std::vector<Measurement> measurements_;
  std::vector<double> timestamps_;
  std::vector<RecordedColumn> columns_;
};

}  // namespace kernelscape
