#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernelscape {

/** The kind of a predictor's model: three networks, and gradient boosting. */
enum class PredictorKind : std::uint8_t { Tokens, OneShot, Perceptron, Trees };

/** Returns "tokens", "one-shot", "perceptron" or "trees", the values of the setting `model`. */
std::string_view to_string(PredictorKind kind);
/** Parses a text that to_string() returns. Returns nullopt for any other text. */
std::optional<PredictorKind> predictor_kind(std::string_view text);

}  // namespace kernelscape
