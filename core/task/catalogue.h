#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/task.h"

namespace kernelscape {

struct NetworkLayer {
  std::string task;  ///< name in the catalogue
  std::int64_t multiplicity = 1;
};

/** A list of tasks with multiplicities. */
struct Network {
  std::string name;
  std::string description;
  std::vector<NetworkLayer> layers;
};

/**
 * The tasks and networks of data/tasks. A file of it:
 *
 *   {"description": "...",
 *    "tasks": [{"name": "resnet18/C1", "task": "conv2d ..."}, ...],
 *    "networks": [{"name": "resnet-18", "description": "...", "layers": [{"task": "resnet18/C1",
 * "multiplicity": 1}]}]}
 *
 * Tasks are as task_from_json reads them. A layer may name a task of another file.
 */
class Catalogue {
 public:
  /** Reads every *.json of a folder; an error names file and entry. */
  static Result<Catalogue> load(const std::filesystem::path& folder);

  /**
   * One file of a user's: of the catalogue's form, where layers name tasks of the file itself, or a single
   * task. An error names file and entry.
   */
  static Result<Catalogue> load_file(const std::filesystem::path& path);

  /** The folder tasks/ in $KERNELSCAPE_DATA, else in ../share/kernelscape/data beside the executable's, else
   * in the source tree's data. */
  static Result<Catalogue> load_default();

  const std::vector<Task>& tasks() const { return tasks_; }  ///< of all files; names are unique
  /** Of all files; their layers name tasks of these. */
  const std::vector<Network>& networks() const { return networks_; }

  /** A catalogue name, the path of a user's JSON file (one task), or a task written out; an unknown name
   * offers the nearest. */
  Result<Task> find(std::string_view name_or_text) const;

 private:
  std::vector<Task> tasks_;
  std::vector<Network> networks_;
};

}  // namespace kernelscape
