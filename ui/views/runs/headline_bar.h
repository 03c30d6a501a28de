#pragma once

#include <QWidget>

class QLabel;

#include "ui/figures/headline.h"

namespace kernelscape {

class ThemedLabel;

/** The answer: how good is it, against what, and how far is it. */
class HeadlineBar : public QWidget {
  Q_OBJECT

 public:
  explicit HeadlineBar(QWidget* parent = nullptr);

  /** In place of a hint, or of the text before. */
  void show_text(const HeadlineText& text);
  /** Before there is a source. */
  void show_hint(const QString& text);

 protected:
  bool event(QEvent* event) override;

 private:
  void paint_mark();

  ThemedLabel* what_ = nullptr;
  ThemedLabel* state_ = nullptr;
  ThemedLabel* speed_ = nullptr;
  ThemedLabel* spread_ = nullptr;
  ThemedLabel* comparisons_ = nullptr;
  ThemedLabel* trust_ = nullptr;
  ThemedLabel* warning_ = nullptr;
  QLabel* warning_mark_ = nullptr;
};

}  // namespace kernelscape
