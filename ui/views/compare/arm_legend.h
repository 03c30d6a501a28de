#pragma once

#include <QWidget>
#include <set>

class QCheckBox;

namespace kernelscape {

/** The legend of all charts: a check box for each arm with its colour and dashes; without it, it is hidden.
 */
class ArmLegend : public QWidget {
  Q_OBJECT

 public:
  explicit ArmLegend(QWidget* parent = nullptr);

  /** Arms that go on stay hidden. @param settings tool tips */
  void set_arms(const QStringList& names, const QStringList& settings);
  /** Arms that are not checked, by their place in the list. */
  const std::set<std::size_t>& hidden() const { return hidden_; }
  /** Checks every arm. */
  void show_all();

 signals:
  /** An arm was checked or unchecked. */
  void hidden_changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void paint_swatches();

  QStringList names_;
  QList<QCheckBox*> boxes_;
  std::set<std::size_t> hidden_;
};

}  // namespace kernelscape
