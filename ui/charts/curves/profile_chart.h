#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** The profile of a tuner: a rising step function. */
struct TunerProfile {
  std::size_t arm = 0;  ///< position in the study: its colour and dashes
  QString name;
  std::vector<double> ratios;  ///< ratio of each step, ascending; below 1: faster than the best median
  std::vector<double> shares;  ///< share of runs from that ratio on, 0 to 1
  std::size_t runs = 0;        ///< number of runs that shares are of
  /** The ratios from which on the pointwise 95 % intervals of the share hold; empty: there are none. */
  std::vector<double> band_ratios = {};
  std::vector<double> band_low = {};
  std::vector<double> band_high = {};
};

struct ProfileData {
  std::vector<TunerProfile> profiles;
  QString cost;           ///< the compared cost: "trials to 95 %"
  std::size_t tasks = 0;  ///< number of tasks in the profile
};

/**
 * The share of a tuner's runs that needed at most x times the best tuner's median on the task, over a
 * logarithmic x (performance profiles of Dolan and More 2002).
 */
class ProfileChart : public XyChart {
  Q_OBJECT

 public:
  explicit ProfileChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom is kept if the cost is unchanged; otherwise the view goes home. */
  void set_data(ProfileData data);
  const ProfileData& data() const { return data_; }  ///< as last set

  /** Sets the arms that are not drawn, by their positions in the study. */
  void set_hidden(const std::set<std::size_t>& arms);
  /** Highlights an arm; nullopt: no arm is highlighted. */
  void set_highlighted(std::optional<std::size_t> arm);
  /** Returns the profiles that are drawn. */
  std::vector<const TunerProfile*> shown() const;

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted on a click near a profile, or on Enter, with the arm's position in the study. */
  void arm_activated(qint64 arm);

 protected:
  void home_changed() override;
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  /** Returns all ratios at which a drawn profile has a step, ascending. */
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

}  // namespace kernelscape::charts
