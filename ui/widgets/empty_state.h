#pragma once

#include <QWidget>

class QPushButton;

namespace kernelscape::widgets {

class ThemedLabel;

/** Replaces an empty table: says why it is empty and what to do next. */
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  explicit EmptyState(QWidget* parent = nullptr);

  /** Sets the texts. @param action text of the button; empty: no button */
  void set_text(const QString& headline, const QString& text, const QString& action);
  /** Returns the upper, larger line. */
  QString headline() const;

 signals:
  /** Emitted when the button is clicked. */
  void action_triggered();

 private:
  ThemedLabel* headline_;
  ThemedLabel* text_;
  QPushButton* action_;
};

}  // namespace kernelscape::widgets
