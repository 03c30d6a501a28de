#pragma once

#include <QWidget>

class QPushButton;

namespace kernelscape {

class ThemedLabel;

/** Stands where a table would be empty: why, and what to do next. */
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  explicit EmptyState(QWidget* parent = nullptr);

  /** @param action of the button; empty: no button */
  void set_text(const QString& headline, const QString& text, const QString& action);
  /** The upper, larger line. */
  QString headline() const;

 signals:
  /** The button was clicked. */
  void action_triggered();

 private:
  ThemedLabel* headline_;
  ThemedLabel* text_;
  QPushButton* action_;
};

}  // namespace kernelscape
