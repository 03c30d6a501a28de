#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::machine_code {

/** A stretch of code between two labels that was inlined from a call. */
struct InlinedCall {
  std::string first_label;
  std::string last_label;
  int call_line = 0;  ///< line of source
};

/**
 * Reads the inlined calls from the debugging information of GCC's assembly with -dA (DWARF 5), the outer
 * before the inner. Returns an empty list for other texts.
 */
std::vector<InlinedCall> read_inlined_calls(std::string_view text);

}  // namespace kernelscape::machine_code
