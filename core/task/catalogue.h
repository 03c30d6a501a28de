#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/task.h"

namespace kernelscape::task {

struct NetworkLayer {
  std::string task;  ///< name in the catalogue
  std::int64_t multiplicity = 1;
  std::vector<std::string> nodes =
      {};  ///< of the model from which the network was read; empty: not from a model
};

/**
 * Operators of a network that are not among its layers, so that the layers are not mistaken for the whole
 * network.
 */
struct OtherOperators {
  std::string name;  ///< "Relu", "com.microsoft.Gelu"
  std::int64_t count = 1;
  double bytes = 0;          ///< bytes that all these operators read and write, as far as shapes are known
  std::int64_t unknown = 0;  ///< number of these operators whose bytes are unknown
  bool once = false;         ///< all inputs are constant: computed before the network runs
  std::string reason = {};   ///< why the operators are not layers although they could be; else empty
  double flops = 0;          ///< of their convolutions and multiplications; 0 with a reason: unknown

  bool operator==(const OtherOperators&) const = default;
};

/** The source of an operand of a call. */
struct CallOperand {
  bool constant = false;  ///< weights: known before the network runs
  /**
   * Earlier calls whose results reach the operand without another layer in between. Empty and not constant:
   * the operand comes from the network's inputs.
   */
  std::vector<std::size_t> calls = {};

  bool operator==(const CallOperand&) const = default;
};

/** A call of a layer in a network. */
struct LayerCall {
  std::size_t layer = 0;  ///< index in the network's list of layers
  std::array<CallOperand, 2> operands = {};

  bool operator==(const LayerCall&) const = default;
};

/** A list of tasks with multiplicities. */
struct Network {
  std::string name;
  std::string description;
  std::vector<NetworkLayer> layers;
  /** In execution order, each layer as often as its multiplicity; empty: unknown. */
  std::vector<LayerCall> calls = {};
  std::vector<OtherOperators> others = {};  ///< other operators of the network, as far as they are known
  std::vector<std::string> notices = {};    ///< omissions and assumptions of the program that read the
                                            ///< network
};

/**
 * The tasks and networks of data/tasks. A file of it:
 *
 *   {"description": "...",
 *    "tasks": [{"name": "resnet18/C1", "task": "conv2d ..."}, ...],
 *    "networks": [{"name": "resnet-18", "description": "...", "layers": [{"task": "resnet18/C1",
 * "multiplicity": 1}]}]}
 *
 * Tasks have the form that task_from_json reads. A layer may name a task of another file. A network that was
 * read from a model also has "nodes" of its layers, "others" and "notices": see whole_network_to_json(). A
 * network with a known order has its calls:
 *
 *    "calls": [{"layer": 0, "first": [], "second": null}, {"layer": 1, "first": [0], "second": null}]
 *
 * with the sources of the operands: the numbers of earlier calls, [] for the network's inputs, null for
 * weights.
 */
class Catalogue {
 public:
  /** Reads every *.json file of a folder. An error names the file and the entry. */
  static Result<Catalogue> load(const std::filesystem::path& folder);

  /**
   * Reads one file of a user: either in the form of a catalogue, in which layers name tasks of the same file,
   * or a single task. An error names the file and the entry.
   */
  static Result<Catalogue> load_file(const std::filesystem::path& path);

  /** Reads the text of such a file. @param name name of the file, for errors */
  static Result<Catalogue> read_text(std::string_view text, std::string_view name);

  /**
   * Loads the folder tasks/ in $KERNELSCAPE_DATA, or else in ../share/kernelscape/data relative to the
   * executable's folder, or else in the data of the source tree.
   */
  static Result<Catalogue> load_default();

  const std::vector<Task>& tasks() const { return tasks_; }  ///< of all files; names are unique
  /** Returns the networks of all files. Their layers name tasks of tasks(). */
  const std::vector<Network>& networks() const { return networks_; }

  /**
   * Finds a task by its name in the catalogue, also with an epilogue (resnet18/C6+bias+relu), by the path of
   * a user's JSON file with one task, or by its text. An error for an unknown name lists the most similar
   * names.
   */
  Result<Task> find(std::string_view name_or_text) const;

 private:
  std::vector<Task> tasks_;
  std::vector<Network> networks_;
};

}  // namespace kernelscape::task
