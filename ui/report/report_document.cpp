#include "ui/report/report_document.h"

namespace kernelscape {
namespace {

constexpr char32_t replacement = 0xFFFD;
constexpr char32_t control_pictures = 0x2400;  // "␀" and those after it
constexpr char32_t delete_character = 0x7F;
constexpr char32_t delete_picture = 0x2421;

/** Turns the direction of a line, or cannot be seen at all. Joiners are part of words. */
bool is_deceptive(char32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x061C || code == 0x200B || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) ||
         code == 0xFEFF || (code >= 0xE0000 && code <= 0xE007F);
}

bool is_no_character(char32_t code) {
  return (code >= 0xD800 && code < 0xE000) || (code & 0xFFFE) == 0xFFFE ||
         (code >= 0xFDD0 && code < 0xFDF0) || code > 0x10FFFF;
}

void append_code(QString& text, char32_t code) { text.append(QString::fromUcs4(&code, 1)); }

}  // namespace

QString printable_text(const QString& text) {
  QString shown;
  shown.reserve(text.size());
  for (qsizetype index = 0; index < text.size(); ++index) {
    char32_t code = text[index].unicode();
    if (text[index].isHighSurrogate() && index + 1 < text.size() && text[index + 1].isLowSurrogate()) {
      code = QChar::surrogateToUcs4(text[index], text[index + 1]);
      ++index;
    }
    if (code == U'\n' || code == U'\t') {
      append_code(shown, code);
    } else if (code == U'\r') {
      // Half of a line end, or one of its own.
      if (index + 1 >= text.size() || text[index + 1] != QLatin1Char('\n')) append_code(shown, U'\n');
    } else if (code < 0x20) {
      append_code(shown, control_pictures + code);
    } else if (code == delete_character) {
      append_code(shown, delete_picture);
    } else if (is_no_character(code)) {
      append_code(shown, replacement);
    } else if (is_deceptive(code)) {
      shown += QStringLiteral("[U+%1]").arg(static_cast<uint>(code), 4, 16, QLatin1Char('0')).toUpper();
    } else {
      append_code(shown, code);
    }
  }
  return shown;
}

}  // namespace kernelscape
