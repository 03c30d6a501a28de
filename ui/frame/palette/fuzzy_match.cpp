#include "ui/frame/palette/fuzzy_match.h"

#include <QStringList>
#include <algorithm>
#include <limits>

namespace kernelscape::frame {
namespace {

constexpr int letter_score = 1;
constexpr int word_start_score = 8;
constexpr int following_score = 10;
constexpr int impossible = std::numeric_limits<int>::min() / 2;
constexpr qsizetype longest_text = 200;

bool starts_word(const QString& text, qsizetype place) {
  if (place == 0) return true;
  const QChar before = text[place - 1];
  return !before.isLetterOrNumber() || (before.isLower() && text[place].isUpper());
}

/**
 * Finds the best positions of a word's letters, by dynamic programming over letters and positions, since the
 * first match is rarely the best.
 */
std::optional<FuzzyMatch> match_word(const QString& word, const QString& text) {
  const auto letters = static_cast<std::size_t>(word.size());
  const auto places = static_cast<std::size_t>(text.size());
  if (letters > places) return std::nullopt;
  std::vector<std::vector<int>> ending(letters, std::vector<int>(places, impossible));
  std::vector<std::vector<std::size_t>> previous(letters, std::vector<std::size_t>(places, 0));
  for (std::size_t letter = 0; letter < letters; ++letter) {
    int best_before = letter == 0 ? 0 : impossible;
    std::size_t best_place = 0;
    for (std::size_t place = 0; place < places; ++place) {
      const auto at = static_cast<qsizetype>(place);
      if (text[at].toCaseFolded() == word[static_cast<qsizetype>(letter)].toCaseFolded()) {
        const int own = letter_score + (starts_word(text, at) ? word_start_score : 0);
        int& score = ending[letter][place];
        if (best_before > impossible) {
          score = best_before + own;
          previous[letter][place] = best_place;
        }
        const bool follows = letter > 0 && place > 0 && ending[letter - 1][place - 1] > impossible;
        if (follows && ending[letter - 1][place - 1] + own + following_score > score) {
          score = ending[letter - 1][place - 1] + own + following_score;
          previous[letter][place] = place - 1;
        }
      }
      if (letter > 0 && ending[letter - 1][place] > best_before) {
        best_before = ending[letter - 1][place];
        best_place = place;
      }
    }
  }
  const auto last = std::ranges::max_element(ending.back());
  if (*last <= impossible) return std::nullopt;
  FuzzyMatch match{*last, std::vector<qsizetype>(letters)};
  auto place = static_cast<std::size_t>(last - ending.back().begin());
  for (std::size_t letter = letters; letter-- > 0;) {
    match.positions[letter] = static_cast<qsizetype>(place);
    place = previous[letter][place];
  }
  return match;
}

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(const QString& pattern, const QString& text) {
  FuzzyMatch match;
  const QString searched = text.left(longest_text);
  for (const QString& word : pattern.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const auto found = match_word(word, searched);
    if (!found) return std::nullopt;
    match.score += found->score;
    match.positions.insert(match.positions.end(), found->positions.begin(), found->positions.end());
  }
  std::ranges::sort(match.positions);
  const auto repeated = std::ranges::unique(match.positions);
  match.positions.erase(repeated.begin(), repeated.end());
  match.score -= static_cast<int>(searched.size() / 8);
  return match;
}

}  // namespace kernelscape::frame
