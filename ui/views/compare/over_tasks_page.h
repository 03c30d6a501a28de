#pragma once

#include <QSplitter>
#include <optional>
#include <set>
#include <vector>

#include "ui/figures/figure.h"

namespace kernelscape::views {

/**
 * Compares the tuners over several tasks: shows the charts of figures::Place::CompareOverTasks, one below the
 * other.
 */
class OverTasksPage : public QSplitter {
  Q_OBJECT

 public:
  explicit OverTasksPage(QWidget* parent = nullptr);

  /** Shows one figure in each chart, in the order of the registry. */
  void show_figures(const std::vector<figures::Figure>& figures);
  /** Sets the arms that the legend hides, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Highlights one arm; nullopt: no arm is highlighted. */
  void set_highlighted(std::optional<std::size_t> arm);
  const std::vector<charts::Chart*>& charts() const { return charts_; }  ///< in the order of the registry

 signals:
  /** Emitted when a tuner is activated in a chart, with its position in the study. */
  void arm_activated(qint64 arm);

 private:
  std::vector<charts::Chart*> charts_;
};

}  // namespace kernelscape::views
