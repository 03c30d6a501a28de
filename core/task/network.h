#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/catalogue.h"
#include "core/task/task.h"

namespace kernelscape::task {

/** A layer with its task. */
struct WholeLayer {
  Task task;
  std::int64_t multiplicity = 1;
  std::vector<std::string> nodes = {};  ///< nodes of the model that have this task, if the network comes from
                                        ///< a model

  bool operator==(const WholeLayer&) const = default;
};

/**
 * A network with its tasks, independent of a catalogue: read from a model's file, or stored in a group of
 * sessions.
 */
struct WholeNetwork {
  std::string name;
  std::string description;
  std::vector<WholeLayer> layers;           ///< distinct tasks, in the network's order
  std::vector<LayerCall> calls = {};        ///< in execution order; empty: unknown
  std::vector<OtherOperators> others = {};  ///< other operators of the network, as far as they are known
  std::vector<std::string> notices = {};    ///< omissions and assumptions of the program that read the
                                            ///< network

  /** Returns the FLOPs of all layers, each counted as often as it occurs in the network. */
  double flops() const;
  /** Returns the FLOPs of convolutions and multiplications that are not layers, as far as they are known. */
  double hidden_flops() const;
  /** Returns false if an operator may hold convolutions or multiplications whose FLOPs are not known. */
  bool all_flops_known() const;
  bool operator==(const WholeNetwork&) const = default;
};

/**
 * Finds a network of a catalogue by its name, ignoring case, '-', '_' and '.'. NotFound lists the most
 * similar names.
 */
Result<WholeNetwork> find_whole_network(const Catalogue& catalogue, std::string_view name);

/**
 * Returns the only network of a catalogue's file. Returns InvalidArgument if the file has none, or has
 * several and no name is given. @param name selects one of several networks; empty: the file has one
 */
Result<WholeNetwork> only_network(const Catalogue& catalogue, std::string_view name = {});

/**
 * Returns a file in the form of a catalogue that contains only this network, as Catalogue::load_file() reads
 * it.
 */
std::string whole_network_to_json(const WholeNetwork& network);
/** Parses the text that whole_network_to_json() wrote. */
Result<WholeNetwork> whole_network_from_json(std::string_view json);

}  // namespace kernelscape::task
