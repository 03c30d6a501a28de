#pragma once

#include "core/analysis/comparison/phase_shares.h"
#include "ui/charts/bars/stacked_bar_chart.h"

namespace kernelscape::charts {

/** The trials of an arm by error category. */
struct ArmCategories {
  std::size_t arm = 0;
  QString name;
  analysis::CategoryShares shares;
};

enum class CategoryBy { Trials, WorkSeconds };

/**
 * Error categories of every tuner, a stacked bar for each, by count or by build and run time (NoSE, figure
 * 7).
 */
class CategoryChart : public StackedBarChart {
  Q_OBJECT

 public:
  explicit CategoryChart(CategoryBy by, QWidget* parent = nullptr);

  /** Sets a bar for each arm, in this order; shares become per cent. */
  void set_data(const std::vector<ArmCategories>& arms);

 protected:
  std::vector<StackedPart> parts() const override;
  std::string all_column() const override;
  QStringList details(const StackedBar& bar, std::size_t part) const override;

 private:
  CategoryBy by_;
};

}  // namespace kernelscape::charts
