#include "app/command_line/network_options.h"

#include "core/network/open_network.h"

namespace kernelscape::command_line {

void add_dimension_option(CLI::App& command, NetworkChoice& choice) {
  command
      .add_option(
          "--dim", choice.dimensions,
          "Size of a dynamic dimension of a model; may be repeated; data[0]=1 names a dimension of an input")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
}

Result<std::vector<measure::ModelDimension>> parse_dimensions(const NetworkChoice& choice) {
  std::vector<measure::ModelDimension> dimensions;
  for (const std::string& text : choice.dimensions) dimensions.push_back(TRY(network::parse_dimension(text)));
  return dimensions;
}

Result<task::WholeNetwork> open_chosen_network(const NetworkChoice& choice) {
  const std::vector<measure::ModelDimension> dimensions = TRY(parse_dimensions(choice));
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  return network::open_network(choice.name, dimensions, catalogue);
}

}  // namespace kernelscape::command_line
