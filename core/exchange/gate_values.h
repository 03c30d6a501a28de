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

namespace kernelscape {

// What a value of a file can be at all: the gate's rules, each in one place.

/** No call of a kernel is shorter: a clock cycle at 10 GHz. */
inline constexpr double shortest_call_seconds = 1e-10;
/** No time, and no sum of times, is longer: ten years. */
inline constexpr double longest_seconds = 315'576'000;
/** No machine is faster. */
inline constexpr double most_possible_gflops = 1e9;

/** Why no call of a kernel takes so long; empty: one can. @param flops of the task; 0: not known */
std::string impossible_call(double seconds, double flops);
/** A member of a file that can't be as it stands there. */
struct ImpossibleMember {
  std::string member;  ///< "samples_seconds[3]"
  std::string reason;
};
/** The first of these samples that no call takes, or all where no trial has so many. @param flops as above */
std::optional<ImpossibleMember> impossible_sample(std::span<const double> samples, double flops);
/** Why no other time is so long; empty: one can be. */
std::string impossible_duration(double seconds);
/** Returns the first of these times, each with its member, that cannot be. */
std::optional<ImpossibleMember> impossible_time(
    std::initializer_list<std::pair<std::string_view, double>> times);
/** Returns the first member of a trial's result that cannot be. @param flops as above */
std::optional<ImpossibleMember> impossible_measurement(const Measurement& measurement, double flops);
/** ISO 8601 with a time of day, of the years 1970 to 2199. */
bool is_possible_date(std::string_view text);

/** How long a kind of text may be, and whether it may have line ends and tabs. */
struct TextLimits {
  std::size_t most_bytes;
  bool lines;
};
inline constexpr TextLimits name_limits{1 << 10, false};
inline constexpr TextLimits line_limits{4 << 10, false};
inline constexpr TextLimits message_limits{4 << 10, true};  ///< what a trial keeps of a message
inline constexpr TextLimits note_limits{64 << 10, true};

/** Whether the text is UTF-8 without control characters and within its limits. */
bool is_clean_text(std::string_view text, const TextLimits& limits);
/** The text made so: "?" for a control character or a byte that is no UTF-8, cut after a whole character. */
std::string cleaned_text(std::string_view text, const TextLimits& limits);

/** As SessionRecord::origin keeps it: a line that lists can show, of a longer one its beginning and end. */
std::string kept_origin(std::string_view text);
/** The same of a recorded space's own file. @param said the recording's own origin; may be empty */
std::string origin_of_recording(const std::filesystem::path& file, const std::string& said);

/** What the gate changed in a file, told once for all of it. */
class GateNotices {
 public:
  /** Cleans a text that is shown, and notes that it had to be. @param what "the session's name" */
  void clean(std::string& text, const TextLimits& limits, std::string_view what);
  /** Empties a date that can't be, and notes it. An empty one is none. */
  void check_date(std::string& date, std::string_view what);
  /** Anything else, as a sentence. */
  void add(std::string notice) { others_.push_back(std::move(notice)); }

  bool changed_texts() const { return !cleaned_.empty() || !undated_.empty(); }  ///< a text is not as it was
  std::vector<std::string> texts() const;  ///< a line for each kind of change; empty: nothing was changed

 private:
  using Counts = std::vector<std::pair<std::string, std::size_t>>;

  static void count(Counts& counts, std::string_view what);

  Counts cleaned_;  ///< by what they are
  Counts undated_;
  std::vector<std::string> others_;
};

/** A refusal. @param place "trial 3, samples_seconds[0]" @param hint empty: to correct that part of the file
 */
std::unexpected<Error> not_admitted(std::string_view place, std::string_view reason, std::string hint = {});

/** A header that was read by those who will read it again. */
struct AdmittedHeader {
  RecordingHeader header;  ///< texts clean, JSON as its own writers write it
  Task task{};
};
/**
 * Task, target, options and baselines are read by their own readers and written anew; names are cleaned.
 * Errors name the member. @param space whose names and text values have to be clean, and of which a first
 * valid configuration has to be
 */
Result<AdmittedHeader> admitted_header(RecordingHeader header, const SearchSpace& space,
                                       GateNotices& notices);

/** A budget as it is stored; an empty text limits nothing. */
Result<std::string> admitted_budget(std::string_view json);
/** Settings of a tuner: one object of numbers, truth values and texts; an empty text is `{}`. */
Result<std::string> admitted_settings(std::string_view json, GateNotices& notices);

}  // namespace kernelscape
