#pragma once

#include <QString>

#include "core/analysis/columns.h"

namespace kernelscape {

/** Returns the title of a table column: "GFLOPS", "median (ms)", "tile_oc[3]". */
QString column_title(const Column& column);

/** Returns the meaning of a column and its name in filters, for a tool tip. */
QString column_help(const Column& column);

/**
 * Returns a value as the window shows it: numbers in en_US with at most four digits, an en dash if there is
 * no value.
 */
QString shown_value(const Column& column, double value);

/** Returns a value with all its digits and its unit. */
QString full_value(const Column& column, double value);

/**
 * Returns "128 B", the size of the values that did not fit into a thread's registers; "nothing" if all fit.
 */
QString spilled_text(const KernelResources& resources);

}  // namespace kernelscape
