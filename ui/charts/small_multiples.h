#pragma once

#include <QScrollArea>
#include <set>

#include "ui/charts/courses/compare_curve_chart.h"

namespace kernelscape {

/** One small chart for each task, in a grid that scrolls (NoSE, figure 8). The legend is the view's. */
class SmallMultiples : public QScrollArea {
  Q_OBJECT

 public:
  explicit SmallMultiples(QWidget* parent = nullptr);

  /** A chart for each task; those that go on keep their zoom. */
  void set_count(std::size_t tasks);
  /** Arms that no chart draws, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** The arm that stands out in all charts; none: all alike. */
  void set_highlighted(std::optional<std::size_t> arm);
  /** For all charts, those to come included. */
  void set_x_logarithmic(bool logarithmic);
  const std::vector<CompareCurveChart*>& charts() const { return charts_; }  ///< by task

 signals:
  /** Double click or Enter on a chart: the task's position. */
  void task_activated(qint64 task);
  /** A curve of any of the charts was activated: the arm's position in the study. */
  void arm_activated(qint64 arm);
  /** Something that one of the charts tells in passing. */
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

}  // namespace kernelscape
