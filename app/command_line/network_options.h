#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/worker/model_messages.h"
#include "core/task/network.h"

namespace kernelscape::command_line {

/** The network that a user names, with values for the dynamic dimensions of its model. */
struct NetworkChoice {
  std::string name;
  std::vector<std::string> dimensions;  ///< "batch=1"
};

/** Adds the option --dim NAME=N, which may be repeated. */
void add_dimension_option(CLI::App& command, NetworkChoice& choice);

/** Parses the values of the dimensions. InvalidArgument for a text that is not NAME=N. */
Result<std::vector<measure::ModelDimension>> parse_dimensions(const NetworkChoice& choice);

/** Opens a network as open_network(), with the built-in catalogue. */
Result<task::WholeNetwork> open_chosen_network(const NetworkChoice& choice);

}  // namespace kernelscape::command_line
