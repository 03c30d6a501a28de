#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ui/charts/chart.h"

namespace kernelscape::charts {

/** The rank of a tuner over the tasks. */
struct RankedTuner {
  std::size_t arm = 0;  ///< position in the study: its colour
  QString name;
  double mean_rank = 0;  ///< 1: the tuner is the best on every task
};

struct MeanRankData {
  std::vector<RankedTuner> tuners;  ///< in any order
  /** Groups of tuners that the test does not distinguish, by their positions in the study. */
  std::vector<std::vector<std::size_t>> alike;
  double critical_difference = 0;  ///< ranks that differ by more are distinguishable; infinity: none are
  double p = 1;                    ///< p value of Friedman's test of whether the ranks differ at all
  std::size_t tasks = 0;
  QString of_what;  ///< the measure by which tuners are ranked: "mean share of the optimum"
};

/**
 * Mean ranks on an axis, the best at the left; tuners that the data do not distinguish are joined by a bar
 * (the critical-difference diagram of Demsar 2006). Ranks are among all tuners: a hidden tuner keeps its
 * place and becomes faint.
 */
class MeanRankChart : public Chart {
  Q_OBJECT

 public:
  explicit MeanRankChart(QWidget* parent = nullptr);

  /** Sets the tuners, sorts them by rank and removes the readout. */
  void set_data(MeanRankData data);
  const MeanRankData& data() const { return data_; }  ///< as last set, the best tuner first

  /** Sets the arms that are drawn faint, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Highlights an arm; nullopt: no arm is highlighted. */
  void set_highlighted(std::optional<std::size_t> arm);

  /** Returns the first and last place (in `data()`) of each bar that joins tuners. */
  const std::vector<std::pair<std::size_t, std::size_t>>& joined() const { return joined_; }

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  QSize minimumSizeHint() const override;

 signals:
  /** Emitted when a tuner is clicked or Enter is pressed on it, with its arm's position in the study. */
  void arm_activated(qint64 arm);

 protected:
  void paint_chart(Canvas& canvas, const QRectF& area) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  struct Layout;
  Layout layout_of(const QRectF& area) const;
  Readout readout_of(std::size_t place) const;
  QString label_of(std::size_t place) const;
  /** Returns the names of the tuners that share a bar with this one. */
  QStringList others_alike(std::size_t place) const;
  void paint_axis(Canvas& canvas, const Layout& layout) const;
  void paint_difference(Canvas& canvas, const Layout& layout) const;
  void paint_tuner(Canvas& canvas, const Layout& layout, const QRectF& area, std::size_t place) const;

  MeanRankData data_;
  std::vector<std::pair<std::size_t, std::size_t>> joined_;
  std::set<std::size_t> hidden_;
  std::optional<std::size_t> highlighted_;
};

}  // namespace kernelscape::charts
