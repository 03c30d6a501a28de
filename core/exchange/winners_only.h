#pragma once

#include <optional>
#include <string_view>

namespace kernelscape::exchange {

/**
 * Returns a description of a text that contains only the best configurations of a tuner without the times of
 * the others, so that nothing can be imported from it: "a file of Inductor's best configuration". Returns
 * nullopt for any other text. @param head the beginning of the text
 */
std::optional<std::string_view> winners_only(std::string_view head);

}  // namespace kernelscape::exchange
