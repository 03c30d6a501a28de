#include "core/study/network_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/study/network_run.h"

namespace kernelscape {

Result<NetworkKernels> network_kernels(const Store& store, StudyId id) {
  const NetworkOutcome outcome = TRY(network_outcome(store, id));
  std::vector<std::string> tasks;
  for (const NetworkLayerOutcome& layer : outcome.layers) tasks.push_back(layer.task);
  const std::vector<std::string> names = kernel_names(tasks);
  NetworkKernels found;
  found.network = outcome.network;
  for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
    const NetworkLayerOutcome& layer = outcome.layers[i];
    if (layer.trial < 0) {
      found.notices.push_back(fmt::format("layer {} has no kernel: {}", layer.task, layer.missing));
      continue;
    }
    MeasuredConfiguration measured = TRY(read_measured_configuration(store, *layer.session, layer.trial));
    ExportedKernel kernel = TRY(make_exported_kernel(std::move(measured), names[i]));
    kernel.multiplicity = layer.multiplicity;
    std::ranges::copy(export_notices(kernel), std::back_inserter(found.notices));
    if (!layer.confirmed) {
      found.notices.push_back(fmt::format("the kernel of layer {} was not confirmed: session {} did not end",
                                          layer.task, *layer.session));
    }
    found.kernels.push_back(std::move(kernel));
  }
  if (!found.kernels.empty()) return found;
  return fail(ErrorCode::NotFound, fmt::format("no layer of {} has a kernel yet", outcome.network),
              fmt::format("`kernelscape study --resume {}` goes on with it", id));
}

}  // namespace kernelscape
