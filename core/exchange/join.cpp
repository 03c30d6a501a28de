#include "core/exchange/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/int128.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/joined_knobs.h"
#include "core/exchange/repeated_trials.h"
#include "core/exchange/session_recording.h"
#include "core/exchange/validation.h"
#include "core/exchange/validation_values.h"
#include "core/schedule/target.h"
#include "core/task/task.h"
#include "core/trial/recording_builder.h"

namespace kernelscape::exchange {
namespace {

std::unexpected<Error> refused_join(std::string message, std::string hint) {
  return fail(ErrorCode::InvalidArgument, "they cannot be joined: " + std::move(message), std::move(hint));
}

constexpr std::string_view joined_from = "joined from ";

/** Returns the origin without the words that a join put before it. */
std::string_view origin_of_parts(const trial::RecordingHeader& header) {
  std::string_view origin = header.origin;
  if (origin.starts_with(joined_from)) origin.remove_prefix(joined_from.size());
  return origin;
}

/** Returns true if the task has the name of its file: tables and scans do not name their kernel. */
bool is_named_by_file(const trial::RecordingHeader& header) {
  constexpr std::array<std::string_view, 2> origins{"table ", "hyperfine results "};
  const std::string_view parts = origin_of_parts(header);
  return std::ranges::any_of(origins, [&](std::string_view origin) { return parts.starts_with(origin); });
}

/** Compares the spaces with the first, and makes the header of the joined space. */
class JoinedHeader {
 public:
  JoinedHeader(std::span<const JoinSource> sources, const JoinRequest& request)
      : sources_(sources), header_(sources.front().recording->header()), of_device_(&sources.front()) {
    header_.name = cleaned_text(request.name, name_limits);
    std::vector<std::string> origins;
    for (const JoinSource& source : sources)
      origins.emplace_back(origin_of_parts(source.recording->header()));
    header_.origin = fmt::format("{}{}", joined_from, base::join(origins, "; "));
  }

  Result<trial::RecordingHeader> run() {
    for (const JoinSource& source : sources_.subspan(1)) {
      TRY(compare_tasks(source));
      TRY(compare_targets(source));
      compare_measuring(source);
    }
    TRY(compare_units());
    if (renamed_) TRY(name_task());
    return header_;
  }

  std::vector<std::string>& notices() { return notices_; }
  /** The speed probes of the spaces have different usual times. */
  bool drops_probes() const { return drops_probes_; }

 private:
  const std::string& first() const { return sources_.front().shown; }

  Status compare_tasks(const JoinSource& source) {
    const trial::RecordingHeader& other = source.recording->header();
    const task::Task mine = TRY(task::task_from_json(header_.task_json));
    const task::Task its = TRY(task::task_from_json(other.task_json));
    if (other.template_name != header_.template_name || other.template_version != header_.template_version)
      return refused_join(fmt::format("{} is of the template {}, {} of {}", first(), template_text(header_),
                                      source.shown, template_text(other)),
                          "join measurements of one kernel");
    if (other.project_json != header_.project_json)
      return refused_join(fmt::format("the projects of {} and {} differ", first(), source.shown),
                          "join measurements of one kernel");
    const auto* generic = std::get_if<task::GenericProblem>(&mine.definition);
    const auto* its_generic = std::get_if<task::GenericProblem>(&its.definition);
    if (generic != nullptr && its_generic != nullptr) {
      if (generic->objective != its_generic->objective || generic->unit != its_generic->unit)
        return refused_join(fmt::format("the objective of {} is {}, that of {} is {}", first(),
                                        objective_text(*generic), source.shown, objective_text(*its_generic)),
                            "import the tables again with the same --objective and --unit");
      const bool only_name = generic->flops == its_generic->flops && generic->bytes == its_generic->bytes;
      const bool by_files = is_named_by_file(sources_.front().recording->header()) && is_named_by_file(other);
      renamed_ = renamed_ || (by_files && generic->problem != its_generic->problem);
      if (only_name && (by_files || generic->problem == its_generic->problem)) return {};
    }
    if (mine.text == its.text && mine.definition == its.definition) return {};
    return refused_join(
        fmt::format("the kernel of {} is {}, that of {} is {}", first(), mine.text, source.shown, its.text),
        "join measurements of one kernel");
  }

  static std::string template_text(const trial::RecordingHeader& header) {
    if (header.template_name.empty()) return "another program";
    return fmt::format("{} version {}", header.template_name, header.template_version);
  }

  static std::string objective_text(const task::GenericProblem& problem) {
    return problem.unit.empty() ? problem.objective
                                : fmt::format("{} in {}", problem.objective, problem.unit);
  }

  static std::string device_text(const schedule::TargetDescription& target) {
    const std::string kind(schedule::to_string(target.kind));
    return fmt::format("{} ({})", target.device.empty() ? "an unknown device" : target.device,
                       target.isa.empty() ? kind : kind + ", " + target.isa);
  }

  Status compare_targets(const JoinSource& source) {
    const trial::RecordingHeader& other = source.recording->header();
    if (other.target_json == header_.target_json) return {};
    const schedule::TargetDescription mine = TRY(schedule::target_from_json(header_.target_json));
    const schedule::TargetDescription its = TRY(schedule::target_from_json(other.target_json));
    if (mine.device.empty() || its.device.empty()) {
      // A table does not name its device.
      const bool unknown_here = mine.device.empty();
      notices_.push_back(fmt::format("{} does not name its device: it is taken as {}",
                                     unknown_here ? first() : source.shown,
                                     device_text(unknown_here ? its : mine)));
      if (unknown_here) {
        header_.target_json = other.target_json;
        header_.target_name = other.target_name;
        of_device_ = &source;
      }
      return {};
    }
    if (mine.kind != its.kind || mine.device != its.device || mine.isa != its.isa)
      return refused_join(fmt::format("{} was measured on {}, {} on {}", of_device_->shown, device_text(mine),
                                      source.shown, device_text(its)),
                          "compare them in the view Compare, or join measurements of one device");
    notices_.push_back(fmt::format("{} was measured with another compiler, driver or other flags than {}",
                                   source.shown, of_device_->shown));
    return {};
  }

  void compare_measuring(const JoinSource& source) {
    const trial::RecordingHeader& other = source.recording->header();
    if (other.options_json != header_.options_json)
      notices_.push_back(fmt::format("{} was measured with other options than {}", source.shown, first()));
    if (other.usual_probe != header_.usual_probe || other.probe_version != header_.probe_version)
      drops_probes_ = true;
    header_.created_utc = std::max(header_.created_utc, other.created_utc);
    // Baselines that were measured otherwise cannot be compared.
    if (header_.vendor_json.empty() && other.options_json == header_.options_json)
      header_.vendor_json = other.vendor_json;
    if (drops_probes_) {
      header_.usual_probe = {};
      header_.probe_version = 0;
    }
  }

  /** Refuses values of one metric in several units, of which one would be stored. */
  Status compare_units() const {
    std::map<std::string, std::pair<std::string, std::string>> units;  // by metric: the unit, and who has it
    const auto shown = [](const std::string& unit) {
      return unit.empty() ? "no unit" : base::one_line(unit);
    };
    for (const JoinSource& source : sources_)
      for (const trial::MetricName& metric : source.recording->metric_names()) {
        const auto [known, is_new] = units.try_emplace(metric.name, metric.unit, source.shown);
        const auto& [unit, who] = known->second;
        if (unit != metric.unit)
          return refused_join(
              fmt::format("the unit of {} differs: {} in {}, {} in {}", base::one_line(metric.name),
                          shown(unit), who, shown(metric.unit), source.shown),
              "give the metric one unit in all files, or another name in one of them");
      }
    if (units.size() > trial::max_metrics)
      return refused_join(
          fmt::format("together they have {} metrics, more than {}", units.size(), trial::max_metrics),
          "import the tables again with those that matter: --metrics");
    return {};
  }

  /** Names the task of tables, which have the names of their files, by the joined space. */
  Status name_task() {
    const task::Task task = TRY(task::task_from_json(header_.task_json));
    auto problem = std::get<task::GenericProblem>(task.definition);
    problem.problem = header_.name;
    header_.task_json = task::task_to_json(TRY(task::make_generic_task(problem, problem.problem)));
    notices_.push_back("the files do not name their kernel: it is taken to be the same");
    return {};
  }

  std::span<const JoinSource> sources_;
  trial::RecordingHeader header_;
  const JoinSource* of_device_;  ///< whose target the header has
  std::vector<std::string> notices_;
  bool renamed_ = false;
  bool drops_probes_ = false;
};

/** A row of a source with the index of its configuration in the joined space. */
struct JoinedRow {
  base::uint128 index = 0;
  std::uint32_t source = 0;
  std::uint32_t row = 0;

  auto operator<=>(const JoinedRow&) const = default;
};

/** The rows of all sources; those of a configuration follow each other in the order of the sources. */
class JoinedRows {
 public:
  JoinedRows(std::span<const JoinSource> sources, const JoinedKnobs& knobs, const space::SearchSpace& space,
             bool drops_probes)
      : sources_(sources), drops_probes_(drops_probes) {
    space::Configuration configuration;
    configuration.indices.resize(knobs.knobs.size());
    for (std::uint32_t source = 0; source < sources.size(); ++source) {
      const trial::Recording& recording = *sources[source].recording;
      for (std::uint32_t row = 0; row < recording.size(); ++row) {
        const space::Configuration its = recording.configuration(row);
        for (std::size_t knob = 0; knob < knobs.knobs.size(); ++knob) {
          const JoinedChoice& choice = knobs.choices[source][knob];
          configuration.indices[knob] = choice.indices[choice.knob ? its.indices[*choice.knob] : 0];
        }
        rows_.push_back({space.index_of(configuration), source, row});
      }
    }
    std::ranges::sort(rows_);
    for (std::size_t begin = 0; begin < rows_.size(); begin = end_of(begin)) ++configurations_;
  }

  std::size_t configurations() const { return configurations_; }           ///< different ones
  std::size_t repeated() const { return rows_.size() - configurations_; }  ///< rows beyond the first of each
  std::size_t mixed() const { return mixed_; }  ///< configurations that failed once, and were valid once

  Result<std::shared_ptr<const trial::Recording>> build(const trial::RecordingHeader& header,
                                                        const space::SearchSpace& space) {
    trial::Measurement merged;
    std::size_t begin = 0;
    // Rows are requested in ascending order.
    const auto next = [&](std::size_t) {
      const std::size_t end = end_of(begin);
      merged = measurement(rows_[begin]);
      bool mixed = false;
      for (std::size_t i = begin + 1; i < end; ++i) {
        const trial::Measurement later = measurement(rows_[i]);
        mixed = mixed || later.valid() != merged.valid();
        merge_measurement(merged, later);
      }
      mixed_ += mixed ? 1U : 0U;
      return trial::RecordingRow{rows_[std::exchange(begin, end)].index, &merged};
    };
    return trial::build_recording(header, space, configurations_, next, {});
  }

 private:
  std::size_t end_of(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < rows_.size() && rows_[end].index == rows_[begin].index) ++end;
    return end;
  }

  trial::Measurement measurement(const JoinedRow& row) const {
    trial::Measurement measurement = sources_[row.source].recording->measurement(row.row);
    if (drops_probes_) {
      measurement.compute_probe_before_seconds = measurement.memory_probe_before_seconds = 0;
      measurement.compute_probe_after_seconds = measurement.memory_probe_after_seconds = 0;
    }
    return measurement;
  }

  std::span<const JoinSource> sources_;
  bool drops_probes_;
  std::vector<JoinedRow> rows_;
  std::size_t configurations_ = 0;
  std::size_t mixed_ = 0;
};

/** Returns the space of the joined parameters: with the constraints if all spaces have the same. */
Result<space::SearchSpace> joined_space(std::span<const JoinSource> sources,
                                        const std::vector<space::Knob>& knobs) {
  const space::SearchSpace& first = sources.front().recording->whole_space();
  const auto same = [&](const JoinSource& source) {
    return source.recording->whole_space().fingerprint() == first.fingerprint();
  };
  if (std::ranges::all_of(sources, same) && first.knobs() == knobs) return first;
  return space::SearchSpace::make(knobs);
}

/**
 * Removes the template or project from the header if its values have other positions in the joined space: it
 * would make other kernels than those that were measured.
 */
void forget_other_program(trial::RecordingHeader& header, std::vector<std::string>& notices) {
  if (header.template_name.empty() && header.project_json.empty()) return;
  header.template_name.clear();
  header.template_version = 0;
  header.project_json.clear();
  notices.emplace_back(
      "the lists have different values of the parameters, so the joined space does not show the source of "
      "its "
      "kernels; the joined sessions still do");
}

}  // namespace

Result<JoinSource> join_source_of_session(const store::Store& store, store::SessionId session) {
  std::shared_ptr<const trial::Recording> recording = TRY(recording_of_session(store, session));
  return JoinSource{fmt::format("session {}", session), std::move(recording)};
}

Result<JoinSource> join_source_of_file(const ImportSource& source) {
  const std::string shown = source.path.filename().string();
  if (is_recording_file(source.path)) {
    ValidatedRecording opened = TRY(open_recording(source.path));
    return JoinSource{shown, std::move(opened.recording)};
  }
  const ImportedFile file = TRY(read_import(source));
  if (file.parts.size() != 1)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} has results of {} tasks, of which one can be joined", source.path.string(),
                            file.parts.size()),
                "import it, and join its sessions by number: --join NAME recorded:3 recorded:7");
  std::shared_ptr<const trial::Recording> recording = TRY(recording_of(file.parts.front()));
  return JoinSource{shown, std::move(recording)};
}

Result<JoinedSpace> join_recordings(std::span<const JoinSource> sources, const JoinRequest& request) {
  if (sources.size() < 2)
    return fail(ErrorCode::InvalidArgument, "a join needs at least two recorded spaces", "name another one");
  JoinedHeader header(sources, request);
  trial::RecordingHeader joined = TRY(header.run());
  const JoinedKnobs knobs = TRY(join_knobs(sources, request.missing));
  const space::SearchSpace space = TRY(joined_space(sources, knobs.knobs));
  JoinedRows rows(sources, knobs, space, header.drops_probes());
  JoinedSpace result{.recording = nullptr, .notices = std::move(header.notices())};
  if (knobs.knobs != sources.front().recording->whole_space().knobs())
    forget_other_program(joined, result.notices);
  result.recording = TRY(rows.build(joined, space));
  if (rows.repeated() > 0)
    result.notices.push_back(
        fmt::format("measurements that repeat a configuration of another list: {}; their samples are kept "
                    "together{}",
                    rows.repeated(),
                    rows.mixed() == 0 ? std::string()
                                      : fmt::format(". {} of the configurations failed in one list and not "
                                                    "in another: they count as valid",
                                                    rows.mixed())));
  return result;
}

Result<ImportOutcome> import_joined(store::Store& store, std::span<const JoinSource> sources,
                                    const JoinRequest& request) {
  return base::guarded(fmt::format("joining {}", request.name), [&]() -> Result<ImportOutcome> {
    JoinedSpace joined = TRY(join_recordings(sources, request));
    ImportOutcome outcome{.format = "joined", .sessions = {}, .notices = std::move(joined.notices)};
    outcome.sessions.push_back(TRY(store_recording(store, joined.recording, outcome.notices)));
    return outcome;
  });
}

}  // namespace kernelscape::exchange
