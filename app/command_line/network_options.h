#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/task/network.h"

namespace kernelscape {

/** The network that a user names, with what its model leaves open. */
struct NetworkChoice {
  std::string name;
  std::vector<std::string> dimensions;  ///< "batch=1"
};

/** --dim NAME=N, any number of times. */
void add_dimension_option(CLI::App& command, NetworkChoice& choice);

/** As open_network(), of the catalogue that comes along. */
Result<WholeNetwork> open_chosen_network(const NetworkChoice& choice);

}  // namespace kernelscape
