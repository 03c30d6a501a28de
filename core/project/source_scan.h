#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

/** A line that includes a file by a name in quotes. */
struct IncludeLine {
  std::string name;
  std::size_t line = 0;   ///< from 1
  std::size_t start = 0;  ///< of the name in the text
};

/** The words of a source in C, CUDA or OpenCL C, as far as they can be told without a compiler. */
struct SourceWords {
  std::vector<IncludeLine> includes;
  std::set<std::string> mentioned;  ///< in code and directives, comments and texts left out
  std::set<std::string> defined;    ///< by #define
  std::set<std::string> asked;      ///< in #if, #elif, #ifdef, #ifndef
  std::set<std::string> declared;   ///< stand behind another word, as a declaration's name does
};

/** Never fails: what can't be told is left out. */
SourceWords scan_source(std::string_view text);

/** The names of a kernel's parameters; none where no definition is found, or directives stand in its list. */
std::optional<std::vector<std::string>> parameters_of_kernel(std::string_view text, std::string_view kernel);

}  // namespace kernelscape
