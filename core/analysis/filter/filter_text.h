#pragma once

#include <string>
#include <string_view>

#include "core/analysis/filter/filter_tree.h"

namespace kernelscape {

/** A column's name as filters write it: in `...` where it is no plain word. */
std::string filter_name(std::string_view column_name);

/** A label as filters write it: in "..." where it is neither a plain word nor a tuple of such. */
std::string filter_label(std::string_view label);

/** "=", "!=", "<", ... */
std::string_view symbol_of(ComparisonOperator comparison);

/** The canonical text of a tree, which parsed again passes the same trials. */
std::string filter_text(const FilterNode& node, const TrialColumns& columns);

}  // namespace kernelscape
