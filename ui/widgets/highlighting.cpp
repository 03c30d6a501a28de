#include "ui/widgets/highlighting.h"

namespace kernelscape::widgets {

bool starts_word(QChar character) { return character.isLetter() || character == QLatin1Char('_'); }

bool continues_word(QChar character) { return character.isLetterOrNumber() || character == QLatin1Char('_'); }

qsizetype end_of_word(const QString& text, qsizetype start) {
  while (start < text.size() && continues_word(text[start])) ++start;
  return start;
}

qsizetype end_of_number(const QString& text, qsizetype start) {
  const auto continues = [&](qsizetype place) {
    const QChar character = text[place];
    const bool sign = character == QLatin1Char('-') || character == QLatin1Char('+');
    if (sign && place > start) {
      const QChar before = text[place - 1].toLower();
      return before == QLatin1Char('e') || before == QLatin1Char('p');
    }
    return continues_word(character) || character == QLatin1Char('.');
  };
  qsizetype end = start + 1;
  while (end < text.size() && continues(end)) ++end;
  return end;
}

qsizetype end_of_string(const QString& text, qsizetype start) {
  const QChar quote = text[start];
  for (qsizetype place = start + 1; place < text.size(); ++place) {
    if (text[place] == QLatin1Char('\\')) {
      ++place;
    } else if (text[place] == quote) {
      return place + 1;
    }
  }
  return text.size();
}

bool ends_in_comment(QStringView line, bool inside) {
  for (qsizetype place = 0; place + 1 < line.size(); ++place) {
    const QStringView two = line.mid(place, 2);
    if (inside && two == QLatin1String("*/")) {
      inside = false;
      ++place;
    } else if (!inside && two == QLatin1String("/*")) {
      inside = true;
      ++place;
    } else if (!inside && two == QLatin1String("//")) {
      return false;
    }
  }
  return inside;
}

}  // namespace kernelscape::widgets
