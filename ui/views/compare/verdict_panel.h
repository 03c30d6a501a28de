#pragma once

#include <QScrollArea>

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Describes as text what a comparison decides and what it cannot decide. */
class VerdictPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit VerdictPanel(QWidget* parent = nullptr);

  /** Shows each line as a paragraph. An empty list shows that nothing is compared. */
  void set_lines(const QStringList& lines);
  QString text() const;  ///< the shown text

 private:
  widgets::ThemedLabel* label_;
};

}  // namespace kernelscape::views
