#include "core/analysis/filter/filter_completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/analysis/filter/filter_parser.h"
#include "core/analysis/filter/filter_text.h"
#include "core/analysis/filter/filter_units.h"

namespace kernelscape::analysis {
namespace {

constexpr std::size_t max_offered = 100;
constexpr std::size_t max_searched = 1U << 16;  // values of a column, at each key press

/** The word at the cursor, and the tokens before it. */
struct Cursor {
  std::vector<FilterToken> before;
  std::string written;  ///< the word without an opening quote
  std::size_t position = 0;
  std::size_t end = 0;
  bool behind_number = false;  ///< directly after a number: without a space, only a unit can follow
};

bool is_completed_word(const FilterToken& token) {
  using enum TokenKind;
  constexpr std::array words{Name, Text, And, Or, Not, In, Broken};
  return std::ranges::find(words, token.kind) != words.end();
}

Cursor cursor_in(std::string_view text, std::size_t cursor) {
  cursor = std::min(cursor, text.size());
  Cursor found{.before = {}, .written = {}, .position = cursor, .end = cursor};
  // Text after the cursor cannot change the tokens before it, but the word at the cursor extends to its end.
  for (FilterToken& token : filter_tokens(text.substr(0, cursor))) {
    const bool touches = token.length > 0 && token.end() == cursor;
    if (touches && is_completed_word(token)) {
      found.position = token.position;
    } else if (touches && token.kind == TokenKind::Number) {
      found.behind_number = true;
      found.position = cursor - token.unit.size();
      token.length -= token.unit.size();
      token.unit.clear();
      found.before.push_back(std::move(token));
    } else if (token.kind != TokenKind::End) {
      found.before.push_back(std::move(token));
    }
  }
  found.written = text.substr(found.position, cursor - found.position);
  if (found.written.starts_with('`') || found.written.starts_with('"')) found.written.erase(0, 1);
  for (const FilterToken& token : filter_tokens(text)) {
    const bool around = token.position < cursor && token.end() > cursor;
    if (around && token.position <= found.position && is_completed_word(token) &&
        token.kind != TokenKind::Broken)
      found.end = token.end();
    if (around && token.kind == TokenKind::Number && found.behind_number) found.end = token.end();
  }
  FilterToken last;
  last.position = found.position;
  found.before.push_back(last);
  return found;
}

class Offers {
 public:
  explicit Offers(const Cursor& cursor) : cursor_(cursor) {}

  /** @param plain the text that is compared with the word under the cursor */
  void add(std::string_view plain, std::string text, std::string detail, CompletionKind kind) {
    const auto same = [](char a, char b) { return equal_ignoring_case({&a, 1}, {&b, 1}); };
    const auto found = std::ranges::search(plain, cursor_.written, same);
    if (!cursor_.written.empty() && found.empty()) return;
    const bool starts = found.begin() == plain.begin();
    if (!starts && contained_.size() == max_offered) return;
    (starts ? starting_ : contained_)
        .push_back(
            {std::move(text), std::move(detail), kind, cursor_.position, cursor_.end - cursor_.position});
  }

  void add_words(std::initializer_list<std::string_view> words, CompletionKind kind) {
    for (const std::string_view word : words) add(word, std::string(word), {}, kind);
  }

  std::vector<Completion> ranked() && {
    std::ranges::move(contained_, std::back_inserter(starting_));
    if (starting_.size() > max_offered) starting_.resize(max_offered);
    return std::move(starting_);
  }

 private:
  const Cursor& cursor_;
  std::vector<Completion> starting_;
  std::vector<Completion> contained_;
};

void offer_columns(Offers& offers, const TrialColumns& columns) {
  for (const Column& column : columns.columns()) {
    std::string detail = column.title == column.name ? "" : column.title;
    if (!column.unit.empty()) detail += detail.empty() ? column.unit : ", " + column.unit;
    offers.add(column.name, filter_name(column.name), std::move(detail), CompletionKind::Column);
  }
}

void offer_values(Offers& offers, const TrialColumns& columns, std::size_t position) {
  const Column& compared = columns.columns()[position];
  for (const std::string& label : compared.labels.first(max_searched))
    offers.add(label, filter_label(label), {}, CompletionKind::Value);
  if (compared.kind == ColumnKind::Label) return;
  for (const double value : columns.values_of_knob(position, max_searched)) {
    std::string text = fmt::format("{}", value);
    offers.add(text, text, {}, CompletionKind::Value);
  }
  for (const Column& other : columns.columns()) {
    if (other.kind == ColumnKind::Label || other.name == compared.name) continue;
    if (column_factor(other, compared))
      offers.add(other.name, filter_name(other.name), other.unit, CompletionKind::Column);
  }
}

}  // namespace

std::vector<Completion> completions(std::string_view text, std::size_t cursor, const TrialColumns& columns) {
  Cursor found = cursor_in(text, cursor);
  FilterParser parser(std::move(found.before), columns);
  (void)parser.parse();  // its result is ignored: only what may follow is needed
  const FilterExpectation& expected = parser.expectation();
  Offers offers(found);
  if (expected.unit_of) {
    for (std::string& unit : accepted_units(columns.columns()[*expected.unit_of]))
      offers.add(unit, unit, {}, CompletionKind::Unit);
  }
  if (found.behind_number) return std::move(offers).ranked();
  if (expected.comparison_of) {
    const Column& compared = columns.columns()[*expected.comparison_of];
    offers.add_words({"=", "!="}, CompletionKind::Operator);
    if (compared.kind != ColumnKind::Label || has_numbered_labels(compared))
      offers.add_words({"<", "<=", ">", ">="}, CompletionKind::Operator);
    offers.add_words({"in", "not in"}, CompletionKind::Operator);
  }
  if (expected.value_of) offer_values(offers, columns, *expected.value_of);
  if (expected.connective) offers.add_words({"and", "or"}, CompletionKind::Word);
  if (expected.condition) offers.add_words({"valid", "invalid"}, CompletionKind::Word);
  if (expected.condition || expected.column) offer_columns(offers, columns);
  if (expected.condition) offers.add_words({"not"}, CompletionKind::Word);
  return std::move(offers).ranked();
}

}  // namespace kernelscape::analysis
