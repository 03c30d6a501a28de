#pragma once

#include <QWidget>
#include <set>

class QCheckBox;

namespace kernelscape::views {

/**
 * Shows the legend of all charts: a check box for each arm with its colour and dash pattern. Unchecking the
 * box hides the arm.
 */
class ArmLegend : public QWidget {
  Q_OBJECT

 public:
  explicit ArmLegend(QWidget* parent = nullptr);

  /**
   * Sets the arms. Arms that are in both the old and the new list stay hidden if they were hidden.
   * @param settings tool tips of the arms
   */
  void set_arms(const QStringList& names, const QStringList& settings);
  /** Returns the arms that are not checked, by their position in the list. */
  const std::set<std::size_t>& hidden() const { return hidden_; }
  /** Checks every arm. */
  void show_all();

 signals:
  /** Emitted after an arm was checked or unchecked. */
  void hidden_changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void paint_swatches();

  QStringList names_;
  QList<QCheckBox*> boxes_;
  std::set<std::size_t> hidden_;
};

}  // namespace kernelscape::views
