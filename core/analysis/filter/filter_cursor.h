#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_tokens.h"

namespace kernelscape::analysis {

/** The elements that may follow the last token, for completion. */
struct FilterExpectation {
  bool condition = false;
  bool column = false;  ///< only a column, which follows a number in a comparison
  bool connective = false;
  std::optional<std::size_t> comparison_of = {};  ///< the column, if an operator for it may follow
  std::optional<std::size_t> value_of = {};       ///< the column, if a value for it may follow
  std::optional<std::size_t> unit_of = {};        ///< the column, if the unit of its number may follow
};

/** The tokens of a filter with a position, which the parts of a parser share. */
class FilterCursor {
 public:
  /** @param tokens end with a token of the kind End */
  explicit FilterCursor(std::vector<FilterToken> tokens);

  const FilterToken& peek() const { return tokens_[position]; }      ///< the next token
  bool at_end() const { return peek().kind == TokenKind::End; }      ///< no token is left
  const FilterToken& take() { return tokens_[position++]; }          ///< returns and skips a token
  const FilterToken& last() const { return tokens_[position - 1]; }  ///< the token before the next one
  /** Skips the next token if it has this kind. Returns true if it was skipped. */
  bool accept(TokenKind kind);

  /** Makes an error at a token. */
  static std::unexpected<FilterError> refuse(const FilterToken& token, std::string message, std::string hint);
  /** Makes an error at the next token, which stands where something else is wanted. */
  std::unexpected<FilterError> unexpected_token(std::string_view wanted, std::string hint) const;

  FilterExpectation expectation;  ///< what may follow after the last token
  std::size_t position = 0;       ///< of the next token

 private:
  std::vector<FilterToken> tokens_;
};

}  // namespace kernelscape::analysis
