#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/project/source_lines.h"

namespace kernelscape {

/** What is known without a compiler. */
enum class TriState : std::uint8_t { No, Perhaps, Yes };

/** Whether a macro is defined. */
using DefinedMacros = std::function<TriState(std::string_view name)>;

/** Keeps which lines of a file are compiled while its lines are gone through: #if, #else, #endif. */
class ConditionalLines {
 public:
  /**
   * Applies a line that is #if, #ifdef, #elif, #else, #endif or their like. Returns false if the line is
   * something else. An include guard, #ifndef with the #define of the same name right behind it, is taken for
   * the file's first inclusion where nothing is known of its name.
   */
  bool take(const std::vector<SourceLine>& lines, std::size_t index, const DefinedMacros& defined);

  /** Whether the lines that follow are compiled. */
  TriState compiled() const { return levels_.empty() ? TriState::Yes : levels_.back().now; }

 private:
  void next_branch(TriState condition);

  struct Level {
    TriState outside = TriState::Yes;
    TriState taken = TriState::No;  ///< one of the branches before
    TriState now = TriState::Yes;
  };
  std::vector<Level> levels_;
};

}  // namespace kernelscape
