#include "core/study/sum_caveats.h"

#include <fmt/format.h>

#include <map>
#include <utility>

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

/** Returns the first layers, and how many more there are: a table lists all of them. */
std::string some_of(std::vector<std::string> layers) {
  constexpr std::size_t named = 3;
  if (layers.size() <= named + 1) return base::join(layers, "; ");
  const std::size_t more = layers.size() - named;
  layers.resize(named);
  return fmt::format("{}; and {} more", base::join(layers, "; "), more);
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
                    some_of(std::move(disturbed))));
  }
  std::map<std::string, std::vector<std::string>> layers_by_reason;
  for (const NetworkLayerOutcome& layer : outcome.layers)
    if (layer.trial >= 0 && !layer.limit_withheld.empty())
      layers_by_reason[layer.limit_withheld].push_back(layer_title(layer));
  for (const auto& [why, layers] : layers_by_reason)
    texts.push_back(fmt::format("The sum of the machine's limits is not known: {} {} {}.", some_of(layers),
                                layers.size() == 1 ? "is" : "are", why));
  return texts;
}

}  // namespace kernelscape::study
