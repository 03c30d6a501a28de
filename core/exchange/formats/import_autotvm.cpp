// Imports AutoTVM's logs, versions 0.1 and 0.2: one JSON object per line, grouped here by task, target and
// knobs.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/autotvm_task.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/formats/logged_knobs.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/schedule/template.h"
#include "core/space/knob_json.h"
#include "core/space/table_allowance.h"

namespace kernelscape::exchange {
namespace {

constexpr std::uint64_t max_table_numbers = 1ULL << 21;  // of all knobs in a file: 16 MiB
/**
 * Limit for the templates' spaces that are created to check whether a file's tasks fit them: about a second.
 */
constexpr std::uint64_t max_tried_numbers = 4 * max_table_numbers;
constexpr std::size_t longest_shown_args = 100;

/** A trial in its group. */
struct LoggedTrial {
  std::vector<std::uint32_t> choices;  ///< by knob
  std::optional<base::uint128> index;
  trial::Measurement measurement;
  double timestamp_seconds = 0;
  std::size_t line = 0;
};

/** Trials of one task, target and set of knobs. */
struct LogGroup {
  AutotvmRecord first;  ///< without its entities
  std::vector<LoggedKnob> knobs;
  std::vector<LoggedTrial> trials;
};

/** A space with the configurations of the trials. */
struct MappedSpace {
  space::SearchSpace space;
  std::vector<space::Configuration> configurations;
  std::string template_name;
  int template_version = 0;
};

/** Recognises TARGET <tab> pickle in base64 <tab> ...: a pickle of protocol 2 or later begins with "gA". */
bool is_pickle(std::string_view line) {
  return line.front() != '{' && line.front() != '[' && line.contains("\tgA");
}

bool is_metaschedule(const space::Json& line) {
  if (!line.is_array() || line.size() != 2) return false;
  return (line[0].is_string() && line[1].is_string()) || (line[0].is_number() && line[1].is_array());
}

std::unexpected<Error> other_format(std::string_view name) {
  return fail(ErrorCode::InvalidArgument, fmt::format("this line belongs to {}, in a log of AutoTVM", name),
              "split the lines of the tuners into separate files, and import these");
}

std::unexpected<Error> pickled() {
  return fail(ErrorCode::InvalidArgument,
              "it is in AutoTVM's pickle protocol: loading it could run arbitrary code",
              "convert it, if you trust it, with the TVM that wrote it: for each line write "
              "autotvm.record.encode(*autotvm.record.decode(line, 'pickle'), 'json')");
}

Result<AutotvmRecord> read_line(std::string_view line, const ReadingBudget& budget) {
  if (is_pickle(line)) return pickled();
  const space::Json json = TRY(parse_import_json(line, budget));
  if (is_metaschedule(json)) return other_format("a MetaSchedule database");
  if (const space::Json* version = space::member_of(json, "v"); version && version->is_string())
    return other_format(fmt::format("a log of Ansor, TVM's auto-scheduler ({})", shown_json(*version)));
  return autotvm_record(json);
}

/** Returns the key of a group: task, target, and the knobs, which differ between versions of TVM. */
std::string group_key(const AutotvmRecord& record) {
  std::string key =
      fmt::format("{}\n{}\n{}\n{}", record.target, record.task, record.args_json, record.template_key);
  for (const LoggedChoice& entity : record.entities)
    key += fmt::format("\n{} {}", static_cast<int>(entity.kind), entity.knob);
  return key;
}

trial::Measurement measurement_of(AutotvmRecord& record) {
  trial::Measurement measurement;
  measurement.category = record.category;
  measurement.message = std::move(record.message);
  measurement.run_seconds = record.all_cost_seconds;
  measurement.samples_seconds = std::move(record.costs_seconds);
  const std::vector<double>& samples = measurement.samples_seconds;
  if (!samples.empty())  // AutoTVM's objective
    measurement.recorded_seconds =
        std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  return measurement;
}

class LogGroups {
 public:
  /** Adds a record and counts what is kept against the file's budget. */
  Status add(ImportText& file, AutotvmRecord record, std::size_t line) {
    trial::Measurement measurement = measurement_of(record);
    TRY(check_measurement(measurement));
    const auto [found, is_new] = positions_.try_emplace(group_key(record), groups_.size());
    if (is_new) {
      TRY(check_part_count(positions_.size()));
      TRY(file.keep(sizeof(LogGroup) + 2 * found->first.size()));
      groups_.emplace_back();
      for (const LoggedChoice& entity : record.entities)
        groups_.back().knobs.emplace_back(entity.knob, entity.kind);
    }
    LogGroup& group = groups_[found->second];
    LoggedTrial trial{.choices = {},
                      .index = record.index,
                      .measurement = std::move(measurement),
                      .timestamp_seconds = record.timestamp_seconds,
                      .line = line};
    for (std::size_t i = 0; i < group.knobs.size(); ++i) {
      const std::size_t values = group.knobs[i].choices().size();
      const std::size_t numbers = record.entities[i].numbers.size();
      trial.choices.push_back(group.knobs[i].add(std::move(record.entities[i])));
      if (trial.choices.back() == values) TRY(file.keep(kept_choice_bytes + numbers * sizeof(std::int64_t)));
    }
    TRY(file.keep(kept_trial_bytes(trial.measurement, group.knobs.size())));
    group.trials.push_back(std::move(trial));
    if (!is_new) return {};
    record.entities.clear();
    group.first = std::move(record);
    return {};
  }

  std::vector<LogGroup>& groups() { return groups_; }

 private:
  std::map<std::string, std::size_t> positions_;
  std::vector<LogGroup> groups_;
};

space::Configuration configuration_of(const LoggedTrial& trial, const ChoiceIndices& indices) {
  space::Configuration configuration;
  for (std::size_t knob = 0; knob < indices.size(); ++knob)
    configuration.indices.push_back(indices[knob][trial.choices[knob]]);
  return configuration;
}

/** A trial in a template's space, with its index in the log's order of knobs. */
struct PlacedTrial {
  space::Configuration configuration;
  base::uint128 index = 0;
};

PlacedTrial placed(const LoggedTrial& trial, const space::SearchSpace& space, const KnobsInSpace& knobs) {
  PlacedTrial placed;
  placed.configuration.indices.resize(knobs.knob_of.size());
  for (std::size_t knob = knobs.knob_of.size(); knob-- > 0;) {
    const std::uint32_t choice = knobs.indices[knob][trial.choices[knob]];
    placed.configuration.indices[knobs.knob_of[knob]] = choice;
    placed.index = placed.index * space.knobs()[knobs.knob_of[knob]].count() + choice;
  }
  return placed;
}

/**
 * Returns the template's own space if every trial is a member of it and has the index that the log gives;
 * otherwise the error says why not. Some versions of TVM have another order of knobs, which only the index
 * reveals.
 */
Result<MappedSpace> template_space(const LogGroup& group, const AutotvmTask& task) {
  const schedule::ScheduledKernel kernel =
      TRY(schedule::apply_template(task.task, task.target, task.template_name));
  const KnobsInSpace knobs = TRY(knobs_in_space(kernel.space(), group.knobs));
  MappedSpace mapped{kernel.space(), {}, kernel.template_name(), kernel.template_version()};
  for (const LoggedTrial& trial : group.trials) {
    PlacedTrial here = placed(trial, mapped.space, knobs);
    if (!mapped.space.contains(here.configuration))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the configuration of line {} is not in the template's space", trial.line));
    if (trial.index != here.index) {
      const std::string there = trial.index ? base::to_string(*trial.index) : std::string("too large");
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("line {} has the index {}, in the template's space it is {}", trial.line, there,
                              base::to_string(here.index)));
    }
    mapped.configurations.push_back(std::move(here.configuration));
  }
  return mapped;
}

/** Returns a space that contains only the log's configurations. */
Result<MappedSpace> logged_space(const LogGroup& group, const AutotvmTask& task, std::uint64_t& max_numbers) {
  SplitExtent extent_of;
  if (task.plain_loops) extent_of = [&](std::string_view knob) { return split_extent(task.task, knob); };
  KnobsOfChoices logged = TRY(knobs_of_choices(group.knobs, extent_of, max_numbers));
  std::vector<space::Configuration> configurations;
  for (const LoggedTrial& trial : group.trials)
    configurations.push_back(configuration_of(trial, logged.indices));
  space::SearchSpace space = TRY(space::SearchSpace::make_explicit(std::move(logged.knobs), configurations));
  return MappedSpace{std::move(space), std::move(configurations), {}, 0};
}

std::string shortened(std::string text) {
  if (text.size() <= longest_shown_args) return text;
  std::size_t end = longest_shown_args;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole UTF-8 characters
  return text.substr(0, end) + "...";
}

class LogReader {
 public:
  explicit LogReader(ImportText& file) : file_(file) {}

  Result<ImportedFile> run() {
    TRY(read_log_lines(file_, skipped_, [this](std::string_view line, std::size_t number) -> Status {
      return groups_.add(file_, TRY(read_line(line, file_.budget())), number);
    }));
    ImportedFile imported{.format = "autotvm", .path = file_.path(), .natural = ImportAs::Session};
    for (LogGroup& group : groups_.groups()) TRY(add_part(group, imported));
    if (imported.parts.empty()) return nothing_read();
    std::vector<std::string> notices = skipped_.notices();
    std::ranges::move(notices_, std::back_inserter(notices));
    notices_ = std::move(notices);
    notices_.emplace_back("AutoTVM logs one cost per trial: it counts as run time, and build times are 0");
    if (errors_ > 0)
      notices_.push_back(
          fmt::format("{} failed trials have a category, but AutoTVM stores no message", errors_));
    imported.notices = std::move(notices_);
    return imported;
  }

 private:
  std::unexpected<Error> nothing_read() const {
    if (skipped_.first()) return std::unexpected(error_in_log(file_, *skipped_.first()));
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has no trial", file_.path().string()),
                "an AutoTVM log has a JSON object in each line");
  }

  /** Adds the part of a group. Lines from which no part can be made are skipped. */
  Status add_part(LogGroup& group, ImportedFile& imported) {
    const std::size_t lines = group.trials.size();
    const std::size_t first_line = group.trials.front().line;
    Result<ImportedTrials> part = part_of(group);
    if (part) {
      imported.parts.push_back(std::move(*part));
      return {};
    }
    const Status skipped = skipped_.skip(line_place(first_line), part.error(), lines);
    if (!skipped) return std::unexpected(error_in_log(file_, skipped.error()));
    return {};
  }

  Result<MappedSpace> space_of(const LogGroup& group, const AutotvmTask& task) {
    const std::string what = group.first.task + " " + shortened(group.first.args_json);
    std::string reason = task.not_mapped;
    if (reason.empty() && task.template_name.empty()) reason = "no template has its knobs";
    if (reason.empty()) {
      const space::TableAllowance allowance(std::min(numbers_left_, numbers_to_try_));
      Result<MappedSpace> mapped = template_space(group, task);
      numbers_to_try_ -= allowance.taken();
      if (mapped) {
        numbers_left_ -= allowance.taken();
        return mapped;
      }
      reason = mapped.error().message;
    }
    const bool known_task = task.not_mapped.empty();
    notices_.push_back(fmt::format("{}: {}; its {} created from the log", what, reason,
                                   known_task ? "space is" : "task and space are"));
    return logged_space(group, task, numbers_left_);
  }

  Result<ImportedTrials> part_of(LogGroup& group) {
    const AutotvmTask task = TRY(autotvm_task(group.first));
    TRY(skip_impossible(group, task.task.flops()));
    MappedSpace mapped = TRY(space_of(group, task));
    ImportedTrials part{
        .header = header_of(group, task, mapped), .space = std::move(mapped.space), .trials = {}};
    const double begin =
        group.trials.front().timestamp_seconds - group.trials.front().measurement.run_seconds;
    double now = 0;
    for (std::size_t i = 0; i < group.trials.size(); ++i) {
      LoggedTrial& trial = group.trials[i];
      errors_ += trial.measurement.valid() ? 0U : 1U;
      now = std::max(now, trial.timestamp_seconds - begin);
      part.trials.push_back({.configuration = std::move(mapped.configurations[i]),
                             .measurement = std::move(trial.measurement),
                             .finished_seconds = now});
    }
    group = {};
    return part;
  }

  /** Skips trials that are faster than any machine, unless all are. */
  Status skip_impossible(LogGroup& group, double flops) {
    const auto checked = [&](const LoggedTrial& trial) {
      return check_measurement(trial.measurement, flops);
    };
    const auto fails = [&](const LoggedTrial& trial) { return !checked(trial); };
    if (std::ranges::all_of(group.trials, fails)) return checked(group.trials.front());
    for (const LoggedTrial& trial : group.trials)
      if (const Status status = checked(trial); !status)
        TRY(skipped_.skip(line_place(trial.line), status.error()));
    std::erase_if(group.trials, fails);
    return {};
  }

  trial::RecordingHeader header_of(const LogGroup& group, const AutotvmTask& task,
                                   const MappedSpace& mapped) const {
    std::string origin = "AutoTVM log " + file_.path().filename().string();
    if (!group.first.tvm_version.empty()) origin += ", TVM " + group.first.tvm_version;
    trial::RecordingHeader header = logged_header(task.task, task.target, std::move(origin));
    const double began = group.trials.front().timestamp_seconds;
    constexpr double last_second = 253'402'300'799;  // of the year 9999
    if (began <= last_second) header.created_utc = base::utc_text(static_cast<std::time_t>(began));
    header.template_name = mapped.template_name;
    header.template_version = mapped.template_version;
    return header;
  }

  ImportText& file_;
  SkippedEntries skipped_{file_.path(), "lines"};
  LogGroups groups_;
  std::vector<std::string> notices_;
  std::uint64_t numbers_left_ = max_table_numbers;
  std::uint64_t numbers_to_try_ = max_tried_numbers;
  std::size_t errors_ = 0;
};

/** Returns the first line that is neither empty nor a comment. */
std::string_view first_record(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return line.substr(first);
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return {};
}

/**
 * Recognises AutoTVM logs, including pickled ones and logs of TVM's other tuners: the reader reports why it
 * cannot read these.
 */
bool recognises_autotvm(std::string_view head) {
  const std::string_view line = first_record(head);
  if (line.starts_with('[')) return true;
  if (!line.starts_with('{')) return line.contains("\tgA");
  return (names_key(line, "input") && names_key(line, "config")) ||
         (names_key(line, "i") && names_key(line, "r"));
}

Result<ImportedFile> read_autotvm_log(ImportText& file) { return LogReader(file).run(); }

}  // namespace

ImportFormat autotvm_import() {
  return {.name = "autotvm",
          .summary = "a log of AutoTVM 0.1 or 0.2",
          .files = "AutoTVM logs",
          .endings = {".json", ".log"},
          .recognises = recognises_autotvm,
          .read = read_autotvm_log};
}

}  // namespace kernelscape::exchange
