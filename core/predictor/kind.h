#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernelscape::predictor {

/** The kind of a predictor's model: a network, or gradient boosting. */
enum class Kind : std::uint8_t { Tokens, OneShot, Perceptron, Trees, Lstm };

/** Returns "tokens", "one-shot", "perceptron", "trees" or "lstm", the values of the setting `model`. */
std::string_view to_string(Kind kind);
/** Parses a text that to_string() returns. Returns nullopt for any other text. */
std::optional<Kind> predictor_kind(std::string_view text);

}  // namespace kernelscape::predictor
