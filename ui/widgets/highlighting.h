#pragma once

#include <QString>
#include <QStringView>

namespace kernelscape::widgets {

/** Returns true for a letter or underscore. */
bool starts_word(QChar character);
/** Returns true for a letter, digit or underscore. */
bool continues_word(QChar character);

/** Returns the position after the word that starts at `start`. */
qsizetype end_of_word(const QString& text, qsizetype start);
/**
 * Returns the position after the number that starts at `start`, including suffixes and an exponent with sign:
 * "1.5e-3f".
 */
qsizetype end_of_number(const QString& text, qsizetype start);
/**
 * Returns the position after the closing quote of the string that starts at `start`, or the text's end if
 * there is none; a backslash escapes.
 */
qsizetype end_of_string(const QString& text, qsizetype start);

/**
 * Returns true if a line of C ends inside a comment that continues in the next one. @param inside the line
 * starts inside a comment
 */
bool ends_in_comment(QStringView line, bool inside);

}  // namespace kernelscape::widgets
