#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernelscape {

/** What a predictor predicts with: the networks, and gradient boosting. */
enum class PredictorKind : std::uint8_t { Tokens, OneShot, Perceptron, Trees };

/** "tokens", "one-shot", "perceptron", "trees": as the setting `model` has it. */
std::string_view to_string(PredictorKind kind);
/** What to_string() wrote. */
std::optional<PredictorKind> predictor_kind(std::string_view text);

}  // namespace kernelscape
