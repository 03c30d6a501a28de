#pragma once

#include "ui/report/document.h"
#include "ui/report/paper.h"

namespace kernelscape::report {

/**
 * Writes a table: columns as wide as they need to be, texts broken if they are wider, the head repeated on
 * each page, and rows kept whole if a page can hold them.
 */
void write_table(Paper& paper, const Table& table);

}  // namespace kernelscape::report
