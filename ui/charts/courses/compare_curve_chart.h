#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/analysis/comparison/compared_curves.h"
#include "core/analysis/comparison/curve_bands.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape {

/** The curve of a tuner with settings. */
struct CompareCurve {
  std::size_t arm = 0;  ///< its position in the study: its colour and dashes
  QString name;
  AggregatedCurve curve;  ///< all curves of a chart are over the same grid
  CurveBands bands = {};  ///< over it too; empty: no interval is known
};

/** What is compared, computed before: the chart only draws. */
struct CompareCurveData {
  std::vector<CompareCurve> curves;
  CompareAxis axis = CompareAxis::Seconds;
  CompareY y = CompareY::ShareOfOptimum;
  QString unit = QStringLiteral("GFLOPS");  ///< of CompareY::Performance
  bool optimum_known = false;               ///< of every task: else shares are of the best found
  std::optional<double> optimum;            ///< a dotted line, in the unit of y: 1 for shares; none: no line
  QString task;                             ///< the only one; empty: all `task_count`
  std::size_t task_count = 1;
  QString baseline;  ///< name of the arm that speed-ups are over
};

/** What is drawn of the runs of an arm. */
enum class CompareSpread {
  Interval,       ///< the mean with its 95 % interval by the bootstrap
  StandardError,  ///< the mean with one standard error
  Quartiles       ///< the median with the quartiles
};

/** "8 runs a tuner", "3 to 8 repeats on 12 tasks": what the curves are over; empty without curves. */
QString compared_samples_text(const std::vector<const CompareCurve*>& curves, const CompareCurveData& data);

/** What line and band are, with n, as a sentence: where captions begin. */
QString spread_words(const CompareCurveData& data, CompareSpread spread);

/**
 * Best so far of every tuner: the mean with its interval or its standard error, or the median with its
 * quartiles, over wall time or trials (NoSE, figure 5A; for one task figure 8). A lane below counts the runs
 * that had not ended.
 */
class CompareCurveChart : public XyChart {
  Q_OBJECT

 public:
  explicit CompareCurveChart(QWidget* parent = nullptr);

  /** Keeps the zoom where axis, quantity and task are the same; else goes home. */
  void set_data(CompareCurveData data);
  const CompareCurveData& data() const { return data_; }  ///< as last set

  /** Arms that are not drawn, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** The arm that stands out, the others faint; none: all alike. */
  void set_highlighted(std::optional<std::size_t> arm);
  /** What line and band are. A caption that begins with the words for the spread before follows. */
  void set_spread(CompareSpread spread);
  CompareSpread spread() const { return spread_; }  ///< the interval at first
  /** Only data over a logarithmic grid look smooth on it. */
  void set_x_logarithmic(bool logarithmic);
  bool x_logarithmic() const { return x_logarithmic_; }  ///< false at first
  /** For small charts: title is the task, names stand in a common legend. */
  void set_small(bool small);

  /** "% of optimum", "% of best found", "GFLOPS", "speed-up over ga" or "% of drawn children". */
  QString y_text() const;
  /** Curves that are drawn. */
  std::vector<const CompareCurve*> shown() const;

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** A click near its curve, or Enter. */
  void arm_activated(qint64 arm);
  /** The user changed it in the menu: the data are wanted over another grid. */
  void x_logarithmic_changed(bool logarithmic);

 protected:
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  void extend_menu(QMenu& menu) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;
  /** Home's y: from zero (linear) or the least middle (logarithmic) to above bands and optimum. */
  virtual Interval y_range() const;

 private:
  struct Band {
    double low = 0;
    double middle = 0;
    double high = 0;
  };
  /** In the axis' unit. */
  Band band_at(const CompareCurve& shown_curve, std::size_t index) const;
  bool shows_share() const;
  double y_factor() const;
  QString of_text() const;
  void update_title();
  void extend_spreads(QMenu& menu);
  void update_lane();
  /** Runs of the drawn curves that had not ended before each x. */
  std::vector<double> active_runs() const;
  std::size_t grid_index(double x) const;
  Readout readout_of(std::size_t index, std::size_t arm, const PlotFrame& frame) const;
  std::vector<const CompareCurve*> sorted_at(std::size_t index) const;
  QString value_text(const CompareCurve& shown_curve, std::size_t index) const;
  PlotArea area_of(const CompareCurve& shown_curve) const;
  PlotLine line_of(const CompareCurve& shown_curve) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;
  bool faint(std::size_t arm) const { return highlighted_ && *highlighted_ != arm; }

  CompareCurveData data_;
  std::set<std::size_t> hidden_;
  std::optional<std::size_t> highlighted_;
  CompareSpread spread_ = CompareSpread::Interval;
  bool x_logarithmic_ = false;
  bool small_ = false;
};

}  // namespace kernelscape
