#include "app/command_line/network_options.h"

#include "core/network/open_network.h"

namespace kernelscape {

void add_dimension_option(CLI::App& command, NetworkChoice& choice) {
  command
      .add_option(
          "--dim", choice.dimensions,
          "Size of a dynamic dimension of a model; may be repeated; data[0]=1 names a dimension of an input")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
}

Result<WholeNetwork> open_chosen_network(const NetworkChoice& choice) {
  std::vector<ModelDimension> dimensions;
  for (const std::string& text : choice.dimensions) dimensions.push_back(TRY(parse_dimension(text)));
  const Catalogue catalogue = TRY(Catalogue::load_default());
  return open_network(choice.name, dimensions, catalogue);
}

}  // namespace kernelscape
