#pragma once

#include <QScrollArea>

namespace kernelscape {

class ThemedLabel;

/** Describes as text what a comparison decides and what it cannot decide. */
class VerdictPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit VerdictPanel(QWidget* parent = nullptr);

  /** Shows each line as a paragraph. An empty list shows that nothing is compared. */
  void set_lines(const QStringList& lines);
  QString text() const;  ///< the shown text

 private:
  ThemedLabel* label_;
};

}  // namespace kernelscape
