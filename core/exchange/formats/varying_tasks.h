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

namespace kernelscape {

/** Trials of one task of a log whose programs have not all the same knobs; readers add what their log says of
 * a task. */
struct VaryingTask {
  VaryingKnobs knobs{};
  std::vector<Measurement> measurements{};
  std::size_t first_line = 0;  ///< of the file, that named it
};

/** Tasks in the order in which a log names them. @tparam Task a VaryingTask */
template <typename Task>
class TasksByKey {
 public:
  bool empty() const { return tasks_.empty(); }  ///< nothing was added
  std::vector<Task>& all() { return tasks_; }    ///< in their order

  /**
   * Gives keep(task) that of the key; a new one, made by make(), stays where keep() succeeds.
   * @param more_bytes of what make() copies beside the key, against the file's budget
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

/** Makes sessions of a log's tasks, and knows what is to be said of them all. */
class VaryingLog {
 public:
  /** @param file outlives it @param most_numbers of the knobs of all tasks, as of knobs_of_choices() */
  VaryingLog(ImportText& file, std::uint64_t most_numbers) : file_(file), numbers_left_(most_numbers) {}

  /** Adds a trial, counted against the file's budget. */
  Status keep(VaryingTask& task, VaryingTrial trial, Measurement measurement);

  /** The task as a part of the file; its measurements go into it. @param shown how notices name it
   * @param finished_seconds by trial */
  Result<ImportedTrials> part_of(VaryingTask& task, const std::string& shown, RecordingHeader header,
                                 const std::vector<double>& finished_seconds);

  /** Of spaces that are not as the file has them, then of tasks with several structures. @param meaning
   * stands behind the latters' names */
  std::vector<std::string> notices(std::string_view meaning) const;
  std::size_t failed() const { return failed_; }  ///< trials with an error

 private:
  ImportText& file_;
  std::uint64_t numbers_left_;
  std::size_t failed_ = 0;
  std::vector<std::string> changed_;
  std::vector<std::string> structures_;
};

}  // namespace kernelscape
