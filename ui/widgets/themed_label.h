#pragma once

#include <QLabel>

#include "ui/style/theme.h"

namespace kernelscape::widgets {

/** A label in one of the theme's colours and sizes, which follows changes of theme and text scale. */
class ThemedLabel : public QLabel {
  Q_OBJECT

 public:
  ThemedLabel(style::TextSize size, QColor style::Colours::* colour, QWidget* parent = nullptr);

  /** Sets the colour, a member of the theme's colours: `&Colours::accent`. */
  void set_colour(QColor style::Colours::* colour);
  /** Sets whether the text is bold or of normal weight. */
  void set_bold(bool bold);

  /**
   * Returns true if the single line does not fit: it then ends in "…", and its tool tip shows the whole text.
   */
  bool is_elided() const;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void apply();

  style::TextSize size_;
  QColor style::Colours::* colour_;
  bool bold_ = false;
};

}  // namespace kernelscape::widgets
