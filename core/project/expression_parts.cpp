#include "core/project/expression_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace kernelscape::project {
namespace {

using Kind = space::Expression::Kind;

/**
 * Returns an expression that is true if a variable has one of these values of its knob. It uses few
 * comparisons, since a run of consecutive values needs only two.
 */
space::Expression one_of(const TableKnob& of, const std::vector<std::uint32_t>& chosen) {
  std::vector<std::pair<std::int64_t, bool>> values;
  for (std::uint32_t index = 0; index < of.knob->count(); ++index)
    values.emplace_back(of.knob->element(index, 0), std::ranges::binary_search(chosen, index));
  std::ranges::sort(values);
  std::vector<space::Expression> runs;
  for (std::size_t first = 0; first < values.size(); ++first) {
    if (!values[first].second) continue;
    std::size_t last = first;
    while (last + 1 < values.size() && values[last + 1].second) ++last;
    const space::Expression low = constant_expression(values[first].first);
    const space::Expression high = constant_expression(values[last].first);
    if (first == last) {
      runs.push_back(operation(Kind::Equal, variable_expression(of.variable), low));
    } else {
      std::vector<space::Expression> ends;
      if (first > 0) ends.push_back(operation(Kind::LessEqual, low, variable_expression(of.variable)));
      if (last + 1 < values.size())
        ends.push_back(operation(Kind::LessEqual, variable_expression(of.variable), high));
      runs.push_back(and_expression(std::move(ends)));
    }
    first = last;
  }
  return or_expression(std::move(runs));
}

class TableTree {
 public:
  TableTree(std::uint8_t entry, std::size_t most) : entry_(entry), left_(most) {}

  std::optional<space::Expression> build(std::span<const TableKnob> knobs,
                                         std::span<const std::uint8_t> table) {
    const auto wanted = static_cast<std::size_t>(std::ranges::count(table, entry_));
    if (wanted == 0 || wanted == table.size()) return constant_expression(wanted == 0 ? 0 : 1);
    const std::size_t row = table.size() / knobs[0].knob->count();
    std::vector<std::pair<std::string_view, std::vector<std::uint32_t>>> groups;
    std::map<std::string_view, std::size_t> known;
    for (std::uint32_t index = 0; index < knobs[0].knob->count(); ++index) {
      const auto* first = reinterpret_cast<const char*>(table.data() + index * row);
      const auto [group, added] = known.try_emplace(std::string_view(first, row), groups.size());
      if (added) groups.push_back({group->first, {}});
      groups[group->second].second.push_back(index);
    }
    if (groups.size() == 1) return build(knobs.subspan(1), table.first(row));
    std::vector<space::Expression> choices;
    for (const auto& [entries, indices] : groups) {
      auto below = build(knobs.subspan(1), table.subspan(indices[0] * row, row));
      if (!below) return std::nullopt;
      if (is_constant(*below, 0)) continue;
      space::Expression chosen = one_of(knobs[0], indices);
      const std::size_t size = size_of(chosen);
      if (size > left_) return std::nullopt;
      left_ -= size;
      choices.push_back(and_expression({std::move(chosen), *std::move(below)}));
    }
    return or_expression(std::move(choices));
  }

 private:
  std::uint8_t entry_;
  std::size_t left_;
};

/** Makes an And or Or: neutral operands are left out, and a deciding operand is the result. */
space::Expression junction(Kind kind, std::vector<space::Expression> all) {
  const std::int64_t neutral = kind == Kind::And ? 1 : 0;
  std::vector<space::Expression> kept;
  for (space::Expression& one : all) {
    if (is_constant(one, neutral)) continue;
    if (is_constant(one, 1 - neutral)) return constant_expression(1 - neutral);
    if (one.kind == kind)
      std::ranges::move(one.operands, std::back_inserter(kept));
    else
      kept.push_back(std::move(one));
  }
  if (kept.empty()) return constant_expression(neutral);
  if (kept.size() == 1) return std::move(kept[0]);
  return {.kind = kind, .operands = std::move(kept)};
}

}  // namespace

space::Expression constant_expression(std::int64_t value) { return {.constant = value, .operands = {}}; }
space::Expression variable_expression(space::VariableId id) {
  return {.kind = Kind::Variable, .variable = id, .operands = {}};
}

space::Expression operation(Kind kind, space::Expression first, std::optional<space::Expression> second) {
  space::Expression made{.kind = kind, .operands = {}};
  made.operands.push_back(std::move(first));
  if (second) made.operands.push_back(*std::move(second));
  return made;
}

bool is_constant(const space::Expression& expression, std::int64_t value) {
  return expression.kind == Kind::Constant && expression.constant == value;
}

space::Expression not_expression(space::Expression of) {
  if (of.kind == Kind::Constant) return constant_expression(of.constant == 0 ? 1 : 0);
  const std::array opposites{std::pair(Kind::Equal, Kind::NotEqual), std::pair(Kind::NotEqual, Kind::Equal)};
  for (const auto& [kind, opposite] : opposites)
    if (of.kind == kind) {
      of.kind = opposite;
      return of;
    }
  if (of.kind == Kind::Not && space::is_boolean(of.operands[0].kind))
    return space::Expression(std::move(of.operands[0]));
  return operation(Kind::Not, std::move(of));
}

space::Expression and_expression(std::vector<space::Expression> all) {
  return junction(Kind::And, std::move(all));
}
space::Expression or_expression(std::vector<space::Expression> all) {
  return junction(Kind::Or, std::move(all));
}

std::size_t size_of(const space::Expression& expression) {
  std::size_t size = 1;
  for (const space::Expression& operand : expression.operands) size += size_of(operand);
  return size;
}

int depth_of(const space::Expression& expression) {
  int deepest = 0;
  for (const space::Expression& operand : expression.operands) deepest = std::max(deepest, depth_of(operand));
  return deepest + 1;
}

std::optional<space::Expression> table_expression(std::span<const TableKnob> knobs,
                                                  std::span<const std::uint8_t> table, std::uint8_t entry,
                                                  std::size_t most) {
  auto tree = TableTree(entry, most).build(knobs, table);
  if (!tree || size_of(*tree) > most) return std::nullopt;
  return tree;
}

}  // namespace kernelscape::project
