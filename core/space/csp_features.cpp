#include "core/space/csp_features.h"

#include <utility>

namespace kernelscape::space {

CspFeatures::CspFeatures(SearchSpace space, const ConstraintSystem& limits) : space_(std::move(space)) {
  ConstraintSystem both = space_.constraints();
  both.append(limits);
  const ConstraintSystem csp = csp_of(space_.knobs(), both);
  variables_ = CompiledVariables(csp);
  for (VariableId id = 0; id < csp.variables().size(); ++id) {
    if (csp.variables()[id].constant) continue;
    columns_.push_back(id);
    names_.push_back(csp.variables()[id].name);
  }
}

void CspFeatures::write(const Configuration& configuration, std::span<float> row) const {
  static thread_local std::vector<std::int64_t> memory;
  if (memory.size() < variables_.count()) memory.resize(variables_.count());
  const std::span values = std::span(memory).first(variables_.count());
  variables_.compute(space_.knobs(), configuration, values);
  for (std::size_t column = 0; column < columns_.size(); ++column)
    row[column] = static_cast<float>(values[columns_[column]]);
}

}  // namespace kernelscape::space
