#pragma once

#include "core/analysis/error_breakdown.h"
#include "ui/charts/chart.h"

namespace kernelscape {

/**
 * Error categories by number of trials and by work seconds, side by side, a row for each category that
 * occurred; valid trials come first. Bars start at zero and are never logarithmic. Every bar has colour,
 * hatch, letter and number.
 */
class ErrorChart : public Chart {
  Q_OBJECT

 public:
  explicit ErrorChart(QWidget* parent = nullptr);

  /** Categories without trials get no row; valid trials always have one. */
  void set_data(const ErrorBreakdown& breakdown);
  /** The rows shown, from the top. */
  const std::vector<ErrorCategory>& categories() const { return shown_; }
  /** The bars of a shown category in the widget: by trials and by work seconds. */
  std::pair<QRectF, QRectF> bars_of(std::size_t row) const;

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  QSize minimumSizeHint() const override;

 signals:
  /** A row was clicked, or Enter pressed on it. */
  void category_activated(kernelscape::ErrorCategory category);

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  void paint_overlay(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  /** Where things stand in an area. */
  struct Layout {
    double first_row = 0;  ///< top of the first row
    double row_height = 0;
    double label_left = 0;
    QRectF trials;   ///< bars by trials: from zero to the longest possible one, all rows
    QRectF seconds;  ///< bars by work seconds
  };

  Layout layout_for(const QRectF& area) const;
  QRectF bar(const Layout& layout, std::size_t row, bool by_seconds) const;
  Readout readout_of(std::size_t row) const;
  double most(bool by_seconds) const;
  QString number_text(ErrorCategory category, bool by_seconds) const;
  double number_width(bool by_seconds) const;

  ErrorBreakdown data_;
  std::vector<ErrorCategory> shown_;
};

}  // namespace kernelscape
