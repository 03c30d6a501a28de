#include "ui/views/runs/error_notes.h"

namespace kernelscape::views {

QString error_text(const Error& error) {
  QString text = QString::fromStdString(error.message);
  if (!error.hint.empty()) text += QStringLiteral(": ") + QString::fromStdString(error.hint);
  return text;
}

}  // namespace kernelscape::views
