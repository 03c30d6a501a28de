#include "core/task/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::task {
namespace {

using nlohmann::ordered_json;

/** Returns "resnet18" for "ResNet-18". */
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

std::vector<std::string> names_of(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Network& network : catalogue.networks()) names.push_back(network.name);
  return names;
}

/** Adds a layer. A task that occurs twice in the network is one layer. @return its index */
std::size_t add_layer(WholeNetwork& whole, WholeLayer layer) {
  const auto same = std::ranges::find_if(
      whole.layers, [&](const WholeLayer& known) { return known.task.name == layer.task.name; });
  if (same == whole.layers.end()) {
    whole.layers.push_back(std::move(layer));
    return whole.layers.size() - 1;
  }
  same->multiplicity += layer.multiplicity;
  same->nodes.insert(same->nodes.end(), layer.nodes.begin(), layer.nodes.end());
  return static_cast<std::size_t>(same - whole.layers.begin());
}

/** Returns the network with the tasks that its layers name. */
Result<WholeNetwork> with_tasks(const Catalogue& catalogue, const Network& network) {
  WholeNetwork whole{network.name, network.description, {}, network.calls, network.others, network.notices};
  std::vector<std::size_t> places;
  for (const NetworkLayer& layer : network.layers) {
    Task task = TRY(catalogue.find(layer.task));
    places.push_back(add_layer(whole, {std::move(task), layer.multiplicity, layer.nodes}));
  }
  for (LayerCall& call : whole.calls) call.layer = places[call.layer];
  return whole;
}

ordered_json other_to_json(const OtherOperators& other) {
  ordered_json object{{"operator", other.name}, {"count", other.count}, {"bytes", other.bytes}};
  if (other.unknown > 0) object["unknown"] = other.unknown;
  if (other.once) object["once"] = true;
  if (!other.reason.empty()) object["reason"] = other.reason;
  if (other.flops > 0) object["flops"] = other.flops;
  return object;
}

/** Returns null for weights. */
ordered_json operand_to_json(const CallOperand& operand) {
  return operand.constant ? ordered_json() : ordered_json(operand.calls);
}

ordered_json network_to_json(const WholeNetwork& network) {
  ordered_json object{{"name", network.name}, {"description", network.description}};
  for (const WholeLayer& layer : network.layers) {
    ordered_json row{{"task", layer.task.name}, {"multiplicity", layer.multiplicity}};
    if (!layer.nodes.empty()) row["nodes"] = layer.nodes;
    object["layers"].push_back(std::move(row));
  }
  for (const LayerCall& call : network.calls) {
    object["calls"].push_back({{"layer", call.layer},
                               {"first", operand_to_json(call.operands[0])},
                               {"second", operand_to_json(call.operands[1])}});
  }
  for (const OtherOperators& other : network.others) object["others"].push_back(other_to_json(other));
  if (!network.notices.empty()) object["notices"] = network.notices;
  return object;
}

}  // namespace

double WholeNetwork::flops() const {
  double sum = 0;
  for (const WholeLayer& layer : layers) sum += layer.task.flops() * static_cast<double>(layer.multiplicity);
  return sum;
}

double WholeNetwork::hidden_flops() const {
  double sum = 0;
  for (const OtherOperators& other : others)
    if (!other.once) sum += other.flops;
  return sum;
}

bool WholeNetwork::all_flops_known() const {
  return std::ranges::none_of(others, [](const OtherOperators& other) {
    return !other.once && !other.reason.empty() && other.flops == 0;
  });
}

Result<WholeNetwork> find_whole_network(const Catalogue& catalogue, std::string_view name) {
  const std::vector<Network>& networks = catalogue.networks();
  auto found = std::ranges::find(networks, name, &Network::name);
  if (found == networks.end()) {
    found = std::ranges::find_if(
        networks, [&](const Network& network) { return plain_name(network.name) == plain_name(name); });
  }
  if (found != networks.end()) return with_tasks(catalogue, *found);
  return fail(ErrorCode::NotFound, fmt::format("there is no network {}", base::quoted_line(name)),
              base::suggest(name, names_of(catalogue)));
}

Result<WholeNetwork> only_network(const Catalogue& catalogue, std::string_view name) {
  if (!name.empty()) return find_whole_network(catalogue, name);
  const std::vector<Network>& networks = catalogue.networks();
  if (networks.size() == 1) return with_tasks(catalogue, networks.front());
  if (networks.empty()) {
    return fail(ErrorCode::InvalidArgument, "it contains no network",
                "`kernelscape network save` writes files with networks");
  }
  return fail(ErrorCode::InvalidArgument, fmt::format("it contains {} networks", networks.size()),
              fmt::format("keep only one of them in the file: {}", base::join(names_of(catalogue), ", ")));
}

std::string whole_network_to_json(const WholeNetwork& network) {
  ordered_json file{{"description", network.description}};
  for (const WholeLayer& layer : network.layers)
    file["tasks"].push_back(ordered_json::parse(task_to_json(layer.task)));
  file["networks"].push_back(network_to_json(network));
  return file.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<WholeNetwork> whole_network_from_json(std::string_view json) {
  return only_network(TRY(Catalogue::read_text(json, "the network")));
}

}  // namespace kernelscape::task
