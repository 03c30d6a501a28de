#pragma once

#include <QScrollArea>

namespace kernelscape {

class ThemedLabel;

/** In words what a comparison decides, and what it cannot. */
class VerdictPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit VerdictPanel(QWidget* parent = nullptr);

  /** A paragraph each; without any it says that nothing is compared. */
  void set_lines(const QStringList& lines);
  QString text() const;  ///< as it is shown

 private:
  ThemedLabel* label_;
};

}  // namespace kernelscape
