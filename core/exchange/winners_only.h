#pragma once

#include <optional>
#include <string_view>

namespace kernelscape {

/**
 * Names what a text is that holds the best configurations of a tuner without the times of the others, from
 * which nothing can be imported: "a file of Inductor's best configuration". Nothing where it is no such text.
 * @param head the beginning of the text
 */
std::optional<std::string_view> winners_only(std::string_view head);

}  // namespace kernelscape
