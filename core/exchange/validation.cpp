#include "core/exchange/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/visible_text.h"
#include "core/exchange/compact_trials.h"
#include "core/exchange/validation_values.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t max_tags = 256;
constexpr double share_rounding = 1e-6;  ///< relative tolerance of sums of times

constexpr std::string_view without_the_trial =
    "remove the trial from the file, or give it an error category instead of a time";

std::optional<ImpossibleMember> impossible_in_trial(const ImportedTrial& trial,
                                                    const space::SearchSpace& space, double flops) {
  if (!space.contains(trial.configuration))
    return ImpossibleMember{"configuration", "it is not in the file's space"};
  if (trial.batch < 0 || trial.position < 0) return ImpossibleMember{"batch", "its position is negative"};
  if (auto result = impossible_measurement(trial.measurement, flops)) return result;
  return impossible_time({{"finished_seconds", trial.finished_seconds}});
}

/** Validates one part of a file. */
class PartValidation {
 public:
  /**
   * Creates the validation of a part. @param prefix prefix of places: the part's name if a file has several
   */
  PartValidation(ImportedTrials& part, std::string prefix, ValidationNotices& notices)
      : part_(part), prefix_(std::move(prefix)), notices_(notices) {}

  Status run() {
    Result<ValidatedHeader> header = validated_header(part_.header, part_.space, notices_);
    if (!header) return at(header.error());
    flops_ = header->task.flops();
    part_.header = std::move(header->header);
    if (!is_clean_text(part_.tuner, name_limits)) return refuse("tuner", "it is not a valid name of a tuner");
    if (!part_.own) order_by_work();
    TRY(check_trials());
    TRY(check_columns());
    if (!part_.own) return {};
    own_ = &*part_.own;
    TRY(take_record());
    TRY(check_status());
    TRY(check_beside());
    return clean_annotation();
  }

 private:
  std::unexpected<Error> at(const Error& error) const {
    return fail(error.code, prefix_ + error.message, error.hint);
  }
  std::unexpected<Error> refuse(std::string_view place, std::string_view reason,
                                std::string hint = {}) const {
    return refused_value(prefix_ + std::string(place), reason, std::move(hint));
  }

  /**
   * Orders trials by build and run time. Logs that were concatenated can have timestamps that jump by years,
   * or none at the beginning.
   */
  void order_by_work() {
    const auto leaps = [](const ImportedTrial& trial) {
      return !(trial.finished_seconds <= longest_seconds);
    };
    if (std::ranges::none_of(part_.trials, leaps)) return;
    double now = 0;
    for (ImportedTrial& trial : part_.trials) {
      now += trial.measurement.build_seconds + trial.measurement.run_seconds;
      trial.finished_seconds = now;
    }
    notices_.add("its timestamps span more than ten years: its trials are imported one after the other");
  }

  Status check_trials() {
    if (part_.compact) {
      const Status checked = check_compact_trials(*part_.compact, flops_);
      return checked ? Status() : Status(at(checked.error()));
    }
    double work_seconds = 0;
    std::map<std::string_view, std::string_view> units;  // by metric
    for (std::size_t i = 0; i < part_.trials.size(); ++i) {
      ImportedTrial& trial = part_.trials[i];
      trial::Measurement& measurement = trial.measurement;
      if (const auto wrong = impossible_in_trial(trial, part_.space, flops_))
        return refuse(fmt::format("trial {}, {}", i, wrong->member), wrong->reason,
                      std::string(without_the_trial));
      for (const trial::Metric& metric : measurement.metrics)
        if (const auto known = units.try_emplace(metric.name, metric.unit).first;
            known->second != metric.unit)
          return refuse(
              fmt::format("trial {}, metrics", i),
              fmt::format("the unit of {} is {}, and {} in an earlier trial", base::quoted_line(metric.name),
                          base::quoted_line(metric.unit), base::quoted_line(known->second)),
              "give a metric the same unit in all trials");
      work_seconds += measurement.build_seconds + measurement.run_seconds;
      notices_.clean(measurement.message, message_limits, "messages");
      notices_.clean(measurement.build_log, message_limits, "build logs");
      notices_.clean(measurement.worker, name_limits, "names of workers");
    }
    if (const std::string why = impossible_duration(work_seconds); !why.empty())
      return refuse("the sum of its trials' times", why);
    return {};
  }

  Status check_columns() {
    if (const std::string why = impossible_columns(part_.columns); !why.empty())
      return refuse("the metrics beside the time", why,
                    "rename or remove columns; of a table, --metrics names those that are kept");
    for (const trial::RecordedColumn& column : part_.columns) {
      if (column.values.size() != trial_count(part_))
        return refuse(column.name, fmt::format("it has {} values for {} trials", column.values.size(),
                                               trial_count(part_)));
      const auto infinite =
          std::ranges::find_if(column.values, [](double value) { return std::isinf(value); });
      if (infinite != column.values.end())
        return refuse(fmt::format("trial {}, {}", infinite - column.values.begin(), column.name),
                      "it is not finite", std::string(without_the_trial));
    }
    return {};
  }

  /** Validates the record of a session of this program, as far as the part's header does not contain it. */
  Status take_record() {
    store::SessionRecord& record = own_->record;
    Result<std::string> budget = validated_budget(record.budget_json);
    if (!budget) return at(budget.error());
    Result<std::string> settings = validated_settings(record.settings_json, notices_);
    if (!settings) return at(settings.error());
    if (record.batch_size < 0 || record.batch_size > std::numeric_limits<std::int32_t>::max())
      return refuse("batch_size", fmt::format("{} is not a valid batch size", record.batch_size));
    record.budget_json = std::move(*budget);
    record.settings_json = std::move(*settings);
    record.name = part_.header.name;
    record.created_utc = part_.header.created_utc;
    record.program_version = part_.header.program_version;
    record.task_json = part_.header.task_json;
    record.target_name = part_.header.target_name;
    record.target_json = part_.header.target_json;
    record.options_json = part_.header.options_json;
    record.tuner = part_.tuner;
    // Ids of sessions in another database.
    record.history_json = "[]";
    return {};
  }

  Status check_status() {
    store::SessionStatus& status = own_->status;
    if (const auto wrong = impossible_time({{"session_seconds", status.session_seconds},
                                            {"search_seconds", status.search_seconds},
                                            {"build_seconds", status.build_seconds},
                                            {"run_seconds", status.run_seconds}}))
      return refuse("status, " + wrong->member, wrong->reason);
    count_best(status);
    cover_times(status);
    notices_.clean(status.state_reason, message_limits, "the reason of the state");
    status.vendor_json = part_.header.vendor_json;
    return {};
  }

  void count_best(store::SessionStatus& status) {
    const BestTrial best = best_trial_of(part_.trials);
    const std::int64_t named = status.best_trial;
    const double seconds = status.best_seconds;
    status.trial_count = std::ssize(part_.trials);
    status.best_trial = best.trial;
    status.best_seconds = best.seconds;
    if (named < 0) return;
    // The named trial may be one of several equally fast trials.
    const bool is_there = named < status.trial_count;
    const double there =
        is_there ? part_.trials[static_cast<std::size_t>(named)].measurement.ranking_seconds() : 0;
    if (there > 0 && there == best.seconds) status.best_trial = named;
    if (status.best_trial != named || seconds != best.seconds)
      notices_.add("the best trial in its status differs from that of its trials, which is used");
  }

  /**
   * Increases the session's time to the end of its last trial, and to the sum of its phases, which share its
   * wall time.
   */
  void cover_times(store::SessionStatus& status) {
    double least = 0;
    for (const ImportedTrial& trial : part_.trials) least = std::max(least, trial.finished_seconds);
    // The times in logs of other programs are build and run times, possibly of several workers.
    if (own_->record.kind != store::SessionKind::Imported)
      least = std::max(least, status.search_seconds + status.build_seconds + status.run_seconds);
    if (status.session_seconds >= least) return;
    if (status.session_seconds < least * (1 - share_rounding))
      notices_.add("its session is shorter than its trials and phases: its time was increased to theirs");
    status.session_seconds = least;
  }

  bool has_trial(std::int64_t trial) const { return trial >= 0 && trial < std::ssize(part_.trials); }

  Status check_confirmation(trial::Confirmation& confirmation) {
    const std::string place = fmt::format("confirmation of trial {}", confirmation.trial);
    if (confirmation.trial != -1) {
      if (!has_trial(confirmation.trial)) return refuse(place, "there is no such trial");
      if (!part_.trials[static_cast<std::size_t>(confirmation.trial)].measurement.valid())
        return refuse(place, "the trial failed");
    }
    if (const auto wrong = impossible_sample(confirmation.samples_seconds, flops_))
      return refuse(fmt::format("{}, {}", place, wrong->member), wrong->reason);
    notices_.check_date(confirmation.measured_utc, "measured_utc");
    return {};
  }

  /** Validates data that refers to trials and to the time axis. */
  Status check_beside() {
    for (trial::Confirmation& confirmation : own_->confirmations) TRY(check_confirmation(confirmation));
    for (const store::StoredSeries& value : own_->series) {
      if (!has_trial(value.trial))
        return refuse("series", fmt::format("it has a value of trial {}, which does not exist", value.trial));
      if (value.series.empty() || !is_clean_text(value.series, name_limits))
        return refuse("series", "one of its names is invalid");
    }
    for (store::SessionInterruption& interruption : own_->interruptions) {
      if (const std::string why = impossible_duration(interruption.at_session_seconds); !why.empty())
        return refuse("interruptions, at_session_seconds", why);
      notices_.clean(interruption.kind, name_limits, "kinds of interruptions");
    }
    return check_said();
  }

  /** Validates the notices of the original session. */
  Status check_said() {
    std::vector<trial::SessionNotice>& said = own_->notices;
    if (std::ssize(said) > store::max_session_notices)
      return refuse("notices", fmt::format("there are {}, at most {} are read", said.size(),
                                           store::max_session_notices));
    for (trial::SessionNotice& notice : said) {
      if (const std::string why = impossible_duration(notice.session_seconds); !why.empty())
        return refuse("notices, session_seconds", why);
      notices_.clean(notice.kind, name_limits, "kinds of notices");
      notices_.clean(notice.text, message_limits, "notices");
    }
    std::erase_if(said, [](const trial::SessionNotice& notice) { return notice.text.empty(); });
    return {};
  }

  Status clean_annotation() {
    store::SessionAnnotation& annotation = own_->annotation;
    if (annotation.tags.size() > max_tags)
      return refuse("tags",
                    fmt::format("there are {}, at most {} are read", annotation.tags.size(), max_tags));
    std::erase(annotation.tags, std::string());
    for (std::string& tag : annotation.tags) notices_.clean(tag, name_limits, "tags");
    notices_.clean(annotation.note, note_limits, "the note");
    return {};
  }

  ImportedTrials& part_;
  std::string prefix_;
  ValidationNotices& notices_;
  double flops_ = 0;
  ImportedOwnSession* own_ = nullptr;
};

}  // namespace

BestTrial best_trial_of(std::span<const ImportedTrial> trials) {
  BestTrial best;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const trial::Measurement& measurement = trials[i].measurement;
    const double seconds = measurement.ranking_seconds();
    const bool timed = measurement.valid() && seconds > 0;
    if (timed && (best.trial < 0 || seconds < best.seconds)) best = {static_cast<std::int64_t>(i), seconds};
  }
  return best;
}

Result<ImportedFile> validated(ImportedFile file) {
  ValidationNotices notices;
  for (ImportedTrials& part : file.parts) {
    const std::string name = cleaned_text(part.header.name, name_limits);
    PartValidation gate(part, file.parts.size() > 1 ? name + ": " : std::string(), notices);
    if (const Status passed = gate.run(); !passed)
      return fail(passed.error().code, fmt::format("{}: {}", file.path.string(), passed.error().message),
                  passed.error().hint);
  }
  for (std::string& notice : file.notices) notice = cleaned_text(notice, line_limits);
  std::ranges::move(notices.texts(), std::back_inserter(file.notices));
  return file;
}

}  // namespace kernelscape::exchange
