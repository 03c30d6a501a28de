#pragma once

#include <QWidget>

class QFormLayout;

namespace kernelscape::views {

/** A part of a form below a heading that folds it. */
class FormSection : public QWidget {
  Q_OBJECT

 public:
  FormSection(const QString& title, bool open, QWidget* parent = nullptr);

  QFormLayout& form() { return *form_; }  ///< the rows below the heading

 private:
  QFormLayout* form_ = nullptr;
};

}  // namespace kernelscape::views
