#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/trial/session_speeds.h"
#include "ui/charts/curves/progress_data.h"
#include "ui/charts/xy_chart.h"

namespace kernelscape::charts {

/** What charts over the trials or the time of one session show of the machine's speed. */

/** Returns the name of slow phases in a legend. */
QString slow_phase_label();

/**
 * Returns the slow phases of this machine as intervals of x. Those of a fleet's workers are none: at the same
 * time others measured, see slow_worker_rows(). @param speeds null: none
 */
std::vector<ShadedInterval> shaded_phases(const trial::SessionSpeeds* speeds, ProgressX x);

/** Returns the trials that a worker of a fleet measured in a slow phase of its machine, by order of arrival.
 */
std::vector<std::int64_t> slow_worker_rows(const trial::SessionSpeeds* speeds, const trial::Snapshot& trials);

/** Returns the ink of trials of slow workers. */
Ink slow_worker_ink();

/** Returns true if the trial's time is corrected for the tuner, since its machine was slow. */
bool is_corrected(const trial::Row& trial);
/** Returns the ink of marks whose times are corrected. */
Ink corrected_ink();
/** Returns the name of corrected times in a legend. */
QString corrected_label();

/** Returns the text of the slow phase of the worker that measured a trial; empty: there is none. */
QString worker_phase_text(const trial::SessionSpeeds* speeds, const trial::Row& trial, std::int64_t row);

/** Returns the height of the strip of the machine's speed, in pixels. @param speeds null: 0, no strip */
double machine_strip_height(const trial::SessionSpeeds* speeds);

/**
 * Paints the machine's speed while each trial was measured, from 0 up to a line at its usual speed. Each
 * worker of a fleet has a line of its own.
 * @param canvas clipped to the frame's strip @param plot keeps Qt's objects between calls
 * @param trials with the machine's speed of each row
 */
void paint_machine_strip(Canvas& canvas, const PlotFrame& frame, QtPlot& plot, const trial::Snapshot& trials,
                         ProgressX x);

/** Returns the position of a trial in the strip; nullopt: its speed is not known. */
std::optional<QPointF> strip_position(const PlotFrame& frame, const trial::Row& trial, std::int64_t row,
                                      ProgressX x);

/** Adds the columns of the machine's speed to the table of a chart. */
void add_machine_columns(Table& table);
/** Adds the values of the columns of add_machine_columns(). */
void add_machine_cells(std::vector<Cell>& cells, const trial::Row& trial);

}  // namespace kernelscape::charts
