#pragma once

#include <QLabel>

#include "ui/style/theme.h"

namespace kernelscape {

/** A label in one of the theme's colours and sizes, that follows when theme or text scale change. */
class ThemedLabel : public QLabel {
  Q_OBJECT

 public:
  ThemedLabel(TextSize size, QColor Colours::* colour, QWidget* parent = nullptr);

  /** A member of the theme's colours: `&Colours::accent`. */
  void set_colour(QColor Colours::* colour);
  /** Otherwise of normal weight. */
  void set_bold(bool bold);

  /** Returns true if its one line does not fit: it ends in "…" then, and its tool tip has all of it. */
  bool is_elided() const;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void apply();

  TextSize size_;
  QColor Colours::* colour_;
  bool bold_ = false;
};

}  // namespace kernelscape
