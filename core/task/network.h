#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/catalogue.h"
#include "core/task/task.h"

namespace kernelscape {

/** A layer with its task. */
struct WholeLayer {
  Task task;
  std::int64_t multiplicity = 1;
  std::vector<std::string> nodes = {};  ///< of the model that are this task, where it comes from one

  bool operator==(const WholeLayer&) const = default;
};

/** A network that needs no catalogue: what a model's file gives, and what a group of sessions keeps. */
struct WholeNetwork {
  std::string name;
  std::string description;
  std::vector<WholeLayer> layers;           ///< distinct tasks, in the network's order
  std::vector<LayerCall> calls = {};        ///< in the order in which they run; empty: not known
  std::vector<OtherOperators> others = {};  ///< what else the network computes, as far as it is known
  std::vector<std::string> notices = {};    ///< what its reader left out or took for granted

  /** Of all layers, each as often as the network has it. */
  double flops() const;
  /** Of convolutions and multiplications that are no layers, as far as they are known. */
  double hidden_flops() const;
  /** Returns false if an operator may hold convolutions or multiplications whose FLOPs are not known. */
  bool all_flops_known() const;
  bool operator==(const WholeNetwork&) const = default;
};

/** The network of a catalogue by its name; letters' case, '-', '_' and '.' don't count. NotFound offers the
 * nearest names. */
Result<WholeNetwork> find_whole_network(const Catalogue& catalogue, std::string_view name);

/**
 * The only network of a catalogue's file. InvalidArgument where it has none, or several and none is named.
 * @param name of several the one that is meant; empty: there is one
 */
Result<WholeNetwork> only_network(const Catalogue& catalogue, std::string_view name = {});

/** A file of the catalogue's form with this network alone, as Catalogue::load_file() reads it. */
std::string whole_network_to_json(const WholeNetwork& network);
/** What whole_network_to_json() wrote. */
Result<WholeNetwork> whole_network_from_json(std::string_view json);

}  // namespace kernelscape
