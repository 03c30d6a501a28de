#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace kernelscape {

/** How well a text answers what was typed. */
struct FuzzyMatch {
  int score = 0;                     ///< higher is better
  std::vector<qsizetype> positions;  ///< of the letters in the text that were typed, ascending
};

/**
 * Every word of `pattern` has to be found in `text`: its letters in order, case aside, with gaps. Letters
 * that follow each other, or begin a word, count more; so does a short text. Nothing where a word is missing.
 */
std::optional<FuzzyMatch> fuzzy_match(const QString& pattern, const QString& text);

}  // namespace kernelscape
