#include "ui/views/trials/c_highlighter.h"

#include <QSet>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/views/trials/highlighting.h"

namespace kernelscape {
namespace {

enum BlockState { Plain = 0, InComment = 1 };

const QSet<QString>& keywords() {
  static const QSet<QString> words = {
      "auto",       "break",      "case",           "const",      "continue",     "default",
      "do",         "else",       "enum",           "extern",     "for",          "goto",
      "if",         "inline",     "register",       "restrict",   "return",       "sizeof",
      "static",     "struct",     "switch",         "typedef",    "union",        "volatile",
      "while",      "_Alignas",   "_Static_assert", "__restrict", "__restrict__", "__global__",
      "__device__", "__shared__", "__kernel",       "__local",    "__constant",   "__launch_bounds__",
      "kernel",     "local",      "constexpr",      "template",   "__attribute__"};
  return words;
}

const QSet<QString>& types() {
  static const QSet<QString> words = {"void",     "char",    "short",    "int",      "long",     "float",
                                      "double",   "signed",  "unsigned", "bool",     "_Bool",    "size_t",
                                      "half",     "int8_t",  "uint8_t",  "int16_t",  "uint16_t", "int32_t",
                                      "uint32_t", "int64_t", "uint64_t", "_Float16", "__half",   "float4"};
  return words;
}

/** Also the emitters' vectors: "float_x16". */
bool is_type(const QString& word) {
  if (types().contains(word) || word.endsWith(QLatin1String("_t"))) return true;
  const qsizetype lanes = word.lastIndexOf(QLatin1String("_x"));
  return lanes > 0 && lanes + 2 < word.size() && types().contains(word.left(lanes)) &&
         std::all_of(word.begin() + lanes + 2, word.end(), [](QChar digit) { return digit.isDigit(); });
}

}  // namespace

qsizetype CHighlighter::highlight_comment(const QString& text, qsizetype start, qsizetype search_from) {
  const qsizetype close = text.indexOf(QLatin1String("*/"), search_from);
  const qsizetype end = close < 0 ? text.size() : close + 2;
  setFormat(static_cast<int>(start), static_cast<int>(end - start), colours().syntax.comment);
  if (close < 0) setCurrentBlockState(InComment);
  return end;
}

qsizetype CHighlighter::highlight_word(const QString& text, qsizetype start) {
  const SyntaxColours& syntax = colours().syntax;
  const qsizetype end = end_of_word(text, start);
  const QString word = text.mid(start, end - start);
  qsizetype next = end;
  while (next < text.size() && text[next].isSpace()) ++next;
  const auto colour = [&](const QColor& of) {
    setFormat(static_cast<int>(start), static_cast<int>(end - start), of);
  };
  if (keywords().contains(word)) {
    colour(syntax.keyword);
  } else if (is_type(word)) {
    colour(syntax.type);
  } else if (next < text.size() && text[next] == QLatin1Char('(')) {
    colour(syntax.function);
  }
  return end;
}

bool CHighlighter::starts_in_comment() const {
  const auto line = static_cast<std::size_t>(currentBlock().blockNumber());
  return line < comment_lines_.size() ? comment_lines_[line] : previousBlockState() == InComment;
}

void CHighlighter::highlightBlock(const QString& text) {
  const SyntaxColours& syntax = colours().syntax;
  const auto colour = [&](qsizetype from, qsizetype to, const QColor& of) {
    setFormat(static_cast<int>(from), static_cast<int>(to - from), of);
  };
  setCurrentBlockState(Plain);
  qsizetype place = starts_in_comment() ? highlight_comment(text, 0, 0) : 0;
  bool at_start = true;
  while (place < text.size()) {
    const QChar character = text[place];
    const QChar next = place + 1 < text.size() ? text[place + 1] : QChar();
    const qsizetype start = place;
    if (character == QLatin1Char('/') && next == QLatin1Char('*')) {
      place = highlight_comment(text, start, start + 2);
    } else if (character == QLatin1Char('/') && next == QLatin1Char('/')) {
      place = text.size();
      colour(start, place, syntax.comment);
    } else if (character == QLatin1Char('#') && at_start) {
      place = end_of_word(text, start + 1);
      colour(start, place, syntax.preprocessor);
    } else if (character == QLatin1Char('"') || character == QLatin1Char('\'')) {
      place = end_of_string(text, start);
      colour(start, place, syntax.string);
    } else if (character.isDigit()) {
      place = end_of_number(text, start);
      colour(start, place, syntax.number);
    } else if (starts_word(character)) {
      place = highlight_word(text, start);
    } else {
      ++place;
    }
    at_start = at_start && character.isSpace();
  }
}

}  // namespace kernelscape
