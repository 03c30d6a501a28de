#pragma once

#include <QString>

#include "core/analysis/columns.h"

namespace kernelscape {

/** "GFLOPS", "median (ms)", "tile_oc[3]": above a column of a table. */
QString column_title(const Column& column);

/** What a column is, and how filters name it: a tooltip. */
QString column_help(const Column& column);

/** As the window writes it: numbers in en_US with at most four digits, an en dash for none. */
QString shown_value(const Column& column, double value);

/** With all its digits and its unit. */
QString full_value(const Column& column, double value);

/** "128 B": what did not fit a thread's registers; "nothing". */
QString spilled_text(const KernelResources& resources);

}  // namespace kernelscape
