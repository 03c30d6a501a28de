#pragma once

#include "ui/figures/misjudged_trials.h"
#include "ui/views/explore/explore_page.h"

class QLabel;
class QTableView;

namespace kernelscape::charts {
class PredictionChart;
}  // namespace kernelscape::charts

namespace kernelscape::views {

class MisjudgedModel;

/**
 * Compares what the tuner's model predicted for the trials with what was measured, the worst mispredictions
 * first.
 */
class PredictionsPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit PredictionsPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  void follow_selection() override;

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override;
  void forget() override;

 private:
  QWidget* make_list();
  void show_outcome(const std::optional<figures::FigureOf<charts::SeriesData>>& figure,
                    const figures::MisjudgedTrials& misjudged);

  charts::PredictionChart* chart_ = nullptr;
  MisjudgedModel* model_ = nullptr;
  QLabel* caption_ = nullptr;
  QTableView* table_ = nullptr;
};

}  // namespace kernelscape::views
