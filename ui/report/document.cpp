#include "ui/report/document.h"

#include "core/base/visible_text.h"

namespace kernelscape::report {

QString printable_text(const QString& text) {
  QString characters = text;
  // Unpaired surrogates have no UTF-8 encoding.
  for (qsizetype i = 0; i < characters.size(); ++i) {
    if (!characters[i].isSurrogate()) continue;
    const bool pair =
        characters[i].isHighSurrogate() && i + 1 < characters.size() && characters[i + 1].isLowSurrogate();
    if (pair)
      ++i;
    else
      characters[i] = QChar::ReplacementCharacter;
  }
  return QString::fromStdString(base::printable_text(characters.toStdString()));
}

}  // namespace kernelscape::report
