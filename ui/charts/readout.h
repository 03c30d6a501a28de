#pragma once

#include <QPointF>
#include <QSizeF>
#include <QStringList>
#include <cstdint>

namespace kernelscape::charts {

class Canvas;

/** The description of the mark under the mouse, or of the mark that the arrow keys reached. */
struct Readout {
  QPointF position;        ///< position of the mark, in the widget's logical pixels
  QStringList lines;       ///< the first one is the headline
  std::int64_t row = -1;   ///< the row that a click or Enter activates; -1: none
  std::int64_t mark = -1;  ///< number of a mark that cannot be activated, for the next arrow key; -1: none
};

/**
 * Paints the lines of a readout in a box beside its mark, which the box never covers; nothing if it has no
 * lines. @param room the size of the widget
 */
void paint_readout(Canvas& canvas, const Readout& readout, QSizeF room);

}  // namespace kernelscape::charts
