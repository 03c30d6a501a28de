#pragma once

#include <vector>

#include "ui/charts/plot_frame.h"

namespace kernelscape::charts {

/** The mark beside a name in a legend. */
enum class LegendMark { Dot, UprightBar, LevelBar };

struct LegendEntry {
  QString text;
  Ink ink;
  LegendMark mark = LegendMark::Dot;
};

/** Paints a legend in the line of the y axis' title, right-aligned, with as many of the entries as fit. */
void paint_legend_line(Canvas& canvas, const PlotFrame& frame, std::vector<LegendEntry> entries);

}  // namespace kernelscape::charts
