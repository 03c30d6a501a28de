#include "core/analysis/filter/filter_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace kernelscape::analysis {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/** Names are UTF-8: every byte of a character beyond ASCII belongs to a word. */
bool is_word_start(char c) { return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct Symbol {
  std::string_view written;
  TokenKind kind;
  std::string_view text;
};

/** The longer symbols come first. */
constexpr std::array symbols{
    Symbol{"==", TokenKind::Operator, "="},  Symbol{"!=", TokenKind::Operator, "!="},
    Symbol{"<=", TokenKind::Operator, "<="}, Symbol{">=", TokenKind::Operator, ">="},
    Symbol{"&&", TokenKind::And, "and"},     Symbol{"||", TokenKind::Or, "or"},
    Symbol{"..", TokenKind::Range, ".."},    Symbol{"=", TokenKind::Operator, "="},
    Symbol{"<", TokenKind::Operator, "<"},   Symbol{">", TokenKind::Operator, ">"},
    Symbol{"!", TokenKind::Not, "not"},      Symbol{"(", TokenKind::Open, "("},
    Symbol{")", TokenKind::Close, ")"},      Symbol{"[", TokenKind::OpenTuple, "["},
    Symbol{"]", TokenKind::CloseTuple, "]"}, Symbol{",", TokenKind::Comma, ","},
};

constexpr std::array<std::pair<std::string_view, TokenKind>, 4> keywords{
    {{"and", TokenKind::And}, {"or", TokenKind::Or}, {"not", TokenKind::Not}, {"in", TokenKind::In}}};

class FilterLexer {
 public:
  explicit FilterLexer(std::string_view text) : text_(text) {}

  std::vector<FilterToken> tokens() {
    std::vector<FilterToken> all;
    do all.push_back(next());
    while (all.back().kind != TokenKind::End);
    return all;
  }

 private:
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  FilterToken next() {
    while (here_ < text_.size() && is_space(text_[here_])) ++here_;
    FilterToken token;
    token.position = here_;
    if (here_ < text_.size()) read(token);
    token.length = here_ - token.position;
    return token;
  }

  void read(FilterToken& token) {
    const char first = at(here_);
    const bool is_signed = first == '-' || first == '+';
    const std::size_t digits = here_ + (is_signed ? 1 : 0);
    if (is_digit(at(digits)) || (at(digits) == '.' && is_digit(at(digits + 1)))) return read_number(token);
    if (is_word_start(first)) return read_word(token);
    if (first == '%') return read_percent(token);
    if (first == '"' || first == '`') return read_quoted(token, first);
    for (const Symbol& symbol : symbols) {
      if (!text_.substr(here_).starts_with(symbol.written)) continue;
      here_ += symbol.written.size();
      token.kind = symbol.kind;
      token.text = symbol.text;
      return;
    }
    ++here_;
    break_token(token, fmt::format("\"{}\" has no meaning in a filter", first),
                "write labels with such characters in \"...\", column names in `...`");
  }

  static void break_token(FilterToken& token, std::string message, std::string hint) {
    token.kind = TokenKind::Broken;
    token.text = std::move(message);
    token.hint = std::move(hint);
  }

  void skip_digits() {
    while (is_digit(at(here_))) ++here_;
  }

  /** Distinguishes a range "1..2", an exponent "1e3", and the units "1ms" and "1%". */
  void read_number(FilterToken& token) {
    if (!is_digit(at(here_)) && at(here_) != '.') ++here_;
    skip_digits();
    if (at(here_) == '.' && is_digit(at(here_ + 1))) {
      ++here_;
      skip_digits();
    }
    if (lower(at(here_)) == 'e') {
      const std::size_t digits = here_ + (at(here_ + 1) == '-' || at(here_ + 1) == '+' ? 2 : 1);
      if (is_digit(at(digits))) {
        here_ = digits;
        skip_digits();
      }
    }
    std::string_view written = text_.substr(token.position, here_ - token.position);
    if (written.starts_with('+')) written.remove_prefix(1);
    const auto read = std::from_chars(written.data(), written.data() + written.size(), token.number);
    const std::size_t unit = here_;
    if (is_word_start(at(here_)))
      skip_word();
    else if (at(here_) == '%')
      ++here_;
    token.kind = TokenKind::Number;
    token.unit = text_.substr(unit, here_ - unit);
    token.text = text_.substr(token.position, here_ - token.position);
    if (read.ec != std::errc{})
      break_token(token, fmt::format("{} is too large or too small a number", token.text),
                  "use numbers from 1e-307 to 1e308");
  }

  /** A point, slash or hyphen belongs to a word if the word continues after it. */
  void skip_word() {
    const auto joins = [](char c) { return c == '.' || c == '/' || c == '-'; };
    while (is_word(at(here_)) || (joins(at(here_)) && is_word(at(here_ + 1)))) ++here_;
  }

  void read_word(FilterToken& token) {
    skip_word();
    token.kind = TokenKind::Name;
    token.text = text_.substr(token.position, here_ - token.position);
    if (at(here_) == '[') return read_element(token);
    for (const auto& [word, kind] : keywords)
      if (equal_ignoring_case(word, token.text)) token.kind = kind;
  }

  /** Reads a unit that is separated from its number. */
  void read_percent(FilterToken& token) {
    ++here_;
    token.kind = TokenKind::Name;
    token.text = "%";
  }

  void read_element(FilterToken& token) {
    const std::size_t close = text_.find(']', here_);
    if (close == std::string_view::npos) {
      here_ = text_.size();
      return break_token(token, fmt::format("the [ after {} is not closed", token.text),
                         fmt::format("write the element and ], as in {}[0]", token.text));
    }
    std::string_view element = text_.substr(here_ + 1, close - here_ - 1);
    while (!element.empty() && is_space(element.front())) element.remove_prefix(1);
    while (!element.empty() && is_space(element.back())) element.remove_suffix(1);
    token.text = fmt::format("{}[{}]", token.text, element);
    here_ = close + 1;
  }

  void read_quoted(FilterToken& token, char quote) {
    token.kind = quote == '"' ? TokenKind::Text : TokenKind::Name;
    token.quoted = true;
    for (++here_; here_ < text_.size() && text_[here_] != quote; ++here_) {
      if (text_[here_] == '\\' && here_ + 1 < text_.size()) ++here_;
      token.text += text_[here_];
    }
    if (here_ < text_.size()) {
      ++here_;
      return;
    }
    break_token(token, fmt::format("this {} is not closed", quote),
                fmt::format("write another {} after the {}", quote, quote == '"' ? "text" : "name"));
  }

  std::string_view text_;
  std::size_t here_ = 0;
};

}  // namespace

std::vector<FilterToken> filter_tokens(std::string_view text) { return FilterLexer(text).tokens(); }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_reserved(std::string_view name) {
  return equal_ignoring_case(name, "valid") || equal_ignoring_case(name, "invalid");
}

}  // namespace kernelscape::analysis
