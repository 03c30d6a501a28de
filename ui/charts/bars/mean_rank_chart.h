#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ui/charts/chart.h"

namespace kernelscape {

/** Where a tuner stands among all, over the tasks. */
struct RankedTuner {
  std::size_t arm = 0;  ///< position in the study: its colour
  QString name;
  double mean_rank = 0;  ///< 1: the best on every task
};

struct MeanRankData {
  std::vector<RankedTuner> tuners;  ///< in any order
  /** Tuners that are not told apart, by their positions in the study. */
  std::vector<std::vector<std::size_t>> alike;
  double critical_difference = 0;  ///< ranks that differ by more are told apart; infinity: none are
  double p = 1;                    ///< of Friedman's test: whether ranks differ at all
  std::size_t tasks = 0;
  QString of_what;  ///< by which number tuners are ranked: "mean share of the optimum"
};

/**
 * Mean ranks on an axis, the best at the left; tuners that the data do not tell apart are joined by a bar
 * (the critical-difference diagram of Demsar 2006). Ranks are among all tuners: a hidden one keeps its place
 * and becomes faint.
 */
class MeanRankChart : public Chart {
  Q_OBJECT

 public:
  explicit MeanRankChart(QWidget* parent = nullptr);

  /** Ranked from the best; the readout is taken away. */
  void set_data(MeanRankData data);
  const MeanRankData& data() const { return data_; }  ///< as last set, the best tuner first

  /** Arms that are drawn faint, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** The arm that stands out; none: all alike. */
  void set_highlighted(std::optional<std::size_t> arm);

  /** First and last place (in `data()`) of each bar that joins tuners. */
  const std::vector<std::pair<std::size_t, std::size_t>>& joined() const { return joined_; }

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;
  QSize minimumSizeHint() const override;

 signals:
  /** A tuner was clicked, or Enter pressed on it: its arm's position in the study. */
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
  /** Names of those that a tuner shares a bar with. */
  QStringList others_alike(std::size_t place) const;
  void paint_axis(Canvas& canvas, const Layout& layout) const;
  void paint_difference(Canvas& canvas, const Layout& layout) const;
  void paint_tuner(Canvas& canvas, const Layout& layout, const QRectF& area, std::size_t place) const;

  MeanRankData data_;
  std::vector<std::pair<std::size_t, std::size_t>> joined_;
  std::set<std::size_t> hidden_;
  std::optional<std::size_t> highlighted_;
};

}  // namespace kernelscape
