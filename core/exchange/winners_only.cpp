#include "core/exchange/winners_only.h"

#include <algorithm>
#include <array>

#include "core/exchange/import_json.h"

namespace kernelscape::exchange {

std::optional<std::string_view> winners_only(std::string_view head) {
  if (head.contains("Triton autotuning for function") && head.contains("best config selected"))
    return "what Triton prints with TRITON_PRINT_AUTOTUNING=1";
  if (!begins_as_object(head)) return std::nullopt;
  const auto names = [&](std::string_view key) { return names_key(head, key); };
  if (names("found_by_coordesc") || names("configs_hash"))
    return "a best configuration of Inductor (PyTorch)";
  if (names("tunable_parameters") && names("data")) return "a file of Kernel Tuner's store_results";
  constexpr std::array triton_knobs{"num_warps", "num_stages", "BLOCK_SIZE_M", "BLOCK_M", "XBLOCK"};
  if (std::ranges::any_of(triton_knobs, names))
    return "a table of tuned configurations, as vLLM, SGLang and others store them for Triton's kernels";
  return std::nullopt;
}

}  // namespace kernelscape::exchange
