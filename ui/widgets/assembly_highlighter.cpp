#include "ui/widgets/assembly_highlighter.h"

#include "ui/style/theme.h"
#include "ui/widgets/highlighting.h"

namespace kernelscape::widgets {
namespace {

bool in_symbol(QChar character) {
  return continues_word(character) || character == QLatin1Char('.') || character == QLatin1Char('$') ||
         character == QLatin1Char('@');
}

qsizetype end_of_symbol(const QString& text, qsizetype start) {
  while (start < text.size() && in_symbol(text[start])) ++start;
  return start;
}

}  // namespace

void AssemblyHighlighter::highlightBlock(const QString& text) {
  const style::SyntaxColours& syntax = style::colours().syntax;
  const auto colour = [&](qsizetype from, qsizetype to, const QColor& of) {
    setFormat(static_cast<int>(from), static_cast<int>(to - from), of);
  };
  bool instruction_due = true;
  qsizetype place = 0;
  while (place < text.size()) {
    const QChar character = text[place];
    const qsizetype start = place;
    if (character == QLatin1Char('#') || character == QLatin1Char(';')) {
      place = text.size();
      colour(start, place, syntax.comment);
    } else if (character == QLatin1Char('"')) {
      place = end_of_string(text, start);
      colour(start, place, syntax.string);
    } else if (character == QLatin1Char('%')) {
      place = end_of_word(text, start + 1);
      colour(start, place, syntax.type);
    } else if (character == QLatin1Char('$') || character.isDigit()) {
      place = end_of_number(text, start);
      colour(start, place, syntax.number);
    } else if (in_symbol(character)) {
      place = end_of_symbol(text, start);
      const bool label = place < text.size() && text[place] == QLatin1Char(':');
      if (label) {
        colour(start, place, syntax.function);
      } else if (instruction_due) {
        colour(start, place, character == QLatin1Char('.') ? syntax.preprocessor : syntax.keyword);
        instruction_due = false;
      }
    } else {
      ++place;
    }
  }
}

}  // namespace kernelscape::widgets
