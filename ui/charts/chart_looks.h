#pragma once

#include "ui/charts/canvas.h"

namespace kernelscape {

// What charts of one family look like alike. Lengths in pixels.

inline constexpr double percent = 100;            ///< of a share
inline constexpr double reach_pixels = 10;        ///< how near a pointer has to be to a mark
inline constexpr double selected_opacity = 0.95;  ///< of a mark
inline constexpr double swatch_pixels = 12;       ///< edge of a legend's square
inline constexpr double bar_gap_pixels = 6;       ///< between rows of bars
inline constexpr double cumulative_head_room =
    1.06;  ///< how far an axis of counts or speeds goes beyond its data

/** A solid line one logical pixel wide. */
inline Stroke thin_stroke(const Ink& ink) { return {ink, 1, {}}; }

}  // namespace kernelscape
