#pragma once

#include <vector>

#include "ui/charts/xy_chart.h"

namespace kernelscape {

/** How a legend shows what it names. */
enum class LegendMark { Dot, UprightBar, LevelBar };

struct LegendEntry {
  QString text;
  Ink ink;
  LegendMark mark = LegendMark::Dot;
};

/** Beside the title of the y axis, from the right: as many of the entries as there is room for. */
void paint_legend_line(Canvas& canvas, const PlotFrame& frame, std::vector<LegendEntry> entries);

}  // namespace kernelscape
