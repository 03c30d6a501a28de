// Logs of Ansor, TVM's auto_scheduler: one JSON object per line, grouped here by workload and target.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/ansor_record.h"
#include "core/exchange/formats/autotvm_task.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/formats/varying_knobs.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"

namespace kernelscape {
namespace {

constexpr std::uint64_t most_ansor_numbers = 1ULL << 21;  // of all knobs in a file: 16 MiB
constexpr double last_second_of_9999 = 253'402'300'799;
constexpr std::size_t longest_shown_workload = 100;

/** Trials of one workload and target. */
struct AnsorTask {
  std::string workload;
  std::string target;
  std::string version;
  VaryingKnobs knobs{};
  std::vector<Measurement> measurements{};
  std::vector<double> timestamps_seconds{};
  std::size_t first_line = 0;
};

/** A function's name, or the hash of its operators, and its arguments: `["conv2d_layer", 1, 7, 7]`. */
Result<Task> task_of_workload(const std::string& workload) {
  const Json key = parse_json(workload);
  const bool formed =
      key.is_array() && !key.empty() && key[0].is_string() && !key[0].get<std::string>().empty();
  if (!formed) return make_generic_task({workload, "time", "s"}, workload);
  const auto name = key[0].get<std::string>();
  const Json arguments(Json::array_t(key.begin() + 1, key.end()));
  return make_generic_task({fmt::format("{} {}", name, to_text(arguments)), "time", "s"}, name);
}

class AnsorLogReader {
 public:
  explicit AnsorLogReader(ImportText& file) : file_(file) {}

  Result<ImportedFile> run() {
    TRY(read_log_lines(file_, skipped_, [this](std::string_view line, std::size_t number) {
      return take_line(line, number);
    }));
    if (tasks_.empty()) return nothing_read();
    ImportedFile imported{.format = "ansor", .path = file_.path(), .natural = ImportAs::Session};
    for (AnsorTask& task : tasks_) {
      Result<ImportedTrials> part = part_of(task);
      if (!part) return std::unexpected(error_at_line(file_, task.first_line, part.error()));
      imported.parts.push_back(std::move(*part));
    }
    imported.notices = notices();
    return imported;
  }

 private:
  std::unexpected<Error> nothing_read() const {
    if (skipped_.first()) return std::unexpected(*skipped_.first());
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has no trial", file_.path().string()),
                "a log of Ansor has a JSON object in each line");
  }

  Status take_line(std::string_view line, std::size_t number) {
    AnsorRecord record = TRY(ansor_record(TRY(parse_import_json(line, file_.budget()))));
    const std::string key = record.workload + "\n" + record.target;
    const auto found = positions_.find(key);
    if (found != positions_.end()) return keep(tasks_[found->second], std::move(record));
    TRY(check_part_count(tasks_.size() + 1));
    TRY(file_.keep(sizeof(AnsorTask) + 4 * key.size()));
    AnsorTask task{.workload = record.workload,
                   .target = record.target,
                   .version = record.version,
                   .first_line = number};
    TRY(keep(task, std::move(record)));
    positions_.emplace(key, tasks_.size());
    tasks_.push_back(std::move(task));
    return {};
  }

  Status keep(AnsorTask& task, AnsorRecord record) {
    TRY(task.knobs.add(file_, std::move(record.trial)));
    TRY(file_.keep(kept_trial_bytes(record.measurement, 0)));
    failed_ += record.measurement.valid() ? 0U : 1U;
    task.measurements.push_back(std::move(record.measurement));
    task.timestamps_seconds.push_back(record.timestamp_seconds);
    return {};
  }

  Result<ImportedTrials> part_of(AnsorTask& task) {
    const RecordingHeader header = TRY(header_of(task));
    if (task.knobs.structure_count() > 1)
      structures_.push_back(fmt::format("{} ({} trials, {} structures)",
                                        one_line(task.workload, longest_shown_workload),
                                        task.knobs.trial_count(), task.knobs.structure_count()));
    LoggedSpace space = TRY(task.knobs.space(file_, numbers_left_));
    if (!space.notice.empty())
      changed_.push_back(
          fmt::format("{}: {}", one_line(task.workload, longest_shown_workload), space.notice));
    const double begin = task.timestamps_seconds.front() - task.measurements.front().run_seconds;
    std::vector<double> finished;
    for (const double timestamp : task.timestamps_seconds)
      finished.push_back(std::max(finished.empty() ? 0.0 : finished.back(), timestamp - begin));
    ImportedTrials part = logged_part(header, std::move(space), std::move(task.measurements), finished);
    task = {};
    return part;
  }

  Result<RecordingHeader> header_of(const AnsorTask& logged) const {
    const Task task = TRY(task_of_workload(logged.workload));
    const TargetDescription target = autotvm_target(logged.target, {});
    RecordingHeader header;
    header.name = task.name;
    const double began = logged.timestamps_seconds.front();
    if (began <= last_second_of_9999) header.created_utc = utc_text(static_cast<std::time_t>(began));
    header.origin = "log of Ansor " + file_.path().filename().string();
    if (!logged.version.empty()) header.origin += ", version " + logged.version;
    header.task_json = task_to_json(task);
    header.target_name = target.name;
    header.target_json = target_to_json(target);
    header.options_json = measure_options_to_json({});
    return header;
  }

  std::vector<std::string> notices() const {
    std::vector<std::string> notices = skipped_.notices();
    notices.insert(notices.end(), changed_.begin(), changed_.end());
    for (const std::string& task : structures_)
      notices.push_back(
          task +
          ": its programs are not all made of the same steps; the knob `structure` numbers what "
          "is no choice, and a knob that a program lacks has the value `none`");
    notices.emplace_back(
        "Ansor logs the programs that it measured, not its space: the knobs have the values that appear, and "
        "are named after the stage and the loop that a step was applied to");
    notices.emplace_back("Ansor logs one cost per trial: all of it counts as run time, none as build time");
    if (failed_ > 0)
      notices.push_back(fmt::format("{} failed trials have a category, but Ansor keeps no message", failed_));
    return notices;
  }

  ImportText& file_;
  SkippedLines skipped_;
  std::map<std::string, std::size_t> positions_;
  std::vector<AnsorTask> tasks_;
  std::vector<std::string> structures_;
  std::vector<std::string> changed_;  ///< spaces that are not as the file has them
  std::uint64_t numbers_left_ = most_ansor_numbers;
  std::size_t failed_ = 0;
};

bool recognises_ansor(std::string_view head) { return tvm_log_of(head) == TvmLog::Ansor; }

Result<ImportedFile> read_ansor_log(ImportText& file) { return AnsorLogReader(file).run(); }

}  // namespace

ImportFormat ansor_import() {
  return {.name = "ansor",
          .summary = "a log of Ansor, TVM's auto_scheduler",
          .files = "logs of Ansor",
          .endings = {".json", ".log"},
          .recognises = recognises_ansor,
          .read = read_ansor_log};
}

}  // namespace kernelscape
