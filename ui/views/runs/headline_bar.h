#pragma once

#include <QWidget>

class QLabel;

#include "ui/figures/headline.h"

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Shows the headline of a session: the best speed, what it is compared with, and the progress. */
class HeadlineBar : public QWidget {
  Q_OBJECT

 public:
  explicit HeadlineBar(QWidget* parent = nullptr);

  /** Replaces the shown text or hint. */
  void show_text(const figures::HeadlineText& text);
  /** Shows a hint, before there is a source. */
  void show_hint(const QString& text);

 protected:
  bool event(QEvent* event) override;

 private:
  void paint_mark();

  widgets::ThemedLabel* what_ = nullptr;
  widgets::ThemedLabel* state_ = nullptr;
  widgets::ThemedLabel* speed_ = nullptr;
  widgets::ThemedLabel* spread_ = nullptr;
  widgets::ThemedLabel* comparisons_ = nullptr;
  widgets::ThemedLabel* trust_ = nullptr;
  widgets::ThemedLabel* warning_ = nullptr;
  QLabel* warning_mark_ = nullptr;
};

}  // namespace kernelscape::views
