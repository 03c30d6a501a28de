#pragma once

#include <QString>
#include <QStringView>

namespace kernelscape {

/** A letter or underscore. */
bool starts_word(QChar character);
/** A letter, digit or underscore. */
bool continues_word(QChar character);

/** The place behind a word, a number with its suffixes, or a text in quotes; each starts at `start`. */
qsizetype end_of_word(const QString& text, qsizetype start);
/** With exponent and its sign: "1.5e-3f". */
qsizetype end_of_number(const QString& text, qsizetype start);
/** Behind the closing quote, or the text's end where there is none; a backslash escapes. */
qsizetype end_of_string(const QString& text, qsizetype start);

/** Whether a line of C ends inside a comment that goes on in the next one. @param inside it starts in one */
bool ends_in_comment(QStringView line, bool inside);

}  // namespace kernelscape
