#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/project/source_lines.h"

namespace kernelscape::project {

/** A truth value as far as it is known without a compiler. */
enum class TriState : std::uint8_t { No, Perhaps, Yes };

/** Returns whether a macro is defined. */
using DefinedMacros = std::function<TriState(std::string_view name)>;

/** Tracks which lines of a file are compiled, while its lines are read in order: #if, #else, #endif. */
class ConditionalLines {
 public:
  /**
   * Applies a conditional directive (#if, #ifdef, #elif, #else, #endif and variants). Returns false if the
   * line is something else. An include guard, #ifndef directly followed by the #define of the same name, is
   * treated as the first inclusion of the file if nothing is known about the name.
   */
  bool take(const std::vector<SourceLine>& lines, std::size_t index, const DefinedMacros& defined);

  /** Returns whether the lines that follow are compiled. */
  TriState compiled() const { return levels_.empty() ? TriState::Yes : levels_.back().now; }

 private:
  void next_branch(TriState condition);

  struct Level {
    TriState outside = TriState::Yes;
    TriState taken = TriState::No;  ///< whether an earlier branch was compiled
    TriState now = TriState::Yes;
  };
  std::vector<Level> levels_;
};

}  // namespace kernelscape::project
