#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/space/csp.h"
#include "core/space/solver_model.h"

namespace kernelscape::tuner {

/**
 * Finds members of a space under additional constraints on any variables of its CSP: with the solver, or, if
 * the members are listed, by searching the list. Deterministic, single-threaded.
 */
class SolvedSpace {
 public:
  SolvedSpace(space::SearchSpace space, space::SolverLimits limits);
  SolvedSpace(const SolvedSpace&) = delete;
  SolvedSpace& operator=(const SolvedSpace&) = delete;

  const space::SearchSpace& space() const { return space_; }  ///< the space whose members are found
  /// the CSP; its first variables are the knobs' elements, in the order of the knobs
  const space::ConstraintSystem& csp() const { return csp_; }
  const space::SolverLimits& limits() const { return limits_; }  ///< limits of a search

  /**
   * Returns the values of all variables of the CSP, for any well-formed configuration, which need not be a
   * member.
   */
  std::vector<std::int64_t> values_of(const space::Configuration& configuration) const;

  /**
   * Returns by how much a configuration violates each constraint; empty for members. In a space with listed
   * members, a configuration that is not listed has the violation 1.
   */
  std::vector<double> violations_of(const space::Configuration& configuration) const;

  /**
   * Finds a member in which every variable that `extra` names has one of its values, as SolverModel::solve
   * does. In a space with listed members, the member is random; with hints, it is the member with the most
   * hinted values among up to 65,536 consecutive ones.
   */
  Result<space::Solution> solve(std::span<const space::InConstraint> extra, const space::SolverHints& hints,
                                base::Random& random) const;

 private:
  bool satisfies(const space::Configuration& member, std::span<const space::InConstraint> extra) const;
  space::Solution listed_member(std::span<const space::InConstraint> extra, base::Random& random) const;
  space::Solution listed_like(std::span<const space::InConstraint> extra, const space::SolverHints& hints,
                              base::Random& random) const;

  space::SearchSpace space_;
  space::SolverLimits limits_;
  space::ConstraintSystem csp_;
  space::CompiledVariables variables_;
  std::optional<space::SolverModel> model_;  ///< nullopt if the members are listed
};

/** Returns hints for all knobs: the values of a configuration. */
space::SolverHints hints_of(const space::Configuration& configuration);

}  // namespace kernelscape::tuner
