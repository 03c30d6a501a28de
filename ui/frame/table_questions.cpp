#include "ui/frame/table_questions.h"

#include <QWidget>

#include "ui/frame/table_dialog.h"

namespace kernelscape::frame {

TableQuestions::TableQuestions(workspace::FileImport& imports, QWidget* window)
    : QObject(window), imports_(imports), window_(window) {
  imports_.preview_tables();
  connect(&imports_, &workspace::FileImport::table_found, this,
          [this](const QString& path, const exchange::TablePreview& table) {
            waiting_.emplace_back(path, table);
            ask_next();
          });
}

void TableQuestions::ask_next() {
  if (asking_ || waiting_.empty()) return;
  asking_ = true;
  const QString path = waiting_.front().first;
  auto* dialog = new TableDialog(path, std::move(waiting_.front().second), window_);
  waiting_.pop_front();
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this,
          [this, dialog, path] { imports_.start_table(path, dialog->options()); });
  connect(dialog, &QDialog::finished, this, [this] {
    asking_ = false;
    ask_next();
  });
  dialog->show();
}

}  // namespace kernelscape::frame
