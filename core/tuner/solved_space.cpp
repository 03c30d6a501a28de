#include "core/tuner/solved_space.h"

#include <algorithm>

#include "core/space/violation.h"

namespace kernelscape::tuner {
namespace {

constexpr int max_guesses = 64;
constexpr std::size_t max_compared = 65'536;

std::size_t hinted_values_of(const space::Configuration& member, const space::SolverHints& hints) {
  std::size_t count = 0;
  for (std::size_t knob = 0; knob < std::min(hints.size(), member.indices.size()); ++knob)
    count += hints[knob] == member.indices[knob] ? 1U : 0U;
  return count;
}

}  // namespace

space::SolverHints hints_of(const space::Configuration& configuration) {
  return {configuration.indices.begin(), configuration.indices.end()};
}

SolvedSpace::SolvedSpace(space::SearchSpace space, space::SolverLimits limits)
    : space_(std::move(space)), limits_(limits), csp_(space::csp_of(space_)), variables_(csp_) {
  if (space_.explicit_members() == nullptr) model_.emplace(space_.knobs(), csp_);
}

std::vector<std::int64_t> SolvedSpace::values_of(const space::Configuration& configuration) const {
  std::vector<std::int64_t> values(variables_.count());
  variables_.compute(space_.knobs(), configuration, values);
  return values;
}

std::vector<double> SolvedSpace::violations_of(const space::Configuration& configuration) const {
  if (space_.contains(configuration)) return {};
  if (!model_) return {1.0};
  return kernelscape::space::violations_of(csp_, csp_.evaluate(space_.knobs(), configuration));
}

Result<space::Solution> SolvedSpace::solve(std::span<const space::InConstraint> extra,
                                           const space::SolverHints& hints, base::Random& random) const {
  if (model_) return model_->solve(extra, hints, base::Random(random.bits()), limits_);
  return hints.empty() ? listed_member(extra, random) : listed_like(extra, hints, random);
}

/**
 * Returns true if a listed member satisfies the constraints. All variables of a space with listed members are
 * elements.
 */
bool SolvedSpace::satisfies(const space::Configuration& member,
                            std::span<const space::InConstraint> extra) const {
  return std::ranges::all_of(extra, [&](const space::InConstraint& constraint) {
    const space::KnobElement element = csp_.variables()[constraint.variable].element.value();
    const std::int64_t value =
        space_.knobs()[element.knob].element(member.indices[element.knob], element.position);
    return std::ranges::find(constraint.values, value) != constraint.values.end();
  });
}

/**
 * Guesses members, so that all are equally likely; if few satisfy the constraints, takes the next one from a
 * random position.
 */
space::Solution SolvedSpace::listed_member(std::span<const space::InConstraint> extra,
                                           base::Random& random) const {
  const std::vector<space::Configuration>& members = *space_.explicit_members();
  for (int guess = 0; guess < max_guesses; ++guess) {
    const space::Configuration& member = members[random.below(members.size())];
    if (satisfies(member, extra)) return member;
  }
  const std::size_t start = random.below(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const space::Configuration& member = members[(start + i) % members.size()];
    if (satisfies(member, extra)) return member;
  }
  return space::NoSolution::Proven;
}

space::Solution SolvedSpace::listed_like(std::span<const space::InConstraint> extra,
                                         const space::SolverHints& hints, base::Random& random) const {
  const std::vector<space::Configuration>& members = *space_.explicit_members();
  const std::size_t start = random.below(members.size());
  const std::size_t compared = std::min(members.size(), max_compared);
  const space::Configuration* best = nullptr;
  std::size_t max_hinted = 0;
  for (std::size_t i = 0; i < compared; ++i) {
    const space::Configuration& member = members[(start + i) % members.size()];
    if (!satisfies(member, extra)) continue;
    const std::size_t hinted = hinted_values_of(member, hints);
    if (best != nullptr && hinted <= max_hinted) continue;
    best = &member;
    max_hinted = hinted;
  }
  if (best != nullptr) return *best;
  return listed_member(extra, random);
}

}  // namespace kernelscape::tuner
