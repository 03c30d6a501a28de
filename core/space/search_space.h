#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/int128.h"
#include "core/base/random.h"
#include "core/space/configuration.h"
#include "core/space/constraint.h"
#include "core/space/knob.h"

namespace kernelscape::space {

class SolverModel;

/** Maximum number of knobs of a space; spaces of the papers have up to 20. */
inline constexpr std::size_t max_space_knobs = 256;

/**
 * Maximum number of variables, and of names, numbers and operators in rules, in a space that is read from a
 * file: the time of a membership test grows with their number. Templates have some hundreds.
 */
inline constexpr std::size_t max_constraint_parts = 1U << 15;

/**
 * The configurations of a template for a task: the Cartesian product of the knobs, restricted to members
 * (feasible configurations) by constraints or by an explicit set. Immutable; copies share their data.
 */
class SearchSpace {
 public:
  /**
   * Makes a space of knobs and constraints. Errors: no knob or more than max_space_knobs, two knobs of the
   * same name, more than 2^127 configurations, constraints that are not valid over these knobs. Does not
   * check that there is a member.
   */
  static Result<SearchSpace> make(std::vector<Knob> knobs, ConstraintSystem constraints = {});

  /**
   * Makes a space whose members are exactly these configurations (of an imported file), without duplicates.
   * Errors: no configuration, or one that does not fit the knobs.
   */
  static Result<SearchSpace> make_explicit(std::vector<Knob> knobs, std::vector<Configuration> members);

  const std::vector<Knob>& knobs() const;       ///< in the order of a configuration's indices; at least one
  const ConstraintSystem& constraints() const;  ///< constraints on the members; empty for explicit members
  /** Returns the position of the knob of this name, or nullopt if there is none. */
  std::optional<std::uint32_t> find_knob(std::string_view name) const;

  /** Returns the size of the Cartesian product of the knobs. */
  base::uint128 size() const;

  /**
   * Returns the number of members if it can be computed without enumerating the whole space: the product of
   * the unconstrained knobs times the satisfying combinations of the others, if these have at most `effort`
   * combinations. Knobs that no constraint connects are enumerated separately.
   */
  std::optional<base::uint128> member_count(std::uint64_t effort = 4'000'000) const;

  bool has_restrictions() const;  ///< true if there may be fewer members than size()
  bool contains(const Configuration& configuration) const;  ///< true if well-formed and a member

  /** Returns the mixed-radix index of a configuration, first knob fastest (AutoTVM's order). */
  base::uint128 index_of(const Configuration& configuration) const;
  /**
   * Returns the configuration of an index, a member or not: the inverse of `index_of`.
   * @param index below size()
   */
  Configuration at(base::uint128 index) const;

  /** Returns the explicit members in the order of their indices; null for other spaces. */
  const std::vector<Configuration>* explicit_members() const;

  /**
   * Returns a random member: uniform by rejection sampling, or, if less than 1e-3 of the draws are accepted,
   * from the solver, which is not uniform (see `samples_uniformly`). Returns nullopt if the solver proves
   * that there is no member, or gives up.
   */
  std::optional<Configuration> random_member(base::Random& random) const;

  /**
   * Returns the members that a number of calls of random_member() find, in the order of the calls. If the
   * first eight calls find none, it stops, because each further call would take as long to give up.
   */
  std::vector<Configuration> random_members(std::int64_t draws, base::Random& random) const;

  /**
   * Returns the solver, which finds members under additional constraints by propagation and search. For an
   * explicit set of members it only knows the knobs. Created on the first call; lives as long as any copy of
   * this space.
   */
  const SolverModel& solver() const;

  /**
   * Returns false if rejection sampling accepts less than 1e-3 of the draws (by a seeded probe when the space
   * is made).
   */
  bool samples_uniformly() const;

  /**
   * Returns a space with the same knobs and additional constraints, or with the explicit members that satisfy
   * them (Refused if none does). Used when a user enforces the device limits.
   */
  Result<SearchSpace> restricted_by(const ConstraintSystem& limits) const;

  /**
   * Returns a stable hash of knobs, constraints and explicit members: spaces with equal fingerprints are
   * taken to be equal.
   */
  std::uint64_t fingerprint() const;

  /** Returns a configuration as text: "tile_oc=[4, 16] tile_ow=[2, 14] unroll_kw=true". */
  std::string describe(const Configuration& configuration) const;

  /**
   * Reads a configuration from {"tile_oc": [4, 16], "unroll_kw": true, "order": ["oh", "ic"]}, with every
   * knob. Errors name the knob and the reason. The configuration may violate constraints: check `contains`.
   */
  Result<Configuration> configuration_from_json(std::string_view json) const;
  /** Returns the text that `configuration_from_json` reads, on one line, knobs in their order. */
  std::string configuration_to_json(const Configuration& configuration) const;

 private:
  struct Data;
  explicit SearchSpace(Data data);

  std::shared_ptr<const Data> data_;
};

/** Returns the whole space as JSON (knobs with values, constraints, explicit members), for the store. */
std::string space_to_json(const SearchSpace& space);
/**
 * Reads a space from JSON. Errors: malformed text, another version of the format (Refused), errors of `make`
 * and `make_explicit`, and sizes with which a short text could exhaust memory or take minutes: more than
 * max_constraint_parts, more than 2^26 numbers in the whole tables of its knobs, more than max_json_values
 * values.
 */
Result<SearchSpace> space_from_json(std::string_view json);
/** Returns variables and constraints as JSON, without the knobs, which they name by position. */
std::string constraints_to_json(const ConstraintSystem& constraints);
/**
 * Reads a constraint system. Errors: anything that is not a valid system. Use `validate` with knobs to check
 * that its elements exist.
 */
Result<ConstraintSystem> constraints_from_json(std::string_view json);

}  // namespace kernelscape::space
