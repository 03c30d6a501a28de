#pragma once

#include <QWidget>
#include <array>

#include "ui/views/export/export_plan.h"

class QButtonGroup;
class QRadioButton;
class QVBoxLayout;

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/** Lets the user choose a kind of export. Below each kind stands what would be written, or why it can't be.
 */
class ExportChoices : public QWidget {
  Q_OBJECT

 public:
  explicit ExportChoices(QWidget* parent = nullptr);

  /** Sets whether a kind is available, and its explanation. */
  void set(ExportKind kind, bool available, const QString& explanation);
  /** Chooses a kind for the user. Returns false and changes nothing if it is not available. */
  bool choose(ExportKind kind);
  /**
   * Chooses the first available kind, unless the user chose one that is available. Returns true if it chose
   * one.
   */
  bool choose_first();
  /** Returns the chosen kind; the first one if none was ever available. */
  ExportKind kind() const;
  bool any() const;        ///< a kind is chosen
  bool available() const;  ///< a kind is chosen, and it is available

 signals:
  /** Emitted when the user chose a kind. */
  void chosen();

 private:
  struct Choice {
    QRadioButton* button = nullptr;
    widgets::ThemedLabel* explanation = nullptr;
  };

  void add(QVBoxLayout& layout, ExportKind kind, const QString& text);

  QButtonGroup* kinds_;
  std::array<Choice, export_kind_count> choices_;
  bool user_chose_ = false;
};

}  // namespace kernelscape::views
