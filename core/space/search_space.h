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

namespace kernelscape {

class SolverModel;

/** Most knobs of a space: the papers' have up to 20. */
inline constexpr std::size_t most_space_knobs = 256;

/** Most variables, and most names, numbers and operators in rules, that a space's constraints may have to be
 * read: asking whether a configuration is a member takes as long as they are many. Templates' have some
 * hundreds. */
inline constexpr std::size_t most_constraint_parts = 1U << 15;

/**
 * The configurations of a template for a task: the knobs' product, restricted to its members by constraints
 * or by an explicit set. Immutable; copies share their data.
 */
class SearchSpace {
 public:
  /**
   * Errors: no knob or over most_space_knobs, two of one name, more than 2^127 configurations, constraints
   * that are not valid over these knobs. Whether there is any member is not asked.
   */
  static Result<SearchSpace> make(std::vector<Knob> knobs, ConstraintSystem constraints = {});

  /** Members are exactly these configurations (an imported file's), each once. Errors: none, or one that
   * doesn't fit. */
  static Result<SearchSpace> make_explicit(std::vector<Knob> knobs, std::vector<Configuration> members);

  const std::vector<Knob>& knobs() const;       ///< in the order of a configuration's indices; at least one
  const ConstraintSystem& constraints() const;  ///< what restricts the members; empty for explicit ones
  /** Position of the knob of this name; none: there is none. */
  std::optional<std::uint32_t> find_knob(std::string_view name) const;

  /** The knobs' product. */
  uint128 size() const;

  /**
   * Number of members where it can be known without walking the space: the product of the knobs that no
   * constraint names times the satisfying combinations of the others, if these combine to at most `effort`.
   * Knobs that no constraint brings together are walked apart.
   */
  std::optional<uint128> member_count(std::uint64_t effort = 4'000'000) const;

  bool has_restrictions() const;                            ///< members are fewer than the product, possibly
  bool contains(const Configuration& configuration) const;  ///< well-formed and a member

  /** Mixed radix, first knob fastest (AutoTVM's order). */
  uint128 index_of(const Configuration& configuration) const;
  /** The inverse of `index_of`, a member or not. @param index below size() */
  Configuration at(uint128 index) const;

  /** Explicit members in the order of their indices; null for other spaces. */
  const std::vector<Configuration>* explicit_members() const;

  /**
   * A member: uniform by rejection; below 1e-3 acceptance by the solver, which is not uniform (see
   * `samples_uniformly`). None where the solver proves there is none or gives up.
   */
  std::optional<Configuration> random_member(Random& random) const;

  /**
   * Returns what so many draws of random_member() give, in their order. Where the first eight of them give
   * none, no more is drawn: each draw would take as long to give up.
   */
  std::vector<Configuration> random_members(std::int64_t draws, Random& random) const;

  /**
   * Finds members with more constraints, by propagation and search. Of an explicit set of members it knows
   * the knobs alone. Made when it is first asked for; lives as long as a copy of this space.
   */
  const SolverModel& solver() const;

  /** False once rejection was found to accept less than 1e-3 (from a seeded probe when the space is made). */
  bool samples_uniformly() const;

  /** The same knobs with more constraints, or the explicit members that satisfy them (Refused if none does):
   * how limits become membership when a user asks to respect them. */
  Result<SearchSpace> restricted_by(const ConstraintSystem& limits) const;

  /** Stable text identity of knobs and constraints: two spaces with equal fingerprints are equal. */
  std::uint64_t fingerprint() const;

  /** "tile_oc=[4, 16] tile_ow=[2, 14] unroll_kw=true". */
  std::string describe(const Configuration& configuration) const;

  /**
   * A configuration from {"tile_oc": [4, 16], "unroll_kw": true, "order": ["oh", "ic"]}; errors name knob and
   * reason. Every knob has to be there. It may violate constraints: ask `contains`.
   */
  Result<Configuration> configuration_from_json(std::string_view json) const;
  /** The text that `configuration_from_json` reads, on one line, knobs in their order. */
  std::string configuration_to_json(const Configuration& configuration) const;

 private:
  struct Data;
  explicit SearchSpace(Data data);

  std::shared_ptr<const Data> data_;
};

/** JSON text of the whole space (knobs with values, constraints, explicit members) and back, for the store.
 */
std::string space_to_json(const SearchSpace& space);
/**
 * Errors: malformed text, another version of the format (Refused), what `make` or `make_explicit` refuse, and
 * what a short text could take memory or minutes with: over most_constraint_parts, over 2^26 numbers in the
 * whole tables of its knobs, over most_json_values values.
 */
Result<SearchSpace> space_from_json(std::string_view json);
/** JSON text of variables and constraints, without the knobs that they name by position. */
std::string constraints_to_json(const ConstraintSystem& constraints);
/** Errors: anything that is not a valid system. Whether its elements exist is for `validate` with knobs. */
Result<ConstraintSystem> constraints_from_json(std::string_view json);

}  // namespace kernelscape
