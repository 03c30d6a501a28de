#pragma once

#include <QWidget>

class QLabel;

#include "ui/figures/headline.h"

namespace kernelscape {

class ThemedLabel;

/** Shows the headline of a session: the best speed, what it is compared with, and the progress. */
class HeadlineBar : public QWidget {
  Q_OBJECT

 public:
  explicit HeadlineBar(QWidget* parent = nullptr);

  /** Replaces the shown text or hint. */
  void show_text(const HeadlineText& text);
  /** Shows a hint, before there is a source. */
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
