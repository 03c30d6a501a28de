#include "core/project/python_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/base/utf8.h"
#include "core/base/visible_text.h"
#include "core/project/python_node.h"

namespace kernelscape::project {
namespace {

constexpr std::uint64_t largest_magnitude = std::uint64_t{1} << 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/** Returns the value of a digit of any base up to 16; 16 if it is not a digit. */
unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Result<std::vector<PythonToken>> run() {
    std::vector<PythonToken> tokens;
    for (;;) {
      while (here_ < text_.size() && std::string_view(" \t\r\n\f").contains(text_[here_])) ++here_;
      tokens.push_back(TRY(next()));
      if (tokens.back().kind == PythonToken::Kind::End) return tokens;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return here_ + ahead < text_.size() ? text_[here_ + ahead] : '\0';
  }

  std::unexpected<Error> refuse(std::size_t position, std::string_view what, std::string hint = {}) const {
    return std::unexpected(python_error(text_, position, what, std::move(hint)));
  }

  Result<PythonToken> next() {
    PythonToken token{.position = here_};
    if (here_ == text_.size()) return token;
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (peek() == '"' || peek() == '\'') return quoted(false);
    if (is_letter(peek()) || static_cast<unsigned char>(peek()) >= 0x80) return name();
    return symbol();
  }

  Result<PythonToken> symbol() {
    static constexpr std::array<std::string_view, 28> all{
        "**", "//", "==", "!=", "<=", ">=", "<<", ">>", "+", "-", "*", "/", "%", "<",
        ">",  "&",  "|",  "^",  "~",  "(",  ")",  "[",  "]", "{", "}", ",", ":", "."};
    // Symbols of C, JavaScript and statements, with their replacement in the language.
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> foreign{
        {{"&&", "join conditions with and"},
         {"||", "join conditions with or"},
         {":=", "write the value where it is used"},
         {"=", "compare with =="},
         {"!", "write not"},
         {"?", "write a if condition else b"}}};
    const std::string_view rest = text_.substr(here_);
    for (const std::string_view symbol : all) {
      if (!rest.starts_with(symbol) || rest.starts_with("&&") || rest.starts_with("||") ||
          rest.starts_with(":="))
        continue;
      PythonToken token{.kind = PythonToken::Kind::Symbol, .text = std::string(symbol), .position = here_};
      here_ += symbol.size();
      return token;
    }
    for (const auto& [symbol, instead] : foreign)
      if (rest.starts_with(symbol))
        return refuse(here_, fmt::format("{} is not supported here", base::quoted_line(symbol)),
                      std::string(instead));
    return refuse(here_, fmt::format("{} is not supported here", base::quoted_line(rest.substr(0, 1))),
                  "use numbers, texts, names, + - * / // % ** & | ^ ~ << >>, comparisons, and or not in");
  }

  Result<PythonToken> name() {
    PythonToken token{.kind = PythonToken::Kind::Name, .position = here_};
    while (here_ < text_.size()) {
      const base::Utf8Character character = base::first_character(text_.substr(here_));
      const bool part = character.code < 0x80
                            ? is_letter(peek()) || is_digit(peek())
                            : character.code != base::invalid_utf8 && !base::is_unseen(character.code);
      if (!part) break;
      token.text += text_.substr(here_, character.bytes);
      here_ += character.bytes;
    }
    if (token.text.empty()) return refuse(here_, "this is not a visible character");
    if (peek() == '"' || peek() == '\'') return prefixed(token);
    return token;
  }

  /** Reads r"..." and u"..."; other prefixes are not supported. */
  Result<PythonToken> prefixed(const PythonToken& prefix) {
    const bool raw = prefix.text == "r" || prefix.text == "R";
    if (!raw && prefix.text != "u" && prefix.text != "U")
      return refuse(prefix.position,
                    fmt::format("{} before a text is not supported", base::quoted_line(prefix.text)),
                    "write the text in plain quotes, without letters before them");
    PythonToken token = TRY(quoted(raw));
    token.position = prefix.position;
    return token;
  }

  Result<PythonToken> quoted(bool raw) {
    PythonToken token{.kind = PythonToken::Kind::Text, .position = here_};
    const char quote = text_[here_++];
    if (peek() == quote && peek(1) == quote)
      return refuse(token.position, "a text in three quotes is not supported",
                    "write it in single or double quotes");
    while (here_ < text_.size() && text_[here_] != quote) {
      if (text_[here_] == '\n') break;
      if (text_[here_] != '\\') {
        token.text += text_[here_++];
      } else if (raw) {
        token.text += text_.substr(here_, 2);
        here_ = std::min(here_ + 2, text_.size());
      } else {
        TRY(escape(token.text));
      }
    }
    if (peek() != quote)
      return refuse(token.position, "this text is not terminated", "add the closing quote");
    ++here_;
    return token;
  }

  Status escape(std::string& to) {
    static constexpr std::string_view plain = "\\'\"abfnrtv";
    static constexpr std::string_view meant = "\\'\"\a\b\f\n\r\t\v";
    const std::size_t start = here_++;
    const char letter = peek();
    if (const auto at = plain.find(letter); here_ < text_.size() && at != std::string_view::npos) {
      to += meant[at];
      ++here_;
      return {};
    }
    if (letter >= '0' && letter <= '7') {
      char32_t code = 0;
      for (int i = 0; i < 3 && peek() >= '0' && peek() <= '7'; ++i)
        code = code * 8 + digit_value(text_[here_++]);
      base::append_utf8(to, code);
      return {};
    }
    const int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (digits == 0) {
      // Unknown escapes are kept unchanged, as in Python.
      to += '\\';
      return {};
    }
    ++here_;
    char32_t code = 0;
    for (int i = 0; i < digits; ++i, ++here_) {
      if (digit_value(peek()) == 16)
        return refuse(start, fmt::format("\\{} needs {} digits", letter, digits));
      code = code * 16 + digit_value(peek());
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      return refuse(start, "there is no such character");
    base::append_utf8(to, code);
    return {};
  }

  Result<PythonToken> number() {
    const std::size_t start = here_;
    const char base_letter = static_cast<char>(peek(1) | 0x20);
    unsigned base = 10;
    if (peek() == '0') base = base_letter == 'x' ? 16 : base_letter == 'o' ? 8 : base_letter == 'b' ? 2 : 10;
    if (base != 10) here_ += 2;
    if (base != 10 && peek() == '_') ++here_;
    std::string digits = TRY(digit_row(base));
    bool real = false;
    if (base == 10) {
      if (peek() == '.') {
        real = true;
        digits += text_[here_++];
        digits += is_digit(peek()) ? TRY(digit_row(10)) : std::string("0");
      }
      const bool sign = peek(1) == '+' || peek(1) == '-';
      if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign ? 2 : 1))) {
        real = true;
        digits += 'e';
        if (sign && peek(1) == '-') digits += '-';
        here_ += sign ? 2 : 1;
        digits += TRY(digit_row(10));
      }
    }
    if (is_letter(peek()) || is_digit(peek()) || peek() == '.')
      return refuse(here_, fmt::format("{} follows a number", base::quoted_line(text_.substr(here_, 1))));
    if (real) return real_token(start, digits);
    return integer_token(start, digits, base);
  }

  /** Returns the digits without underscores between them; empty before a point. */
  Result<std::string> digit_row(unsigned base) {
    std::string digits;
    if (base == 10 && peek() == '.') return digits;
    for (;;) {
      if (digit_value(peek()) < base) {
        digits += text_[here_++];
      } else if (peek() == '_' && !digits.empty() && digit_value(peek(1)) < base) {
        ++here_;
      } else {
        break;
      }
    }
    if (digits.empty()) return refuse(here_, "a digit is missing");
    return digits;
  }

  Result<PythonToken> real_token(std::size_t start, const std::string& digits) const {
    PythonToken token{.kind = PythonToken::Kind::Real, .position = start};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token.real);
    if (error != std::errc{} || end != digits.data() + digits.size())
      return refuse(start, fmt::format("{} is out of a real's range", base::one_line(digits, 40)));
    return token;
  }

  Result<PythonToken> integer_token(std::size_t start, const std::string& digits, unsigned base) const {
    if (base == 10 && digits.size() > 1 && digits[0] == '0' &&
        digits.find_first_not_of('0') != std::string::npos)
      return refuse(start, "a number starts with 0", "leave the 0 out, or write 0o for base 8");
    PythonToken token{.kind = PythonToken::Kind::Integer, .position = start};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token.magnitude,
                                              static_cast<int>(base));
    if (error != std::errc{} || token.magnitude > largest_magnitude)
      return refuse(start, fmt::format("{} is beyond 64 bits", base::one_line(digits, 40)));
    return token;
  }

  std::string_view text_;
  std::size_t here_ = 0;
};

}  // namespace

Error python_error(std::string_view text, std::size_t position, std::string_view what, std::string hint) {
  std::size_t column = 1;
  for (std::size_t byte = 0; byte < std::min(position, text.size()); ++column)
    byte += base::first_character(text.substr(byte)).bytes;
  return {ErrorCode::InvalidArgument,
          fmt::format("{}: column {}: {}", base::quoted_line(text, 200), column, what), std::move(hint)};
}

Result<std::vector<PythonToken>> python_tokens(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes)
    return fail(ErrorCode::InvalidArgument, fmt::format("the expression {} has {} bytes, at most {} are read",
                                                        base::quoted_line(text, 40), text.size(), max_bytes));
  for (std::size_t byte = 0; byte < text.size();) {
    const base::Utf8Character character = base::first_character(text.substr(byte));
    if (character.code == base::invalid_utf8)
      return std::unexpected(python_error(text, byte, "the text is not valid UTF-8"));
    byte += character.bytes;
  }
  return Tokenizer(text).run();
}

}  // namespace kernelscape::project
