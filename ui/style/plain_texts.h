#pragma once

#include <QString>

class QApplication;

namespace kernelscape::style {

/**
 * Makes all labels show their texts as plain text, including those of tool tips, message boxes and other
 * parts of Qt. Names and messages from files appear in all of these labels, and a text interpreted as HTML
 * could read files. A label that sets a format itself keeps it; no label does. Call it before there are
 * widgets; a second call does nothing.
 */
void keep_texts_plain(QApplication& application);

/** Returns base::sentence() of a text. */
QString sentence(const QString& text);

/**
 * Breaks a paragraph into lines that fit a tool tip, since tool tips show plain text without breaking lines.
 */
QString tip_lines(const QString& paragraph);

}  // namespace kernelscape::style
