#pragma once

#include <string>
#include <string_view>

#include "core/analysis/filter/filter_tree.h"

namespace kernelscape::analysis {

/** Returns a column's name as written in filters: in `...` if it is not a plain word. */
std::string filter_name(std::string_view column_name);

/**
 * Returns a label as written in filters: in "..." if it is neither a plain word nor a tuple of plain words.
 */
std::string filter_label(std::string_view label);

/** Returns "=", "!=", "<", ... */
std::string_view symbol_of(ComparisonOperator comparison);

/** Returns the canonical text of a tree. Parsing it gives a filter that passes the same trials. */
std::string filter_text(const FilterNode& node, const TrialColumns& columns);

}  // namespace kernelscape::analysis
