#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ui/charts/xy_chart.h"

namespace kernelscape {

/** The profile of a tuner: a step function that rises. */
struct TunerProfile {
  std::size_t arm = 0;  ///< position in the study: its colour and dashes
  QString name;
  std::vector<double> ratios;  ///< of each step, ascending; below 1: faster than the best median
  std::vector<double> shares;  ///< from there on, 0 to 1
  std::size_t runs = 0;        ///< what shares are of
  /** Pointwise 95 % intervals of the share from each of these ratios on; empty: there are none. */
  std::vector<double> band_ratios = {};
  std::vector<double> band_low = {};
  std::vector<double> band_high = {};
};

struct ProfileData {
  std::vector<TunerProfile> profiles;
  QString cost;           ///< what is compared: "trials to 95 %"
  std::size_t tasks = 0;  ///< that count
};

/**
 * Which share of a tuner's runs needed at most x times the best tuner's median on the task, over a
 * logarithmic x (performance profiles of Dolan and More 2002).
 */
class ProfileChart : public XyChart {
  Q_OBJECT

 public:
  explicit ProfileChart(QWidget* parent = nullptr);

  /** Keeps the zoom where the cost is the same; else goes home. */
  void set_data(ProfileData data);
  const ProfileData& data() const { return data_; }  ///< as last set

  /** Arms that are not drawn, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** The arm that stands out; none: all alike. */
  void set_highlighted(std::optional<std::size_t> arm);
  /** Profiles that are drawn. */
  std::vector<const TunerProfile*> shown() const;

  ChartTable table() const override;
  QString explanation() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** A click near its steps, or Enter: the arm's position in the study. */
  void arm_activated(qint64 arm);

 protected:
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  /** All ratios at which a profile that is drawn has a step, ascending. */
  std::vector<double> steps() const;
  Readout readout_of(double ratio, std::size_t arm, const PlotFrame& frame) const;
  PlotArea area_of(const PlotFrame& frame, const TunerProfile& profile) const;
  PlotLine line_of(const PlotFrame& frame, const TunerProfile& profile) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;
  bool faint(std::size_t arm) const { return highlighted_ && *highlighted_ != arm; }

  ProfileData data_;
  std::set<std::size_t> hidden_;
  std::optional<std::size_t> highlighted_;
};

}  // namespace kernelscape
