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

/** Returns the slow phases as intervals of x. @param speeds null: none */
std::vector<ShadedInterval> shaded_phases(const trial::SessionSpeeds* speeds, ProgressX x);

/** Returns the height of the strip of the machine's speed, in pixels. @param speeds null: 0, no strip */
double machine_strip_height(const trial::SessionSpeeds* speeds);

/**
 * Paints the machine's speed while each trial was measured, from 0 up to a line at its usual speed.
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
