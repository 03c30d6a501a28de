#pragma once

#include <QString>
#include <array>

#include "ui/charts/canvas.h"

namespace kernelscape::charts {

/** The phases of wall time in the order in which they are stacked. */
constexpr std::size_t phase_count = 4;

/** Returns the name of a phase: "search", "build", "run", "idle". */
QString phase_name(std::size_t phase);
/** Returns the colour and hatch of a phase in every chart. */
Fill phase_fill(std::size_t phase);

/** Returns the name of a category: "NO_ERROR", "COMPILE_HOST", ... */
QString category_name(trial::ErrorCategory category);
/** Returns letter and name of a category: "V  NO_ERROR". */
QString category_title(trial::ErrorCategory category);

}  // namespace kernelscape::charts
