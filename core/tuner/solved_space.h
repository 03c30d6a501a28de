#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/space/csp.h"
#include "core/space/solver_model.h"

namespace kernelscape {

/**
 * Members of a space found under further constraints on any variable of its CSP: by solving, or, where the
 * members are listed, by looking through them. Deterministic, in one thread.
 */
class SolvedSpace {
 public:
  SolvedSpace(SearchSpace space, SolverLimits limits);
  SolvedSpace(const SolvedSpace&) = delete;
  SolvedSpace& operator=(const SolvedSpace&) = delete;

  const SearchSpace& space() const { return space_; }     ///< whose members are found
  const ConstraintSystem& csp() const { return csp_; }    ///< elements first, in the order of the knobs
  const SolverLimits& limits() const { return limits_; }  ///< of a search

  /** Of every variable of the CSP; of any well-formed configuration, a member or not. */
  std::vector<std::int64_t> values_of(const Configuration& configuration) const;

  /** How far a configuration is from being a member, by constraint; empty of members. Of one that is not
   * among listed members it is 1. */
  std::vector<double> violations_of(const Configuration& configuration) const;

  /**
   * A member in which every variable that `extra` names has one of its values, as SolverModel::solve finds
   * it. Of listed members a random one; with hints, of up to 65,536 in a row the one that has most of the
   * hinted values.
   */
  Result<Solution> solve(std::span<const InConstraint> extra, const SolverHints& hints, Random& random) const;

 private:
  bool satisfies(const Configuration& member, std::span<const InConstraint> extra) const;
  Solution listed_member(std::span<const InConstraint> extra, Random& random) const;
  Solution listed_like(std::span<const InConstraint> extra, const SolverHints& hints, Random& random) const;

  SearchSpace space_;
  SolverLimits limits_;
  ConstraintSystem csp_;
  CompiledVariables variables_;
  std::optional<SolverModel> model_;  ///< none where the members are listed
};

/** Hints of all knobs: the values of a configuration. */
SolverHints hints_of(const Configuration& configuration);

}  // namespace kernelscape
