#include "core/analysis/filter/filter.h"

#include "core/analysis/filter/filter_evaluation.h"
#include "core/analysis/filter/filter_parser.h"
#include "core/analysis/filter/filter_text.h"

namespace kernelscape::analysis {

Filter::Filter(FilterNode root, const TrialColumns& columns)
    : root_(std::make_shared<const FilterNode>(std::move(root))), text_(filter_text(*root_, columns)) {}

std::expected<Filter, FilterError> Filter::parse(std::string_view text, const TrialColumns& columns) {
  FilterNode root = TRY(FilterParser(filter_tokens(text), columns).parse());
  return Filter(std::move(root), columns);
}

RowSet Filter::evaluate(const trial::Snapshot& trials, const TrialColumns& columns) const {
  RowSet rows;
  extend(trials, columns, rows, 0);
  return rows;
}

void Filter::extend(const trial::Snapshot& trials, const TrialColumns& columns, RowSet& rows,
                    std::int64_t first_new) const {
  rows.grow(trials.size());
  FilterEvaluation(*root_, trials, columns).fill(rows, first_new);
}

}  // namespace kernelscape::analysis
