#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/timeline.h"
#include "core/trial/session_speeds.h"
#include "ui/charts/curves/passing_rows.h"
#include "ui/charts/plot_frame.h"

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

/** What a band shows; the builders of a machine are alike. */
struct TimelineBandKind {
  std::optional<analysis::Activity> activity;  ///< nullopt: the machine's speed
  std::uint16_t machine = 0;

  bool operator==(const TimelineBandKind&) const = default;
};

/** A lane or a curve of the machine's speed, and its place on the y axis. */
struct TimelineBand {
  const analysis::TimelineLane* lane = nullptr;      ///< null: the machine's speed
  const analysis::TimelineSpeeds* speeds = nullptr;  ///< null: a lane
  Interval y = {};
  bool failures = false;  ///< trials failed in some of its blocks

  /** Returns the worker of a fleet whose band it is; 0: this machine. */
  std::uint16_t machine() const { return lane != nullptr ? lane->machine : speeds->machine; }
  TimelineBandKind kind() const;  ///< Returns what the band shows
  /** Returns the number of marks: blocks, or readings of the speed. */
  std::size_t marks() const { return lane != nullptr ? lane->blocks.size() : speeds->points.size(); }
  Interval seconds(std::size_t mark) const;  ///< Returns the session time of a mark
  std::int64_t row(std::size_t mark) const;  ///< Returns the row of a mark's trial; -1: none
  /** Returns the mark that is nearest to a time; the band has marks. */
  std::size_t nearest(double time) const;
  /** Returns the mark of a readout; marks at one time are distinguished by their trials. */
  std::size_t mark_of(double time, std::int64_t trial_row) const;
};

/** Returns the lanes and curves from the top, those of a machine together; they refer to `data.timeline`. */
std::vector<TimelineBand> make_bands(const TimelineData& data);
/** Returns the y axis, on which bands of one name have one label. */
Axis band_axis(const std::vector<TimelineBand>& bands, const TimelineData& data);
/** Returns the place of a band in the plot, with a gap between lanes that are high enough. */
QRectF place_of(const PlotFrame& frame, const TimelineBand& band);

/** Returns the word of a lane's activity that tables contain: "search". */
const char* activity_name(const analysis::TimelineLane& lane);
/** Returns the name of a machine of a fleet; empty: there is only this machine. */
QString machine_name(std::uint16_t machine, const TimelineData& data);
/** Returns the name of a band: "build", "cedar: build". */
QString name_of(const TimelineBand& band, const TimelineData& data);

}  // namespace kernelscape::charts
