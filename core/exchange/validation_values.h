#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/task/task.h"
#include "core/trial/measurement.h"
#include "core/trial/recording.h"

namespace kernelscape::exchange {

// The ranges of valid values in files: the validation rules, each in one place.

/** Minimum time of a kernel call: a clock cycle at 10 GHz. */
inline constexpr double shortest_call_seconds = 1e-10;
/** Maximum of times and of sums of times: ten years. */
inline constexpr double longest_seconds = 315'576'000;
/** Maximum speed of a machine. */
inline constexpr double max_possible_gflops = 1e9;

/** Returns why a kernel call cannot take this time; empty: it can. @param flops of the task; 0: unknown */
std::string impossible_call(double seconds, double flops);
/** A member of a file with an impossible value. */
struct ImpossibleMember {
  std::string member;  ///< "samples_seconds[3]"
  std::string reason;
};
/**
 * Returns the first sample that a kernel call cannot take, or all samples if they exceed the maximum number
 * of a trial. @param flops of the task; 0: unknown
 */
std::optional<ImpossibleMember> impossible_sample(std::span<const double> samples, double flops);
/** Returns why a duration other than a kernel call is impossible; empty: it is possible. */
std::string impossible_duration(double seconds);
/** Returns the first impossible one of these times, each given with its member. */
std::optional<ImpossibleMember> impossible_time(
    std::initializer_list<std::pair<std::string_view, double>> times);
/** Returns the first impossible member of a trial's result. @param flops of the task; 0: unknown */
std::optional<ImpossibleMember> impossible_measurement(const trial::Measurement& measurement, double flops);
/** Returns why trials cannot have these metrics beside their times, whatever their values; empty: they can.
 */
std::string impossible_columns(const std::vector<trial::RecordedColumn>& columns);
/** Returns true for an ISO 8601 date with a time of day in the years 1970 to 2199. */
bool is_possible_date(std::string_view text);

/** The maximum length of a kind of text, and whether it may contain line ends and tabs. */
struct TextLimits {
  std::size_t max_bytes;
  bool lines;
};
inline constexpr TextLimits name_limits{1 << 10, false};
inline constexpr TextLimits line_limits{4 << 10, false};
inline constexpr TextLimits message_limits{4 << 10, true};  ///< limits of a stored message
inline constexpr TextLimits note_limits{64 << 10, true};

/** Returns true if the text is UTF-8 without control characters and within its limits. */
bool is_clean_text(std::string_view text, const TextLimits& limits);
/**
 * Returns the text with "?" in place of each control character or byte that is not UTF-8, cut after a whole
 * character.
 */
std::string cleaned_text(std::string_view text, const TextLimits& limits);

/**
 * Returns an origin in the form that SessionRecord::origin stores: a single line for lists; a longer line is
 * shortened to its beginning and end.
 */
std::string kept_origin(std::string_view text);
/** Returns the origin of a recorded space's file. @param said the recording's own origin; may be empty */
std::string origin_of_recording(const std::filesystem::path& file, const std::string& said);

/** Collects the changes that validation made in a file, and reports them together. */
class ValidationNotices {
 public:
  /** Cleans a text for display, and notes the change. @param what "the session's name" */
  void clean(std::string& text, const TextLimits& limits, std::string_view what);
  /** Removes an impossible date and notes the change. An empty date is valid. */
  void check_date(std::string& date, std::string_view what);
  /** Adds another notice, a sentence. */
  void add(std::string notice) { others_.push_back(std::move(notice)); }

  bool changed_texts() const { return !cleaned_.empty() || !undated_.empty(); }  ///< a text was changed
  std::vector<std::string> texts() const;  ///< a line for each kind of change; empty: nothing was changed

 private:
  using Counts = std::vector<std::pair<std::string, std::size_t>>;

  static void count(Counts& counts, std::string_view what);

  Counts cleaned_;  ///< by the kind of text
  Counts undated_;
  std::vector<std::string> others_;
};

/**
 * Returns the error for invalid content. @param place "trial 3, samples_seconds[0]" @param hint empty:
 * correct that part of the file
 */
std::unexpected<Error> refused_value(std::string_view place, std::string_view reason, std::string hint = {});

/** A validated header that was read with the readers that will read it again. */
struct ValidatedHeader {
  trial::RecordingHeader header;  ///< clean texts, and JSON as its own writers write it
  task::Task task{};
};
/**
 * Validates a header. Task, target, options and baselines are read by their own readers and written again;
 * names are cleaned. Errors name the member. @param space its names and text values must be clean, and must
 * contain the first valid configuration
 */
Result<ValidatedHeader> validated_header(trial::RecordingHeader header, const space::SearchSpace& space,
                                         ValidationNotices& notices);

/** Validates a budget and returns it in stored form; an empty text sets no limits. */
Result<std::string> validated_budget(std::string_view json);
/** Validates settings of a tuner: one object of numbers, booleans and texts; an empty text is `{}`. */
Result<std::string> validated_settings(std::string_view json, ValidationNotices& notices);

}  // namespace kernelscape::exchange
