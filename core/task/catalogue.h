#pragma once

#include <array>
#include <cstddef>
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
  std::vector<std::string> nodes =
      {};  ///< of the model that the network comes from; empty: it comes from none
};

/** Operators of a network that are none of its layers: with them nobody takes the layers for the whole. */
struct OtherOperators {
  std::string name;  ///< "Relu", "com.microsoft.Gelu"
  std::int64_t count = 1;
  double bytes = 0;          ///< what all of them read and write, as far as shapes are known
  std::int64_t unknown = 0;  ///< of them, whose bytes are not known
  bool once = false;         ///< of constants alone: computed before the network runs
  std::string reason = {};   ///< why they are no layers, where they could be
  double flops = 0;          ///< of their convolutions and multiplications; 0 with a reason: not known

  bool operator==(const OtherOperators&) const = default;
};

/** Where an operand of a call comes from. */
struct CallOperand {
  bool constant = false;  ///< weights: known before the network runs
  /** Earlier calls whose results reach it with no other layer between; none, and not constant: it comes from
   * the network's inputs. */
  std::vector<std::size_t> calls = {};

  bool operator==(const CallOperand&) const = default;
};

/** One of a network's calls of a layer. */
struct LayerCall {
  std::size_t layer = 0;  ///< in the network's list
  std::array<CallOperand, 2> operands = {};

  bool operator==(const LayerCall&) const = default;
};

/** A list of tasks with multiplicities. */
struct Network {
  std::string name;
  std::string description;
  std::vector<NetworkLayer> layers;
  /** In the order in which they run, as many of each layer as its multiplicity; empty: not known. */
  std::vector<LayerCall> calls = {};
  std::vector<OtherOperators> others = {};  ///< what else it computes, as far as that is known
  std::vector<std::string> notices = {};    ///< what its reader left out or took for granted
};

/**
 * The tasks and networks of data/tasks. A file of it:
 *
 *   {"description": "...",
 *    "tasks": [{"name": "resnet18/C1", "task": "conv2d ..."}, ...],
 *    "networks": [{"name": "resnet-18", "description": "...", "layers": [{"task": "resnet18/C1",
 * "multiplicity": 1}]}]}
 *
 * Tasks are as task_from_json reads them. A layer may name a task of another file. A network that was read
 * from a model also has "nodes" of its layers, "others" and "notices": see whole_network_to_json(). One whose
 * order is known has its calls:
 *
 *    "calls": [{"layer": 0, "first": [], "second": null}, {"layer": 1, "first": [0], "second": null}]
 *
 * with the operands' sources: the numbers of earlier calls, [] for the network's inputs, null for weights.
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

  /** The same of a file's text. @param name of the file, for errors */
  static Result<Catalogue> read_text(std::string_view text, std::string_view name);

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
