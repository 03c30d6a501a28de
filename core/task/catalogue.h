#pragma once

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

/** The tasks and networks of data/tasks. */
class Catalogue {
 public:
  /** Reads every *.json of a folder; an error names file and entry. */
  static Result<Catalogue> load(const std::filesystem::path& folder);

  /** data/tasks: $KERNELSCAPE_DATA, else beside the executable's prefix, else the source tree. */
  static Result<Catalogue> load_default();

  const std::vector<Task>& tasks() const { return tasks_; }
  const std::vector<Network>& networks() const { return networks_; }

  /** A catalogue name, the path of a user's JSON file, or a task written out; an unknown name offers the nearest. */
  Result<Task> find(std::string_view name_or_text) const;

 private:
  std::vector<Task> tasks_;
  std::vector<Network> networks_;
};

}  // namespace kernelscape
