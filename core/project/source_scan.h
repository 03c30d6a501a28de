#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::project {

/** A line that includes a file by name. */
struct IncludeLine {
  std::string name;
  std::size_t line = 0;   ///< line number, from 1
  std::size_t start = 0;  ///< position of the name in the text
  bool angled = false;    ///< <name>, which is searched only in include folders
  bool certain = true;    ///< false: only a compiler can decide whether it is compiled
};

/** Returns the lines that include files, except those that are never compiled (#if 0). Never fails. */
std::vector<IncludeLine> includes_of(std::string_view text);

/**
 * Returns the names of a kernel's parameters; nullopt if they are not certain, because there is no definition
 * or several, or because directives or macros of the source are part of the parameter list.
 */
std::optional<std::vector<std::string>> parameters_of_kernel(std::string_view text, std::string_view kernel);

}  // namespace kernelscape::project
