#include "core/study/sum_caveats.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/study/network_progress.h"

namespace kernelscape::study {
namespace {

/** Returns true if the time of a layer's kernel is not that of the machine at its usual speed. */
bool is_of_disturbed_machine(const NetworkLayerOutcome& layer) {
  switch (layer.kind) {
    case analysis::BestKind::ConfirmedSlow:
    case analysis::BestKind::MeasuredSlow:
    case analysis::BestKind::ConfirmedLoaded:
      return layer.trial >= 0;
    case analysis::BestKind::Confirmed:
    case analysis::BestKind::Measured:
    case analysis::BestKind::None:
      break;
  }
  return false;
}

}  // namespace

std::vector<std::string> sum_caveats(const NetworkOutcome& outcome) {
  std::vector<std::string> disturbed;
  std::vector<std::string> texts;
  for (const NetworkLayerOutcome& layer : outcome.layers)
    if (is_of_disturbed_machine(layer))
      disturbed.push_back(fmt::format("{} ({})", layer_title(layer), layer.mark));
  if (!disturbed.empty()) {
    texts.push_back(
        fmt::format("The sum has times of a machine that was not at its usual speed: {}. Measure the best of "
                    "these layers again on a quiet machine.",
                    base::join(disturbed, "; ")));
  }
  for (const NetworkLayerOutcome& layer : outcome.layers) {
    if (layer.trial < 0 || layer.limit_withheld.empty()) continue;
    texts.push_back(fmt::format("The sum of the machine's limits is not known: {} is {}.", layer_title(layer),
                                layer.limit_withheld));
  }
  return texts;
}

}  // namespace kernelscape::study
