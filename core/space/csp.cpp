#include "core/space/csp.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "core/space/constraint_arithmetic.h"

namespace kernelscape::space {
namespace {

using ElementPlace = std::pair<std::uint32_t, int>;  ///< knob and position

/** Returns the names of elements in the constraints, the first name if there are several. */
std::map<ElementPlace, std::string> names_of_elements(const ConstraintSystem& system) {
  std::map<ElementPlace, std::string> names;
  for (const Variable& variable : system.variables())
    if (variable.element)
      names.try_emplace({variable.element->knob, variable.element->position}, variable.name);
  return names;
}

}  // namespace

ConstraintSystem csp_of(const std::vector<Knob>& knobs, const ConstraintSystem& system) {
  const std::map<ElementPlace, std::string> names = names_of_elements(system);
  ConstraintSystem csp;
  std::map<ElementPlace, VariableId> elements;
  for (std::uint32_t number = 0; number < knobs.size(); ++number) {
    const Knob& knob = knobs[number];
    for (int position = 0; position < knob.element_count(); ++position) {
      const auto named = names.find({number, position});
      std::string name = knob.element_count() > 1 ? fmt::format("{}.{}", knob.name(), position) : knob.name();
      if (named != names.end()) name = named->second;
      elements[{number, position}] = csp.add_element(std::move(name), number, position);
    }
  }
  std::vector<VariableId> moved;
  for (const Variable& variable : system.variables()) {
    if (variable.element)
      moved.push_back(elements.at({variable.element->knob, variable.element->position}));
    else if (variable.constant)
      moved.push_back(csp.add_constant(variable.name, *variable.constant));
    else
      moved.push_back(csp.add_derived(variable.name));
  }
  for (const Constraint& constraint : system.constraints()) {
    Constraint renamed = constraint;
    rename_variables(renamed, moved);
    csp.add(std::move(renamed));
  }
  return csp;
}

ConstraintSystem csp_of(const SearchSpace& space) { return csp_of(space.knobs(), space.constraints()); }

CompiledVariables::CompiledVariables(const ConstraintSystem& system) {
  for (VariableId id = 0; id < system.variables().size(); ++id) {
    const Variable& variable = system.variables()[id];
    blank_.push_back(variable.constant.value_or(0));
    if (variable.element) elements_.emplace_back(id, *variable.element);
  }
  for (std::size_t i = 0; i < system.constraints().size(); ++i) {
    if (!system.defines(i)) continue;
    const auto& rule = system.constraints()[i].rule;
    if (const auto* product = std::get_if<ProdConstraint>(&rule)) {
      define(Code::Product, product->result, product->factors);
    } else if (const auto* sum = std::get_if<SumConstraint>(&rule)) {
      define(Code::Sum, sum->result, sum->terms);
    } else if (const auto* equal = std::get_if<EqConstraint>(&rule)) {
      define(Code::Copy, equal->left, {equal->right});
    } else if (const auto* select = std::get_if<SelectConstraint>(&rule)) {
      std::vector<VariableId> operands{select->selector};
      operands.insert(operands.end(), select->choices.begin(), select->choices.end());
      define(Code::Select, select->result, operands);
    }
  }
}

void CompiledVariables::define(Code code, VariableId result, const std::vector<VariableId>& operands) {
  definitions_.push_back({code, result, static_cast<std::uint32_t>(operands_.size()),
                          static_cast<std::uint32_t>(operands.size())});
  operands_.insert(operands_.end(), operands.begin(), operands.end());
}

void CompiledVariables::compute(const std::vector<Knob>& knobs, const Configuration& configuration,
                                std::span<std::int64_t> values) const {
  std::ranges::copy(blank_, values.begin());
  for (const auto& [variable, element] : elements_)
    values[variable] = knobs[element.knob].element(configuration.indices[element.knob], element.position);
  for (const Definition& definition : definitions_) {
    const std::span operands = std::span(operands_).subspan(definition.first, definition.count);
    std::int64_t& result = values[definition.result];
    switch (definition.code) {
      case Code::Product:
        result = product_of_values(operands, values.data());
        break;
      case Code::Sum:
        result = sum_of_values(operands, values.data());
        break;
      case Code::Copy:
        result = values[operands[0]];
        break;
      case Code::Select: {
        const std::int64_t selected = values[operands[0]];
        const bool inside = selected >= 0 && selected < static_cast<std::int64_t>(operands.size()) - 1;
        result = inside ? values[operands[static_cast<std::size_t>(selected) + 1]] : 0;
        break;
      }
    }
  }
}

}  // namespace kernelscape::space
