#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace kernelscape::frame {

/** Describes how well a text matches the search pattern. */
struct FuzzyMatch {
  int score = 0;                     ///< higher is better
  std::vector<qsizetype> positions;  ///< positions in the text of the matched letters, ascending
};

/**
 * Matches each word of `pattern` in `text`: the word's letters must occur in order, ignoring case, with gaps.
 * Consecutive letters and letters at the beginning of a word score higher, and so does a short text. Returns
 * nullopt if a word does not match.
 */
std::optional<FuzzyMatch> fuzzy_match(const QString& pattern, const QString& text);

}  // namespace kernelscape::frame
