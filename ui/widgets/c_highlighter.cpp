#include "ui/widgets/c_highlighter.h"

#include <QSet>

#include "ui/style/theme.h"
#include "ui/widgets/highlighting.h"

namespace kernelscape::widgets {
namespace {

enum BlockState { Plain = 0, InComment = 1 };

const QSet<QString>& c_keywords() {
  static const QSet<QString> words = {
      "asm",     "auto",       "break",        "case",         "const",  "continue", "default",
      "do",      "else",       "enum",         "extern",       "for",    "goto",     "if",
      "inline",  "return",     "register",     "restrict",     "sizeof", "static",   "struct",
      "switch",  "typedef",    "union",        "volatile",     "while",  "_Alignas", "_Static_assert",
      "__asm__", "__restrict", "__restrict__", "__attribute__"};
  return words;
}

/** Returns the keywords that a dialect adds to C, including the variables that the hardware sets. */
const QSet<QString>& own_keywords(codegen::Dialect dialect) {
  static const QSet<QString> none;
  static const QSet<QString> cuda = {
      "__global__",      "__device__",   "__host__",  "__shared__", "__constant__", "__launch_bounds__",
      "__forceinline__", "__noinline__", "__align__", "alignas",    "constexpr",    "template",
      "typename",        "namespace",    "class",     "using",      "nullptr",      "static_assert",
      "threadIdx",       "blockIdx",     "blockDim",  "gridDim",    "warpSize"};
  static const QSet<QString> opencl = {"__kernel",
                                       "kernel",
                                       "__global",
                                       "global",
                                       "__local",
                                       "local",
                                       "__private",
                                       "private",
                                       "__constant",
                                       "constant",
                                       "__read_only",
                                       "__write_only",
                                       "reqd_work_group_size"};
  switch (dialect) {
    case codegen::Dialect::C:
      return none;
    case codegen::Dialect::Cuda:
      return cuda;
    case codegen::Dialect::OpenCl:
      return opencl;
  }
  return none;
}

const QSet<QString>& types() {
  static const QSet<QString> words = {"void",     "char",   "short",    "int",  "long",   "float",
                                      "double",   "signed", "unsigned", "bool", "_Bool",  "uchar",
                                      "ushort",   "uint",   "ulong",    "half", "__half", "__half2",
                                      "_Float16", "size_t", "ptrdiff_t"};
  return words;
}

/** Returns the number of digits at the end of the word. */
qsizetype digits_at_end(const QString& word) {
  qsizetype digits = 0;
  while (digits < word.size() && word[word.size() - 1 - digits].isDigit()) ++digits;
  return digits;
}

/** Returns true for types, including vectors as named by the emitters, "float_x16", and on GPUs, "float4". */
bool is_type(const QString& word) {
  if (types().contains(word) || word.endsWith(QLatin1String("_t"))) return true;
  const qsizetype digits = digits_at_end(word);
  if (digits == 0) return false;
  const QString element = word.chopped(digits);
  return types().contains(element) ||
         (element.endsWith(QLatin1String("_x")) && types().contains(element.chopped(2)));
}

}  // namespace

qsizetype CHighlighter::highlight_comment(const QString& text, qsizetype start, qsizetype search_from) {
  const qsizetype close = text.indexOf(QLatin1String("*/"), search_from);
  const qsizetype end = close < 0 ? text.size() : close + 2;
  setFormat(static_cast<int>(start), static_cast<int>(end - start), style::colours().syntax.comment);
  if (close < 0) setCurrentBlockState(InComment);
  return end;
}

qsizetype CHighlighter::highlight_word(const QString& text, qsizetype start) {
  const style::SyntaxColours& syntax = style::colours().syntax;
  const qsizetype end = end_of_word(text, start);
  const QString word = text.mid(start, end - start);
  qsizetype next = end;
  while (next < text.size() && text[next].isSpace()) ++next;
  const auto colour = [&](const QColor& of) {
    setFormat(static_cast<int>(start), static_cast<int>(end - start), of);
  };
  if (c_keywords().contains(word) || own_keywords(dialect_).contains(word)) {
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
  const style::SyntaxColours& syntax = style::colours().syntax;
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

}  // namespace kernelscape::widgets
