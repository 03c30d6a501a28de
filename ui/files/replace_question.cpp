#include "ui/files/replace_question.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

namespace kernelscape::files {
namespace {

QString question_text(const char* text) { return QCoreApplication::translate("ReplaceQuestion", text); }

}  // namespace

void ask_to_replace(QWidget& parent, const Error& occupied, std::function<void()> replace) {
  auto* question = new QMessageBox(&parent);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->setWindowTitle(question_text("Kernelscape"));
  question->setTextFormat(Qt::PlainText);
  question->setText(QString::fromStdString(occupied.message));
  question->setInformativeText(question_text("The existing content will be lost."));
  const QPushButton* yes = question->addButton(question_text("Replace"), QMessageBox::DestructiveRole);
  question->setDefaultButton(question->addButton(QMessageBox::Cancel));
  QObject::connect(question, &QMessageBox::buttonClicked, &parent,
                   [yes, replace = std::move(replace)](const QAbstractButton* button) {
                     if (button == yes) replace();
                   });
  question->open();
}

}  // namespace kernelscape::files
