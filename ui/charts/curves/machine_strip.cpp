#include "ui/charts/curves/machine_strip.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

constexpr double strip_lines = 2.2;  ///< height in lines of small text
constexpr double strip_top = 1.15;   ///< speed at the upper end of the strip

QString strip_text(const char* text) { return QCoreApplication::translate("MachineStrip", text); }

/** Returns the frame whose plot is the strip and whose y is the relative speed. */
PlotFrame strip_frame(const PlotFrame& frame) {
  PlotFrame strip{.plot = frame.strip, .x = frame.x, .y = {}, .lanes = {}};
  strip.y.range = {0, strip_top};
  return strip;
}

double shown_speed(const trial::MachineSpeed& speed) { return std::min(speed.lowest(), strip_top); }

}  // namespace

QString slow_phase_label() { return strip_text("machine slower than usual"); }

std::vector<ShadedInterval> shaded_phases(const trial::SessionSpeeds* speeds, ProgressX x) {
  std::vector<ShadedInterval> intervals;
  if (speeds == nullptr) return intervals;
  for (const trial::SlowPhase& phase : speeds->phases) {
    if (phase.worker != 0) continue;
    const Interval rows{static_cast<double>(phase.first_row) - 0.5,
                        static_cast<double>(phase.last_row) + 0.5};
    intervals.push_back({x == ProgressX::Trials ? rows : Interval{phase.begin_seconds, phase.end_seconds},
                         QString::fromStdString(trial::describe(phase))});
  }
  return intervals;
}

std::vector<std::int64_t> slow_worker_rows(const trial::SessionSpeeds* speeds,
                                           const trial::Snapshot& trials) {
  std::vector<std::int64_t> rows;
  if (speeds == nullptr) return rows;
  for (const trial::SlowPhase& phase : speeds->phases) {
    if (phase.worker == 0) continue;
    for (std::int64_t row = phase.first_row; row <= std::min(phase.last_row, trials.size() - 1); ++row)
      if (trials.row(row).worker == phase.worker) rows.push_back(row);
  }
  std::ranges::sort(rows);
  return rows;
}

Ink slow_worker_ink() { return {"slow-worker", style::colours().warning}; }

bool is_corrected(const trial::Row& trial) {
  return trial.machine.slow_phase && trial.machine.correction != 1;
}

Ink corrected_ink() { return {"corrected", style::colours().warning}; }

QString corrected_label() { return strip_text("measured while the machine was slow, corrected"); }

QString worker_phase_text(const trial::SessionSpeeds* speeds, const trial::Row& trial, std::int64_t row) {
  const trial::SlowPhase* phase = speeds == nullptr ? nullptr : trial::worker_phase(*speeds, trial, row);
  return phase == nullptr ? QString() : QString::fromStdString(trial::phase_text(*speeds, *phase));
}

double machine_strip_height(const trial::SessionSpeeds* speeds) {
  return speeds == nullptr ? 0 : std::round(strip_lines * text_height(style::TextSize::Small));
}

void paint_machine_strip(Canvas& canvas, const PlotFrame& frame, QtPlot& plot, const trial::Snapshot& trials,
                         ProgressX x) {
  const PlotFrame strip = strip_frame(frame);
  std::map<std::uint16_t, PlotLine> lines;  // by worker
  for (std::int64_t row = 0; row < trials.size(); ++row) {
    const trial::Row trial = trials.row(row);
    if (!trial.machine.speed.known()) continue;
    const PlotLine made{.points = {}, .stroke = {accent_ink(), 1.5, {}}, .stair = true};
    lines.try_emplace(trial.worker, made)
        .first->second.points.emplace_back(point_x(trial, row, x), shown_speed(trial.machine.speed));
  }
  canvas.line(strip.map(strip.x.range.low, 1), strip.map(strip.x.range.high, 1), {muted_ink(), 1, {2, 3}});
  const bool fleet = !lines.empty() && lines.rbegin()->first != 0;
  std::vector<PlotSeries> series;
  for (auto& [worker, line] : lines) series.emplace_back(std::move(line));
  plot.paint(canvas, strip, series);
  canvas.text(strip.plot.bottomLeft() + QPointF(4, -1),
              fleet ? strip_text("speed of each worker, dotted: usual")
                    : strip_text("machine's speed, dotted: usual"),
              {.ink = muted_ink(), .anchor = Qt::AlignLeft | Qt::AlignBottom});
}

std::optional<QPointF> strip_position(const PlotFrame& frame, const trial::Row& trial, std::int64_t row,
                                      ProgressX x) {
  if (frame.strip.isEmpty() || !trial.machine.speed.known()) return std::nullopt;
  return strip_frame(frame).map(point_x(trial, row, x), shown_speed(trial.machine.speed));
}

void add_machine_columns(Table& table) {
  table.columns.insert(table.columns.end(), {"machine speed (%)", "slow phase"});
}

void add_machine_cells(std::vector<Cell>& cells, const trial::Row& trial) {
  const trial::MachineSpeed& speed = trial.machine.speed;
  cells.emplace_back(speed.known() ? percent * speed.lowest() : std::numeric_limits<double>::quiet_NaN());
  cells.emplace_back(std::string(trial.machine.slow_phase ? "yes" : "no"));
}

}  // namespace kernelscape::charts
