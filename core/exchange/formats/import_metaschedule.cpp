// Imports MetaSchedule's databases: lines of tuning records, and lines of the workloads to which they refer
// by number.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/autotvm_task.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/metaschedule_record.h"
#include "core/exchange/formats/varying_tasks.h"
#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/space/knob_json.h"
#include "core/task/task.h"

namespace kernelscape::exchange {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_decision_numbers = 1ULL << 21;  // of all knobs in a file: 16 MiB
constexpr std::size_t max_named_blocks = 4;
constexpr std::size_t longest_workload_hash = 64;
constexpr std::string_view records_name = "tuning_record";
constexpr std::string_view workloads_name = "workload";

/** Records of one workload and target. */
struct MetaScheduleTask : VaryingTask {
  std::uint64_t workload = 0;
  std::string target;
  std::string arguments;
  std::vector<std::string> blocks;
};

/** Returns the hash of [hash, module in base64]; nullopt for other lines. */
std::optional<std::string> workload_hash(const space::Json& line) {
  const bool formed = line.is_array() && line.size() == 2 && line[0].is_string() && line[1].is_string();
  if (!formed) return std::nullopt;
  const auto& hash = line[0].get_ref<const std::string&>();
  const bool digits = !hash.empty() && hash.size() <= longest_workload_hash &&
                      hash.find_first_not_of("0123456789") == std::string::npos;
  return digits ? hash : std::string();
}

/**
 * Returns the paths with `other` instead of `word` in the file name, plain or gzip; empty if the name does
 * not contain the word.
 */
std::vector<fs::path> neighbours(const fs::path& path, std::string_view word, std::string_view other) {
  std::string name = path.filename().string();
  const std::size_t at = name.rfind(word);
  if (at == std::string::npos) return {};
  name.replace(at, word.size(), other);
  const std::string_view packed = ".gz";
  const bool is_packed = name.ends_with(packed);
  const std::string twin = is_packed ? name.substr(0, name.size() - packed.size()) : name + ".gz";
  return {path.parent_path() / name, path.parent_path() / twin};
}

std::optional<fs::path> existing(const std::vector<fs::path>& paths) {
  std::error_code unknown;
  for (const fs::path& path : paths)
    if (fs::is_regular_file(path, unknown)) return path;
  return std::nullopt;
}

class MetaScheduleReader {
 public:
  explicit MetaScheduleReader(ImportText& file) : file_(file), log_(file, max_decision_numbers) {}

  Result<ImportedFile> run() {
    TRY(read_log_lines(file_, skipped_, [this](std::string_view line, std::size_t number) {
      return take_line(line, number);
    }));
    if (tasks_.empty()) return nothing_read();
    if (hashes_.empty()) read_workloads();
    ImportedFile imported{.format = "metaschedule", .path = file_.path(), .natural = ImportAs::Session};
    for (MetaScheduleTask& task : tasks_.all()) {
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
    if (skipped_.first() && (hashes_.empty() || !tasks_.empty()))
      return std::unexpected(error_in_log(file_, *skipped_.first()));
    const std::optional<fs::path> records = existing(neighbours(file_.path(), workloads_name, records_name));
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{} contains MetaSchedule's workloads, but no tuning record", file_.path().string()),
        records ? fmt::format("import {}, which finds it", records->string())
                : "import it together with the tuning records, which refer to its lines");
  }

  Status take_line(std::string_view line, std::size_t number) {
    const space::Json json = TRY(parse_import_json(line, file_.budget()));
    if (std::optional<std::string> hash = workload_hash(json)) {
      TRY(file_.keep(2 * sizeof(std::string) + hash->size()));
      hashes_.push_back(std::move(*hash));
      return {};
    }
    MetaScheduleRecord record = TRY(metaschedule_record(json));
    const std::string key = fmt::format("{}\n{}", record.workload, record.target);
    const auto made = [&] {
      MetaScheduleTask task;
      task.first_line = number;
      task.workload = record.workload;
      task.target = record.target;
      task.arguments = record.arguments;
      task.blocks = record.blocks;
      return task;
    };
    return tasks_.add(file_, key, record.arguments.size(), made, [&](MetaScheduleTask& task) {
      return log_.keep(task, std::move(record.trial), std::move(record.measurement));
    });
  }

  /** Returns the file of workloads that belongs to this file: in the same folder, or given with it. */
  std::optional<fs::path> workloads_path() const {
    if (auto beside = existing(neighbours(file_.path(), records_name, workloads_name))) return beside;
    const std::vector<fs::path>& given = file_.companions();
    if (given.size() == 1) return given.front();
    std::vector<fs::path> here;
    std::ranges::copy_if(given, std::back_inserter(here), [&](const fs::path& path) {
      return path.parent_path() == file_.path().parent_path();
    });
    return here.size() == 1 ? std::optional(here.front()) : std::nullopt;
  }

  /** Reads the hashes that distinguish tasks of several databases. Trials can be read without them. */
  void read_workloads() {
    const std::optional<fs::path> path = workloads_path();
    if (!path) {
      notices_.emplace_back(
          "the file of workloads (database_workload.json) is neither in its folder nor given with it: tasks "
          "are named by their numbers");
      return;
    }
    const Status read = read_workloads_of(*path);
    if (read) return;
    hashes_.clear();
    notices_.push_back(fmt::format("the workloads were not read, tasks are named by their numbers: {}",
                                   read.error().message));
  }

  Status read_workloads_of(const fs::path& path) {
    const std::unique_ptr<ImportText> text = TRY(ImportText::open(path, file_.budget()));
    SkippedEntries none(path, "lines");
    TRY(read_log_lines(*text, none, [&](std::string_view line, std::size_t) -> Status {
      const space::Json json = TRY(parse_import_json(line, file_.budget()));
      std::optional<std::string> hash = workload_hash(json);
      if (!hash) return fail(ErrorCode::InvalidArgument, "it is not a workload");
      TRY(file_.keep(2 * sizeof(std::string) + hash->size()));
      hashes_.push_back(std::move(*hash));
      return {};
    }));
    // The workloads after an unreadable line would have wrong numbers.
    if (none.first()) return std::unexpected(error_in_log(*text, *none.first()));
    return {};
  }

  /**
   * Returns the task "pad_temp+conv2d_nchw+T_relu" with the tensors: hashes distinguish tasks in which these
   * are equal.
   */
  Result<task::Task> task_of(const MetaScheduleTask& logged) {
    std::string name;
    for (std::size_t i = 0; i < std::min(logged.blocks.size(), max_named_blocks); ++i)
      name += (i == 0 ? "" : "+") + logged.blocks[i];
    if (logged.blocks.size() > max_named_blocks) name += "+...";
    if (name.empty()) name = fmt::format("workload {}", logged.workload);
    std::string problem = fmt::format("{} {}", name, logged.arguments.empty() ? "[]" : logged.arguments);
    const bool known = logged.workload < hashes_.size();
    if (!known && !hashes_.empty()) ++unknown_workloads_;
    if (known && !hashes_[logged.workload].empty())
      problem += " hash " + hashes_[logged.workload];
    else
      problem += fmt::format(" workload {}", logged.workload);
    return task::make_generic_task({std::move(problem), "time", "s"}, name);
  }

  Result<ImportedTrials> part_of(MetaScheduleTask& task) {
    trial::RecordingHeader header = TRY(header_of(task));
    std::vector<double> finished;
    double now = 0;
    for (const trial::Measurement& measurement : task.measurements)
      finished.push_back(now += measurement.run_seconds);
    const std::string shown = base::one_line(header.name);
    ImportedTrials part = TRY(log_.part_of(task, shown, std::move(header), finished));
    task = {};
    return part;
  }

  Result<trial::RecordingHeader> header_of(const MetaScheduleTask& logged) {
    const task::Task task = TRY(task_of(logged));
    const schedule::TargetDescription target = autotvm_target(logged.target, {});
    return logged_header(task, target, "tuning records of MetaSchedule " + file_.path().filename().string());
  }

  std::vector<std::string> notices() {
    std::vector<std::string> notices = skipped_.notices();
    std::ranges::move(notices_, std::back_inserter(notices));
    if (unknown_workloads_ > 0)
      notices.push_back(
          fmt::format("tasks of workloads that the workloads' file does not have: {}", unknown_workloads_));
    std::ranges::move(log_.notices("its traces have different instructions; the knob `structure` numbers "
                                   "these structures, and a knob that a trace lacks has the value `none`"),
                      std::back_inserter(notices));
    notices.emplace_back(
        "MetaSchedule stores only run times, without dates and build times; the trials are imported in the "
        "file's order, one after the other");
    if (log_.failed() > 0)
      notices.push_back(fmt::format("failed trials: {}; MetaSchedule stores no reason", log_.failed()));
    return notices;
  }

  ImportText& file_;
  SkippedEntries skipped_{file_.path(), "lines"};
  std::vector<std::string> hashes_;  ///< by workload
  VaryingLog log_;
  TasksByKey<MetaScheduleTask> tasks_;
  std::vector<std::string> notices_;
  std::size_t unknown_workloads_ = 0;
};

bool recognises_metaschedule(std::string_view head) { return tvm_log_of(head) == TvmLog::MetaSchedule; }

Result<ImportedFile> read_metaschedule(ImportText& file) { return MetaScheduleReader(file).run(); }

}  // namespace

ImportFormat metaschedule_import() {
  return {.name = "metaschedule",
          .summary = "MetaSchedule's tuning records, with its workloads beside them or given too",
          .files = "MetaSchedule's databases",
          .endings = {".json"},
          .recognises = recognises_metaschedule,
          .read = read_metaschedule,
          .accompanies = begins_with_workload};
}

}  // namespace kernelscape::exchange
