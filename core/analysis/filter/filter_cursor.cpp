#include "core/analysis/filter/filter_cursor.h"

#include <fmt/format.h>

#include <utility>

namespace kernelscape::analysis {

FilterCursor::FilterCursor(std::vector<FilterToken> tokens) : tokens_(std::move(tokens)) {}

bool FilterCursor::accept(TokenKind kind) {
  if (peek().kind != kind) return false;
  ++position;
  return true;
}

std::unexpected<FilterError> FilterCursor::refuse(const FilterToken& token, std::string message,
                                                  std::string hint) {
  return std::unexpected(FilterError{std::move(message), std::move(hint), token.position, token.length});
}

std::unexpected<FilterError> FilterCursor::unexpected_token(std::string_view wanted, std::string hint) const {
  const FilterToken& token = peek();
  if (token.kind == TokenKind::Broken) return refuse(token, token.text, token.hint);
  const std::string found =
      token.kind == TokenKind::End ? "the filter ends" : fmt::format("\"{}\" is found", token.text);
  return refuse(token, fmt::format("{} where {} is expected", found, wanted), std::move(hint));
}

}  // namespace kernelscape::analysis
