#pragma once

#include "ui/report/paper.h"
#include "ui/report/report_document.h"

namespace kernelscape {

/**
 * Writes a table: columns as wide as they need to be, texts broken if they are wider, the head repeated on
 * each page, and rows kept whole if a page can hold them.
 */
void write_table(Paper& paper, const ReportTable& table);

}  // namespace kernelscape
