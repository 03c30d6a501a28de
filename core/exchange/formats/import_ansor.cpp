// Imports logs of Ansor, TVM's auto_scheduler: one JSON object per line, grouped here by workload and target.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/ansor_record.h"
#include "core/exchange/formats/autotvm_task.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/varying_tasks.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"

namespace kernelscape::exchange {
namespace {

constexpr std::uint64_t max_ansor_numbers = 1ULL << 21;  // of all knobs in a file: 16 MiB
constexpr double last_second_of_9999 = 253'402'300'799;
constexpr std::size_t longest_shown_workload = 100;

/** Trials of one workload and target. */
struct AnsorTask : VaryingTask {
  std::string workload;
  std::string target;
  std::string version;
  std::vector<double> timestamps_seconds{};
};

/**
 * Converts a function's name, or the hash of its operators, and its arguments: `["conv2d_layer", 1, 7, 7]`.
 */
Result<task::Task> task_of_workload(const std::string& workload) {
  const space::Json key = space::parse_json(workload);
  const bool formed =
      key.is_array() && !key.empty() && key[0].is_string() && !key[0].get<std::string>().empty();
  if (!formed) return task::make_generic_task({workload, "time", "s"}, workload);
  const auto name = key[0].get<std::string>();
  const space::Json arguments(space::Json::array_t(key.begin() + 1, key.end()));
  return task::make_generic_task({fmt::format("{} {}", name, space::to_text(arguments)), "time", "s"}, name);
}

class AnsorLogReader {
 public:
  explicit AnsorLogReader(ImportText& file) : file_(file), log_(file, max_ansor_numbers) {}

  Result<ImportedFile> run() {
    TRY(read_log_lines(file_, skipped_, [this](std::string_view line, std::size_t number) {
      return take_line(line, number);
    }));
    if (tasks_.empty()) return nothing_read();
    ImportedFile imported{.format = "ansor", .path = file_.path(), .natural = ImportAs::Session};
    for (AnsorTask& task : tasks_.all()) {
      const std::size_t lines = task.measurements.size();
      const std::size_t first_line = task.first_line;
      Result<ImportedTrials> part = part_of(task);
      const Status skipped = part ? Status() : skipped_.skip(line_place(first_line), part.error(), lines);
      if (!skipped) return std::unexpected(error_in_log(file_, skipped.error()));
      if (part) imported.parts.push_back(std::move(*part));
    }
    if (imported.parts.empty()) return nothing_read();
    imported.notices = notices();
    return imported;
  }

 private:
  std::unexpected<Error> nothing_read() const {
    if (skipped_.first()) return std::unexpected(error_in_log(file_, *skipped_.first()));
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has no trial", file_.path().string()),
                "a log of Ansor has a JSON object in each line");
  }

  Status take_line(std::string_view line, std::size_t number) {
    AnsorRecord record = TRY(ansor_record(TRY(parse_import_json(line, file_.budget()))));
    const std::string key = record.workload + "\n" + record.target;
    const auto made = [&] {
      AnsorTask task;
      task.first_line = number;
      task.workload = record.workload;
      task.target = record.target;
      task.version = record.version;
      return task;
    };
    return tasks_.add(file_, key, 0, made, [&](AnsorTask& task) -> Status {
      TRY(log_.keep(task, std::move(record.trial), std::move(record.measurement)));
      task.timestamps_seconds.push_back(record.timestamp_seconds);
      return {};
    });
  }

  Result<ImportedTrials> part_of(AnsorTask& task) {
    trial::RecordingHeader header = TRY(header_of(task));
    const double begin = task.timestamps_seconds.front() - task.measurements.front().run_seconds;
    std::vector<double> finished;
    for (const double timestamp : task.timestamps_seconds)
      finished.push_back(std::max(finished.empty() ? 0.0 : finished.back(), timestamp - begin));
    ImportedTrials part = TRY(log_.part_of(task, base::one_line(task.workload, longest_shown_workload),
                                           std::move(header), finished));
    task = {};
    return part;
  }

  Result<trial::RecordingHeader> header_of(const AnsorTask& logged) const {
    const task::Task task = TRY(task_of_workload(logged.workload));
    const schedule::TargetDescription target = autotvm_target(logged.target, {});
    std::string origin = "log of Ansor " + file_.path().filename().string();
    if (!logged.version.empty()) origin += ", version " + logged.version;
    trial::RecordingHeader header = logged_header(task, target, std::move(origin));
    const double began = logged.timestamps_seconds.front();
    if (began <= last_second_of_9999) header.created_utc = base::utc_text(static_cast<std::time_t>(began));
    return header;
  }

  std::vector<std::string> notices() const {
    std::vector<std::string> notices = skipped_.notices();
    std::ranges::move(log_.notices("its programs have different steps; the knob `structure` numbers these "
                                   "structures, and a knob that a program lacks has the value `none`"),
                      std::back_inserter(notices));
    notices.emplace_back(
        "Ansor logs the measured programs, not its space: the knobs have the values that occur, and are "
        "named after the stage and the loop to which a step was applied");
    notices.emplace_back("Ansor logs one cost per trial: it counts as run time, and build times are 0");
    if (log_.failed() > 0)
      notices.push_back(
          fmt::format("{} failed trials have a category, but Ansor stores no message", log_.failed()));
    return notices;
  }

  ImportText& file_;
  SkippedEntries skipped_{file_.path(), "lines"};
  VaryingLog log_;
  TasksByKey<AnsorTask> tasks_;
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

}  // namespace kernelscape::exchange
