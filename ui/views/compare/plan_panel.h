#pragma once

#include <QScrollArea>

#include "core/study/planned_comparison.h"

namespace kernelscape::widgets {
class ThemedLabel;
}  // namespace kernelscape::widgets

namespace kernelscape::views {

/**
 * Describes as text what a study that has not run yet compares, which questions it can decide, and which it
 * cannot.
 */
class PlanPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit PlanPanel(QWidget* parent = nullptr);

  /** Replaces the text with the description of this plan. */
  void set_plan(const study::StudyPlan& plan);
  /** Clears the panel because there is no study definition. */
  void clear();
  QString text() const;  ///< the shown text

 private:
  widgets::ThemedLabel* label_;
};

}  // namespace kernelscape::views
