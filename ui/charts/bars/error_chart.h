#pragma once

#include "core/analysis/error_breakdown.h"
#include "ui/charts/bars/bar_chart.h"

namespace kernelscape::charts {

/**
 * Error categories by number of trials and by build and run time, side by side, a row for each category that
 * occurred; valid trials come first. Bars start at zero and are never logarithmic. Every bar has colour,
 * hatch, letter and number.
 */
class ErrorChart : public BarChart {
  Q_OBJECT

 public:
  explicit ErrorChart(QWidget* parent = nullptr);

  /** Sets the data. Categories without trials get no row, except for valid trials. */
  void set_data(const analysis::ErrorBreakdown& breakdown);
  /** Returns the categories of the rows shown, from the top. */
  const std::vector<trial::ErrorCategory>& categories() const { return shown_; }
  /** Returns the bars of a shown category in the widget: by trials, and by build and run time. */
  std::pair<QRectF, QRectF> bars_of(std::size_t row) const;

  Table table() const override;

 signals:
  /** Emitted when a row is clicked or Enter is pressed on it. */
  void category_activated(kernelscape::trial::ErrorCategory category);

 protected:
  BarRows bars() const override;
  QStringList lines_of(BarPlace place) const override;
  void activate_bar(BarPlace place) override { emit category_activated(shown_[place.row]); }

 private:
  QString number_text(trial::ErrorCategory category, bool by_seconds) const;

  analysis::ErrorBreakdown data_;
  std::vector<trial::ErrorCategory> shown_;
};

}  // namespace kernelscape::charts
