#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/analysis/roofline.h"
#include "ui/charts/trial_chart.h"

namespace kernelscape::charts {

/** A trial under the roofs, or the best trial of a network's layer. */
struct RooflineTrial {
  std::int64_t row = -1;    ///< row of the table; for a layer, its position in the network's study
  std::int64_t number = 0;  ///< number of the trial
  double gflops = 0;
  /** Flop per byte; nullopt: the bytes of the level are not known. */
  base::PerLevel<std::optional<double>> intensities = {};
  analysis::RooflinePlace place = {};
  bool selected = false;
  QString layer = {};  ///< the layer's name; empty: the mark is a trial of the session
};

struct RooflineData {
  trial::MachineCeilings ceilings;
  base::MemoryLevel level = base::MemoryLevel::Memory;  ///< the memory level whose bytes the intensity counts
  std::vector<RooflineTrial> trials;                    ///< trials of one session, by row
  std::vector<RooflineTrial> layers = {};               ///< layers of a network, each with its best kernel
};

/**
 * Speed over arithmetic intensity, both logarithmic, under the machine's roofs (Williams, Waterman and
 * Patterson 2009): a slope for the bandwidth of each memory level, and the peaks of the instructions used.
 * Arrow keys go through the trials, left and right by intensity, up and down by speed. Layers of a network
 * are squares with their names.
 */
class RooflineChart : public TrialChart {
  Q_OBJECT

 public:
  explicit RooflineChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom is kept if level and ceilings are unchanged. */
  void set_data(RooflineData data);
  const RooflineData& data() const { return data_; }  ///< as last set

  /** Returns true if the row is one of the trials that are drawn. */
  bool shows(std::int64_t row) const { return trial_with(row).has_value(); }
  /**
   * Returns the position of a mark in the widget; marks beyond the trials are layers. nullopt: its bytes are
   * not known.
   */
  std::optional<QPointF> position_of(std::size_t mark) const;

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 signals:
  /** Emitted when a layer is clicked or Enter is pressed on it, with its position in the network's study. */
  void layer_activated(qint64 layer);

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::vector<qint64> rows_in(const QRectF& rectangle) const override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void activate(const Readout& readout) override;

 private:
  void update_home();
  std::optional<double> intensity_of(const RooflineTrial& trial) const;
  /** Returns a mark by its number: trials first, then layers. */
  const RooflineTrial& mark(std::size_t number) const;
  std::optional<std::size_t> trial_with(std::int64_t row) const;
  /** Returns the mark of a readout. */
  std::optional<std::size_t> mark_with(std::int64_t readout_row) const;
  std::vector<std::size_t> drawn_marks() const;
  Readout readout_of(std::size_t number, QPointF position) const;
  void paint_layers(Canvas& canvas, const PlotFrame& frame) const;
  std::array<QPointF, 2> roof_line(const PlotFrame& frame, const trial::LevelCeiling& level) const;
  void paint_roof(Canvas& canvas, const PlotFrame& frame, const trial::LevelCeiling& level) const;
  void paint_peak(Canvas& canvas, const PlotFrame& frame, trial::PeakKind kind) const;
  void paint_names(Canvas& canvas, const PlotFrame& frame) const;
  /** Returns the measured peaks of the kinds of instructions that trials and layers use. */
  std::vector<trial::PeakKind> peaks() const;
  double highest_peak() const;

  RooflineData data_;
};

}  // namespace kernelscape::charts
