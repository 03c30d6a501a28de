#pragma once

class QTableView;

namespace kernelscape {

/**
 * Rows as high as a line of the table's text and `padding` pixels, at least `least`; also after the size of
 * text changed.
 */
void keep_row_height(QTableView& table, int padding, int least = 0);

}  // namespace kernelscape
