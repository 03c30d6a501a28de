#include "core/study/network_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/exchange/kernels/vendor_choice.h"
#include "core/study/execution.h"
#include "core/study/network_run.h"

namespace kernelscape::study {
namespace {

/** Returns the kernel of one layer, or nullopt and a notice if it has none. */
Result<std::optional<exchange::ExportedKernel>> kernel_of(const store::Store& store,
                                                          const NetworkLayerOutcome& layer,
                                                          const std::string& name,
                                                          std::vector<std::string>& notices) {
  if (layer.trial < 0) {
    notices.push_back(fmt::format("layer {} has no kernel: {}", layer.task, layer.missing));
    return std::nullopt;
  }
  exchange::MeasuredConfiguration measured =
      TRY(exchange::read_measured_configuration(store, *layer.session, layer.trial));
  exchange::ExportedKernel kernel = TRY(exchange::make_exported_kernel(std::move(measured), name));
  kernel.multiplicity = layer.multiplicity;
  std::ranges::copy(exchange::export_notices(kernel), std::back_inserter(notices));
  if (!layer.confirmed) {
    notices.push_back(fmt::format("the kernel of layer {} was not confirmed: session {} did not end",
                                  layer.task, *layer.session));
  }
  return kernel;
}

/**
 * Returns the order in which the network calls the kernels, with their nodes.
 * @param places of the study's tasks, among the kernels
 */
exchange::KernelOrder order_of(const task::WholeNetwork& network, const Definition& study,
                               const std::vector<std::optional<std::size_t>>& places,
                               std::vector<exchange::ExportedKernel>& kernels) {
  std::vector<std::int64_t> multiplicities;
  std::vector<std::optional<std::size_t>> of_layers;
  std::vector<std::string> left_out;
  const std::vector<std::optional<std::size_t>> tasks = layers_of_study(network, study);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const task::WholeLayer& layer = network.layers[i];
    multiplicities.push_back(layer.multiplicity);
    of_layers.push_back(tasks[i] ? places[*tasks[i]] : std::nullopt);
    if (of_layers.back()) {
      kernels[*of_layers.back()].nodes = layer.nodes;
    } else {
      left_out.push_back(layer.task.name);
    }
  }
  exchange::KernelOrder order = exchange::kernel_order(network.calls, multiplicities, of_layers);
  order.left_out = std::move(left_out);
  order.others = network.others;
  return order;
}

}  // namespace

Result<NetworkKernels> network_kernels(const store::Store& store, store::StudyId id) {
  const NetworkOutcome outcome = TRY(network_outcome(store, id));
  const Definition study = TRY(stored_study(store, id));
  std::vector<std::string> tasks;
  for (const NetworkLayerOutcome& layer : outcome.layers) tasks.push_back(layer.task);
  const std::vector<std::string> names = exchange::kernel_names(tasks);
  NetworkKernels found;
  found.network.name = outcome.network;
  std::vector<std::optional<std::size_t>> places;
  for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
    std::optional<exchange::ExportedKernel> kernel =
        TRY(kernel_of(store, outcome.layers[i], names[i], found.notices));
    places.push_back(kernel ? std::optional(found.kernels.size()) : std::nullopt);
    if (kernel) found.kernels.push_back(std::move(*kernel));
  }
  if (found.kernels.empty()) {
    return fail(ErrorCode::NotFound, fmt::format("no layer of {} has a kernel yet", outcome.network),
                fmt::format("resume it with `kernelscape study --resume {}`", id));
  }
  // Without the network in the catalogue, only the order of the calls is lost, not the kernels.
  if (const Result<task::WholeNetwork> network = network_of_study(study))
    found.network.order = order_of(*network, study, places, found.kernels);
  else
    found.notices.push_back("there is no pass over the network: " + network.error().message);
  const bool on_cpu = found.kernels.front().source.dialect == codegen::Dialect::C;
  if (on_cpu && !std::ranges::all_of(found.kernels, exchange::is_of_floats))
    found.notices.emplace_back(
        "there is no pass over the network: the results of its layers of types other than f32 must be "
        "scaled or rounded before the next layer reads them, which is not part of a layer");
  return found;
}

Status take_vendor_where_faster(NetworkKernels& network) {
  const std::vector<exchange::ExportedKernel>& kernels = network.kernels;
  const auto on_gpu = std::ranges::find_if(kernels, [](const exchange::ExportedKernel& kernel) {
    return kernel.measured.target.kind != schedule::TargetKind::Cpu;
  });
  if (on_gpu != kernels.end()) {
    return fail(ErrorCode::Refused,
                fmt::format("vendor kernels are not available for {}", on_gpu->measured.target.name),
                "export the library without them: oneDNN's kernels are for CPUs");
  }
  for (exchange::ExportedKernel& kernel : network.kernels) exchange::take_vendor_where_faster(kernel);
  const bool compared = std::ranges::any_of(kernels, [](const exchange::ExportedKernel& kernel) {
    return !kernel.measured.confirmed_seconds.empty() && kernel.measured.vendor.available();
  });
  if (compared) return {};
  return fail(ErrorCode::NotFound,
              fmt::format("no layer of {} was measured in turns with oneDNN ({}: {})", network.network.name,
                          kernels.front().measured.task.name, kernels.front().vendor->why),
              "tune it on a machine with oneDNN, or export the library without the vendor's kernels");
}

std::vector<std::string> choice_texts(const NetworkKernels& network) {
  std::vector<std::string> texts;
  for (const exchange::ExportedKernel& kernel : network.kernels)
    if (kernel.vendor) texts.push_back(fmt::format("{}: {}", kernel.name, kernel.vendor->why));
  return texts;
}

}  // namespace kernelscape::study
