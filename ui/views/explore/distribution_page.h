#pragma once

#include "ui/views/explore/explore_page.h"

namespace kernelscape {

class CumulativeChart;
class DistributionChart;

/**
 * Shows how performance is distributed (NoSE, figure 4): a histogram, and the share of configurations within
 * x % of the best.
 */
class DistributionPage : public ExplorePage {
  Q_OBJECT

 public:
  explicit DistributionPage(Workspace& workspace, QWidget* parent = nullptr);

  bool has_content(const ShownTrials& shown) override;

 protected:
  void compute() override;
  void show_current() override;

 private:
  void pick_range(double low, double high, bool closed);
  void pick_within(double below_best);

  DistributionChart* histogram_ = nullptr;
  CumulativeChart* cumulative_ = nullptr;
  bool logarithmic_ = false;
};

}  // namespace kernelscape
