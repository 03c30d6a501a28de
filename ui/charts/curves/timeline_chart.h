#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/timeline.h"
#include "core/trial/session_speeds.h"
#include "ui/charts/curves/passing_rows.h"
#include "ui/charts/trial_chart.h"

namespace kernelscape::charts {

/** The data of a timeline. */
struct TimelineData {
  std::shared_ptr<const analysis::Timeline> timeline = std::make_shared<const analysis::Timeline>();
  trial::Snapshot trials = {};                              ///< with the machine's speed of each row
  std::shared_ptr<const trial::SessionSpeeds> speeds = {};  ///< null: no trial has a reading
  std::vector<QString> workers = {};                        ///< of a fleet, by their numbers from 1
  std::vector<double> interruption_seconds = {};            ///< session times of pauses
  PassingRows passing = {};
};

/**
 * What the tuner, the builders and the device of each machine did over session time, as in Tracy: a lane for
 * the search, for each builder, for the device and for waiting, with trials as blocks, and the machine's
 * speed below. Blocks narrower than two pixels are summed: the height of the lane's bar is then the share of
 * the time that they take. A click on a block activates its trial.
 */
class TimelineChart : public TrialChart {
  Q_OBJECT

 public:
  explicit TimelineChart(QWidget* parent = nullptr);

  /** Sets the data. The zoom and the readout of a trial are kept. */
  void set_data(const TimelineData& data);
  const TimelineData& data() const { return data_; }  ///< as last set

  /** Returns the number of lanes and of curves of the machine's speed, from the top. */
  std::size_t band_count() const { return bands_.size(); }
  /** Returns the place of a lane or of a curve in the widget. */
  QRectF band_place(std::size_t band) const { return place_of(frame(), bands_.at(band)); }

  Table table() const override;
  QString summary() const override;
  std::optional<Readout> readout_at(QPointF position) const override;

 protected:
  void paint_data(Canvas& canvas, const PlotFrame& frame) override;
  void paint_around(Canvas& canvas, const PlotFrame& frame) override;
  void paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) override;
  std::vector<qint64> rows_in(const QRectF& rectangle) const override;
  std::optional<Readout> step_readout(const std::optional<Readout>& from, Qt::Key direction) const override;
  void current_row_changed() override;
  void selection_changed() override { invalidate(); }
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /** What a band shows; the builders of a machine are alike. */
  struct BandKind {
    std::optional<analysis::Activity> activity;  ///< nullopt: the machine's speed
    std::uint16_t machine = 0;

    bool operator==(const BandKind&) const = default;
  };
  /** A lane or a curve of the machine's speed, and its place on the y axis. */
  struct Band {
    const analysis::TimelineLane* lane = nullptr;      ///< null: the machine's speed
    const analysis::TimelineSpeeds* speeds = nullptr;  ///< null: a lane
    Interval y = {};
    bool failures = false;  ///< trials failed in some of its blocks

    std::uint16_t machine() const { return lane != nullptr ? lane->machine : speeds->machine; }
    BandKind kind() const;
    std::size_t marks() const { return lane != nullptr ? lane->blocks.size() : speeds->points.size(); }
    Interval seconds(std::size_t mark) const;
    std::int64_t row(std::size_t mark) const;
    /** Returns the mark that is nearest to a time; the band has marks. */
    std::size_t nearest(double seconds) const;
    std::size_t mark_of(double time, std::int64_t trial_row) const;
  };
  using Chosen = std::function<bool(const analysis::TimelineBlock&)>;

  void make_bands();
  QString machine_name(std::uint16_t machine) const;
  static QString activity_text(const Band& band);
  QString name_of(const Band& band) const;
  QString label_of(const Band& band) const;
  static QRectF place_of(const PlotFrame& frame, const Band& band);
  std::optional<std::size_t> band_at(const PlotFrame& frame, double y) const;
  Readout readout_of(const PlotFrame& frame, const Band& band, std::size_t mark) const;
  /** Returns the mark of a band that is nearest to a time, if it is visible. */
  std::optional<Readout> visible_readout(const PlotFrame& frame, const Band& band, double seconds) const;
  void paint_lane(Canvas& canvas, const PlotFrame& frame, const Band& band) const;
  void paint_blocks(Canvas& canvas, const PlotFrame& frame, const Band& band, const Ink& ink,
                    const Chosen& chosen) const;
  void paint_number(Canvas& canvas, const QRectF& place, std::int64_t row) const;
  void paint_speeds(Canvas& canvas, const PlotFrame& frame, const Band& band);
  std::optional<BandKind> kind_of_readout() const;
  void follow_readout(const std::optional<BandKind>& kind);
  void show_lane_of_readout();

  TimelineData data_;
  std::vector<Band> bands_;                                   ///< from the top
  std::vector<std::pair<std::size_t, std::size_t>> current_;  ///< band and mark of the current trial's blocks
};

}  // namespace kernelscape::charts
