#pragma once

#include <QString>

class QApplication;

namespace kernelscape {

/**
 * From now on labels show their texts as they are, those of tool tips, questions and of other parts of Qt
 * among them: names and messages of files reach every one of them, and as HTML a text may read files. A label
 * that chooses a format itself keeps it; none does. To be called before there are widgets; again does
 * nothing.
 */
void keep_texts_plain(QApplication& application);

/** A paragraph in lines that a tool tip has room for: tips show texts as they are, and break none. */
QString tip_lines(const QString& paragraph);

}  // namespace kernelscape
