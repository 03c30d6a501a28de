#pragma once

#include <QString>

namespace kernelscape {

bool starts_word(QChar character);
bool continues_word(QChar character);

/** The place behind a word, a number with its suffixes, or a text in quotes; each starts at `start`. */
qsizetype end_of_word(const QString& text, qsizetype start);
qsizetype end_of_number(const QString& text, qsizetype start);
qsizetype end_of_string(const QString& text, qsizetype start);

}  // namespace kernelscape
