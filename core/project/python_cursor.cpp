#include "core/project/python_cursor.h"

#include <algorithm>
#include <utility>

#include "core/base/visible_text.h"
#include "core/project/python_node.h"

namespace kernelscape::project {

const PythonToken& PythonCursor::peek(std::size_t ahead) const {
  return tokens_[std::min(position + ahead, tokens_.size() - 1)];
}

bool PythonCursor::is(std::string_view symbol, std::size_t ahead) const {
  return peek(ahead).kind == PythonToken::Kind::Symbol && peek(ahead).text == symbol;
}

bool PythonCursor::is_word(std::string_view word, std::size_t ahead) const {
  return peek(ahead).kind == PythonToken::Kind::Name && peek(ahead).text == word;
}

bool PythonCursor::accept(std::string_view symbol) {
  if (!is(symbol)) return false;
  ++position;
  return true;
}

bool PythonCursor::accept_word(std::string_view word) {
  if (!is_word(word)) return false;
  ++position;
  return true;
}

std::string PythonCursor::found() const {
  return peek().kind == PythonToken::Kind::End
             ? "the end"
             : base::quoted_line(text_.substr(peek().position, peek(1).position - peek().position), 40);
}

std::unexpected<Error> PythonCursor::refuse(std::string_view what, std::string hint) const {
  return std::unexpected(python_error(text_, peek().position, what, std::move(hint)));
}

}  // namespace kernelscape::project
