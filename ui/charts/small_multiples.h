#pragma once

#include <QScrollArea>
#include <set>

#include "ui/charts/curves/compare_curve_chart.h"

namespace kernelscape::charts {

/** One small chart for each task, in a grid that scrolls (NoSE, figure 8). The view draws the legend. */
class SmallMultiples : public QScrollArea {
  Q_OBJECT

 public:
  explicit SmallMultiples(QWidget* parent = nullptr);

  /** Sets the number of charts, one for each task; charts that remain keep their zoom. */
  void set_count(std::size_t tasks);
  /** Hides arms in all charts, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Highlights an arm in all charts; nullopt: no arm is highlighted. */
  void set_highlighted(std::optional<std::size_t> arm);
  /** Sets the scale of x for all charts, including those that are added later. */
  void set_x_logarithmic(bool logarithmic);
  const std::vector<CompareCurveChart*>& charts() const { return charts_; }  ///< by task

 signals:
  /** Emitted on a double click or Enter on a chart, with the task's position. */
  void task_activated(qint64 task);
  /** Emitted when a curve of any chart is activated, with the arm's position in the study. */
  void arm_activated(qint64 arm);
  /** Forwards a short message of one of the charts. */
  void notified(const QString& text);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void add_chart();
  void arrange();

  QWidget* content_;
  std::vector<CompareCurveChart*> charts_;
  std::set<std::size_t> hidden_;
  std::optional<std::size_t> highlighted_;
  bool x_logarithmic_ = false;
};

}  // namespace kernelscape::charts
