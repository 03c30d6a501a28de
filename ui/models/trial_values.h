#pragma once

#include <QString>

#include "core/analysis/columns.h"

namespace kernelscape::models {

/** Returns the title of a table column: "GFLOPS", "median (ms)", "tile_oc[3]". */
QString column_title(const analysis::Column& column);

/** Returns the meaning of a column and its name in filters, for a tool tip. */
QString column_help(const analysis::Column& column);

/**
 * Returns a value as the window shows it: numbers in en_US with at most four digits, an en dash if there is
 * no value.
 */
QString shown_value(const analysis::Column& column, double value);

/** Returns a value with all its digits and its unit. */
QString full_value(const analysis::Column& column, double value);

/**
 * Returns "128 B", the size of the values that did not fit into a thread's registers; "nothing" if all fit.
 */
QString spilled_text(const trial::KernelResources& resources);

}  // namespace kernelscape::models
