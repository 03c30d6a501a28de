#include "core/analysis/filter/filter_tree.h"

namespace kernelscape::analysis {

bool has_numbered_labels(const Column& column) { return is_error(column) || is_truth(column); }

bool is_truth(const Column& column) {
  static const ColumnLabels truths{"false", "true"};
  return column.kind == ColumnKind::Label && column.labels == truths;
}

bool is_error(const Column& column) { return column.measured == trial::Measured::Error; }

}  // namespace kernelscape::analysis
