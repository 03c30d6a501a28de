#include "core/tuner/key_variables.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/tuner/genes.h"

namespace kernelscape::tuner {

VariableColumns::VariableColumns(const space::ConstraintSystem& csp, std::span<const std::string> columns) {
  std::map<std::string, std::vector<space::VariableId>, std::less<>> left;
  for (space::VariableId id = 0; id < csp.variables().size(); ++id) {
    const space::Variable& variable = csp.variables()[id];
    if (variable.constant) continue;
    variables_.push_back(id);
    left[variable.name].push_back(id);
  }
  for (std::size_t number = 0; number < columns.size(); ++number) {
    const auto named = left.find(columns[number]);
    if (named == left.end() || named->second.empty()) continue;
    columns_.push_back({number, named->second.front()});
    named->second.erase(named->second.begin());
  }
}

std::vector<space::VariableId> VariableColumns::ranked(std::span<const double> scores) const {
  std::vector<double> of_variables;
  for (const Column& column : columns_) of_variables.push_back(scores[column.number]);
  const auto scored =
      static_cast<std::size_t>(std::ranges::count_if(of_variables, [](double score) { return score > 0; }));
  std::vector<space::VariableId> best;
  for (const std::size_t place : best_positions(of_variables, scored))
    best.push_back(columns_[place].variable);
  return best;
}

std::size_t key_variable_count(double share, std::size_t least, std::size_t scored) {
  const auto of_share = static_cast<std::size_t>(share * static_cast<double>(scored));
  return std::min(scored, std::max(of_share, least));
}

std::vector<space::InConstraint> crossover_constraints(std::span<const space::VariableId> keys,
                                                       std::size_t left_out,
                                                       std::span<const std::int64_t> first,
                                                       std::span<const std::int64_t> second) {
  std::vector<space::InConstraint> constraints;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == left_out) continue;
    const std::int64_t a = first[keys[i]];
    const std::int64_t b = second[keys[i]];
    constraints.push_back({keys[i], a == b ? std::vector{a} : std::vector{a, b}});
  }
  return constraints;
}

}  // namespace kernelscape::tuner
