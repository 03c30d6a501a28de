#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/formats/varying_knobs.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {

/**
 * The trials of one task of a log whose programs have different knobs. Readers derive from it to add what
 * their log contains about a task.
 */
struct VaryingTask {
  VaryingKnobs knobs{};
  std::vector<trial::Measurement> measurements{};
  std::size_t first_line = 0;  ///< line of the file that first named the task
};

/** The tasks in the order in which a log names them. @tparam Task a VaryingTask */
template <typename Task>
class TasksByKey {
 public:
  bool empty() const { return tasks_.empty(); }  ///< no task was added
  std::vector<Task>& all() { return tasks_; }    ///< in their order

  /**
   * Calls keep(task) with the task of the key. A new task, created by make(), is kept if keep() succeeds.
   * @param more_bytes bytes that make() copies beside the key, counted against the file's budget
   */
  Status add(ImportText& file, const std::string& key, std::size_t more_bytes, const auto& make,
             const auto& keep) {
    if (const auto found = positions_.find(key); found != positions_.end())
      return keep(tasks_[found->second]);
    TRY(check_part_count(tasks_.size() + 1));
    TRY(file.keep(sizeof(Task) + 4 * (key.size() + more_bytes)));
    Task task = make();
    TRY(keep(task));
    positions_.emplace(key, tasks_.size());
    tasks_.push_back(std::move(task));
    return {};
  }

 private:
  std::map<std::string, std::size_t> positions_;
  std::vector<Task> tasks_;
};

/** Creates sessions from a log's tasks, and collects notices about all tasks. */
class VaryingLog {
 public:
  /**
   * Creates an empty log. @param file must outlive the log @param max_numbers limit for the knobs of all
   * tasks, as for knobs_of_choices()
   */
  VaryingLog(ImportText& file, std::uint64_t max_numbers) : file_(file), numbers_left_(max_numbers) {}

  /** Adds a trial and counts it against the file's budget. */
  Status keep(VaryingTask& task, VaryingTrial trial, trial::Measurement measurement);

  /**
   * Returns the task as a part of the file; its measurements are moved into the part. @param shown name of
   * the task in notices @param finished_seconds by trial
   */
  Result<ImportedTrials> part_of(VaryingTask& task, const std::string& shown, trial::RecordingHeader header,
                                 const std::vector<double>& finished_seconds);

  /**
   * Returns the notices about spaces that differ from the file's, and about tasks with several structures.
   * @param meaning text after the names of these tasks
   */
  std::vector<std::string> notices(std::string_view meaning) const;
  std::size_t failed() const { return failed_; }  ///< number of trials with an error

 private:
  ImportText& file_;
  std::uint64_t numbers_left_;
  std::size_t failed_ = 0;
  std::vector<std::string> changed_;
  std::vector<std::string> structures_;
};

}  // namespace kernelscape::exchange
