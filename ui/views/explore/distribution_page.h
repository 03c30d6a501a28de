#pragma once

#include "ui/views/explore/explore_page.h"

namespace kernelscape::charts {
class CumulativeChart;
class DistributionChart;
}  // namespace kernelscape::charts

namespace kernelscape::views {

/**
 * Shows how performance is distributed (NoSE, figure 4): a histogram, and the share of configurations within
 * x % of the best.
 */
class DistributionPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit DistributionPage(workspace::Workspace& workspace, QWidget* parent = nullptr);

  bool has_content(const figures::ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override;

 private:
  void pick_range(double low, double high, bool closed);
  void pick_within(double below_best);

  charts::DistributionChart* histogram_ = nullptr;
  charts::CumulativeChart* cumulative_ = nullptr;
  bool logarithmic_ = false;
};

}  // namespace kernelscape::views
