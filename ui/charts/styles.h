#pragma once

#include "ui/charts/canvas.h"

namespace kernelscape::charts {

// Lengths and strokes that charts of one family share. Lengths in pixels.

inline constexpr double percent = 100;      ///< 100 % of a share
inline constexpr double reach_pixels = 10;  ///< maximum distance of a pointer to a mark that it hits
inline constexpr double selected_opacity =
    0.95;  ///< opacity of a selected mark, painted over other dots, which it must hide
inline constexpr double swatch_pixels = 12;  ///< edge of a square in a legend
inline constexpr double bar_gap_pixels = 6;  ///< gap between rows of bars
/** Factor by which an axis of counts or speeds exceeds its data. */
inline constexpr double cumulative_head_room = 1.06;

/** Returns a solid stroke one logical pixel wide. */
inline Stroke thin_stroke(const Ink& ink) { return {ink, 1, {}}; }

}  // namespace kernelscape::charts
