#pragma once

#include <QObject>
#include <QString>
#include <deque>
#include <utility>

#include "core/exchange/table_preview.h"
#include "ui/workspace/file_import.h"

namespace kernelscape::frame {

/**
 * Shows the tables among imported files to the user, one after the other, and imports each with the columns
 * that the user has checked. Tables that the user cancels are not imported.
 */
class TableQuestions : public QObject {
  Q_OBJECT

 public:
  /** @param window parent of the dialogs, and owner of this object */
  TableQuestions(workspace::FileImport& imports, QWidget* window);

 private:
  void ask_next();

  workspace::FileImport& imports_;
  QWidget* window_;
  std::deque<std::pair<QString, exchange::TablePreview>> waiting_;
  bool asking_ = false;
};

}  // namespace kernelscape::frame
