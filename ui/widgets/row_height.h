#pragma once

class QTableView;

namespace kernelscape::widgets {

/**
 * Sets the height of rows to a line of the table's text plus `padding` pixels, at least `least`; the height
 * follows changes of the text size.
 */
void keep_row_height(QTableView& table, int padding, int least = 0);

}  // namespace kernelscape::widgets
