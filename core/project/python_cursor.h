#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/project/python_tokens.h"

namespace kernelscape::project {

/** The tokens of an expression with a position. */
class PythonCursor {
 public:
  /** @param text of the tokens; must outlive the cursor @param tokens end with a token of the kind End */
  PythonCursor(std::string_view text, std::vector<PythonToken> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  /** Returns the token `ahead` places after the next one, or the last token. */
  const PythonToken& peek(std::size_t ahead = 0) const;
  /** Returns true if that token is this symbol. */
  bool is(std::string_view symbol, std::size_t ahead = 0) const;
  /** Returns true if that token is this word, without quotes. */
  bool is_word(std::string_view word, std::size_t ahead = 0) const;
  bool accept(std::string_view symbol);     ///< skips the next token if it is this symbol
  bool accept_word(std::string_view word);  ///< skips the next token if it is this word

  std::string_view text() const { return text_; }  ///< the whole expression
  /** Returns the next token as it is written, in quotes, for an error. */
  std::string found() const;
  /** Makes an error at the next token. */
  std::unexpected<Error> refuse(std::string_view what, std::string hint = {}) const;

  std::size_t position = 0;  ///< of the next token

 private:
  std::string_view text_;
  std::vector<PythonToken> tokens_;
};

}  // namespace kernelscape::project
