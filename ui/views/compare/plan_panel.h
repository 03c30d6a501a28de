#pragma once

#include <QScrollArea>

#include "core/study/planned_comparison.h"

namespace kernelscape {

class ThemedLabel;

/** In words what a study that has not run compares, what that can decide, and what it cannot. */
class PlanPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit PlanPanel(QWidget* parent = nullptr);

  /** In place of what stood there. */
  void set_plan(const StudyPlan& plan);
  /** There is no definition to say anything of. */
  void clear();
  QString text() const;  ///< as it is shown

 private:
  ThemedLabel* label_;
};

}  // namespace kernelscape
