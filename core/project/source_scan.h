#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

/** A line that includes a file by its name. */
struct IncludeLine {
  std::string name;
  std::size_t line = 0;   ///< from 1
  std::size_t start = 0;  ///< of the name in the text
  bool angled = false;    ///< <name>, which is looked for in folders of headers alone
  bool certain = true;    ///< no condition that needs a compiler decides whether it is compiled
};

/** The lines that include files, save those that are never compiled (#if 0). Never fails. */
std::vector<IncludeLine> includes_of(std::string_view text);

/**
 * The names of a kernel's parameters. Returns nullopt where they are not certain: there is no definition or
 * several, directives stand in its list, or a macro of the source does.
 */
std::optional<std::vector<std::string>> parameters_of_kernel(std::string_view text, std::string_view kernel);

}  // namespace kernelscape
