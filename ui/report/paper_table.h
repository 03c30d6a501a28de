#pragma once

#include "ui/report/paper.h"
#include "ui/report/report_document.h"

namespace kernelscape {

/**
 * Sets a table on paper: columns as wide as they need to be, texts broken where they are wider, the head
 * repeated on each page, rows kept whole where a page can hold them.
 */
void write_table(Paper& paper, const ReportTable& table);

}  // namespace kernelscape
