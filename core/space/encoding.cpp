#include "core/space/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace kernelscape::space {
namespace {

using LevelValues = std::vector<std::vector<std::int64_t>>;

/** By factor, what it is in some value of the knob. */
LevelValues level_values(const Knob& knob) {
  LevelValues levels(static_cast<std::size_t>(knob.element_count()));
  for (std::size_t level = 0; level < levels.size(); ++level) {
    std::vector<std::int64_t>& values = levels[level];
    for (std::uint32_t index = 0; index < knob.count(); ++index)
      values.push_back(knob.element(index, static_cast<int>(level)));
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
  }
  return levels;
}

/** Returns true if all levels that multiply to the product are a value of the knob. */
bool determined_by_product(const Knob& knob, const LevelValues& levels) {
  // All factors that there are, but for a bound on the last level alone.
  if (!knob.partial()) return true;
  std::map<std::int64_t, std::uint64_t> ways{{1, 1}};  // by the product of the levels so far
  for (const std::vector<std::int64_t>& values : levels) {
    std::map<std::int64_t, std::uint64_t> next;
    for (const auto& [product, count] : ways)
      for (const std::int64_t value : values)
        if ((knob.product() / product) % value == 0) next[product * value] += count;
    ways = std::move(next);
  }
  // Each value of the knob is among the combinations: if their numbers are equal, the sets are equal.
  return ways[knob.product()] == knob.count();
}

VariableId constant_of(ConstraintSystem& system, std::int64_t value) {
  const auto known = std::ranges::find(system.variables(), std::optional(value), &Variable::constant);
  if (known != system.variables().end()) return static_cast<VariableId>(known - system.variables().begin());
  return system.add_constant(fmt::format("{}", value), value);
}

/** As constraints call a factor, where there is none of this element yet. */
VariableId element_of(ConstraintSystem& system, const Knob& original, int position, std::uint32_t knob) {
  const auto known =
      std::ranges::find(system.variables(), std::optional(KnobElement{knob, 0}), &Variable::element);
  if (known != system.variables().end()) return static_cast<VariableId>(known - system.variables().begin());
  return system.add_element(fmt::format("{}.{}", original.name(), position), knob, 0);
}

}  // namespace

EncodedSpace::EncodedSpace(SearchSpace original, SearchSpace space, std::vector<Part> parts)
    : original_(std::move(original)), space_(std::move(space)), parts_(std::move(parts)) {}

std::vector<EncodedSpace::Part> EncodedSpace::parts_of(const SearchSpace& original) {
  std::vector<Part> parts;
  std::uint32_t next = 0;
  for (const Knob& knob : original.knobs()) {
    Part part{next, {}};
    if (knob.kind() == KnobKind::Factorization && knob.element_count() > 1) {
      LevelValues levels = level_values(knob);
      if (original.explicit_members() != nullptr || determined_by_product(knob, levels))
        part.levels = std::move(levels);
    }
    next += part.levels.empty() ? 1 : static_cast<std::uint32_t>(part.levels.size());
    parts.push_back(std::move(part));
  }
  return parts;
}

ConstraintSystem EncodedSpace::constraints_of(const SearchSpace& original, const std::vector<Part>& parts) {
  ConstraintSystem system;
  for (const Variable& variable : original.constraints().variables()) {
    if (variable.constant) {
      system.add_constant(variable.name, *variable.constant);
    } else if (!variable.element) {
      system.add_derived(variable.name);
    } else {
      const auto [knob, position] = *variable.element;
      const Part& part = parts[knob];
      if (part.levels.empty())
        system.add_element(variable.name, part.first, position);
      else
        system.add_element(variable.name, part.first + static_cast<std::uint32_t>(position), 0);
    }
  }
  for (const Constraint& constraint : original.constraints().constraints()) system.add(constraint);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Knob& knob = original.knobs()[i];
    if (parts[i].levels.empty()) continue;
    ProdConstraint tie{constant_of(system, knob.product()), {}};
    for (int position = 0; position < knob.element_count(); ++position)
      tie.factors.push_back(
          element_of(system, knob, position, parts[i].first + static_cast<std::uint32_t>(position)));
    system.add({std::move(tie), fmt::format("levels of {} multiply to {}", knob.name(), knob.product())});
  }
  return system;
}

Result<SearchSpace> EncodedSpace::encoded(const SearchSpace& original, const std::vector<Part>& parts) {
  std::vector<Knob> knobs;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Knob& knob = original.knobs()[i];
    if (parts[i].levels.empty()) knobs.push_back(knob);
    for (std::size_t level = 0; level < parts[i].levels.size(); ++level) {
      const std::vector<std::int64_t>& values = parts[i].levels[level];
      knobs.push_back(
          TRY(Knob::ordinal(fmt::format("{}[{}]", knob.name(), level), {values.begin(), values.end()})));
    }
  }
  const std::vector<Configuration>* members = original.explicit_members();
  if (members == nullptr) return SearchSpace::make(std::move(knobs), constraints_of(original, parts));
  std::vector<Configuration> mapped;
  mapped.reserve(members->size());
  for (const Configuration& member : *members) mapped.push_back(encode_with(parts, original.knobs(), member));
  return SearchSpace::make_explicit(std::move(knobs), std::move(mapped));
}

Result<EncodedSpace> EncodedSpace::make(const SearchSpace& original) {
  std::vector<Part> parts = parts_of(original);
  if (std::ranges::all_of(parts, [](const Part& part) { return part.levels.empty(); }))
    return EncodedSpace(original, original, std::move(parts));
  Result<SearchSpace> space = encoded(original, parts);
  if (!space)
    return fail(space.error().code,
                fmt::format("with factorizations as independent levels: {}", space.error().message),
                "set encoding to factorizations");
  return EncodedSpace(original, *std::move(space), std::move(parts));
}

bool EncodedSpace::differs() const {
  return std::ranges::any_of(parts_, [](const Part& part) { return !part.levels.empty(); });
}

Configuration EncodedSpace::encode_with(const std::vector<Part>& parts, const std::vector<Knob>& knobs,
                                        const Configuration& original) {
  Configuration encoded;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t index = original.indices[i];
    if (parts[i].levels.empty()) encoded.indices.push_back(index);
    for (std::size_t level = 0; level < parts[i].levels.size(); ++level) {
      const std::vector<std::int64_t>& values = parts[i].levels[level];
      const std::int64_t factor = knobs[i].element(index, static_cast<int>(level));
      encoded.indices.push_back(
          static_cast<std::uint32_t>(std::ranges::lower_bound(values, factor) - values.begin()));
    }
  }
  return encoded;
}

Result<Configuration> EncodedSpace::encode(const Configuration& original) const {
  const std::vector<Knob>& knobs = original_.knobs();
  if (!std::ranges::equal(original.indices, knobs, std::ranges::less{}, {}, &Knob::count))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a configuration of {} indices does not fit these {} knobs",
                            original.indices.size(), knobs.size()),
                "give each knob the index of one of its values");
  return encode_with(parts_, knobs, original);
}

std::optional<Configuration> EncodedSpace::decode(const Configuration& levels) const {
  if (!std::ranges::equal(levels.indices, space_.knobs(), std::ranges::less{}, {}, &Knob::count))
    return std::nullopt;
  Configuration original;
  std::vector<std::int64_t> factors;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (part.levels.empty()) {
      original.indices.push_back(levels.indices[part.first]);
      continue;
    }
    factors.clear();
    for (std::size_t level = 0; level < part.levels.size(); ++level)
      factors.push_back(part.levels[level][levels.indices[part.first + level]]);
    const Result<std::uint32_t> index = original_.knobs()[i].find(factors);
    if (!index) return std::nullopt;
    original.indices.push_back(*index);
  }
  return original;
}

}  // namespace kernelscape::space
