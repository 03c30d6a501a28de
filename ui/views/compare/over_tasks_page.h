#pragma once

#include <QSplitter>
#include <optional>
#include <set>
#include <vector>

#include "ui/figures/figure.h"

namespace kernelscape {

/** What several tasks say of the tuners together: the charts of FigurePlace::CompareOverTasks, one below the
 * other. */
class OverTasksPage : public QSplitter {
  Q_OBJECT

 public:
  explicit OverTasksPage(QWidget* parent = nullptr);

  /** A figure for each chart, in the registry's order. */
  void show_figures(const std::vector<Figure>& figures);
  /** Arms that the legend hides, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** The arm that stands out; none: all alike. */
  void set_highlighted(std::optional<std::size_t> arm);
  const std::vector<Chart*>& charts() const { return charts_; }  ///< in the registry's order

 signals:
  /** A tuner was activated in a chart: its position in the study. */
  void arm_activated(qint64 arm);

 private:
  std::vector<Chart*> charts_;
};

}  // namespace kernelscape
