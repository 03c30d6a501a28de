#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/space/search_space.h"
#include "core/space/solver_model.h"
#include "core/space/tied_knobs.h"

namespace kernelscape::space {

/**
 * Visits a space's members in the order of their indices, cyclically from any start. For knobs whose values
 * are tied by a product (TiedKnobs), it visits only combinations with that product: a space of independent
 * levels takes as many steps as a space of factorizations.
 */
class MemberWalk {
 public:
  /** Starts at the first configuration. */
  explicit MemberWalk(SearchSpace space);

  /** Starts at a random configuration. */
  MemberWalk(SearchSpace space, base::Random& random);

  /** Returns the next member, or nullopt if there is none among the next `steps` configurations. */
  std::optional<Configuration> next(std::uint64_t steps);

  /**
   * Moves to the next member with the space's constraint solver, or to the end of the walk if no member is
   * left: for spaces whose members lie far apart. `next(1)` then returns the member.
   * @param limits limits of the solver; the nodes that it used are subtracted
   * @return false if the solver gave up; the walk then does not move
   */
  bool skip(SolverLimits& limits);

  /** Returns true if the walk has visited all configurations. */
  bool done() const { return looked_at_ == length_; }

  /** Returns the number of configurations that a full walk checks, which include all members. */
  base::uint128 length() const { return length_; }

 private:
  /** A digit of the walk's counter: a knob with its values, or tied knobs with their rows. */
  struct Digit {
    TiedKnobs knobs;
    std::uint32_t size = 0;  ///< number of values or rows
    std::uint32_t at = 0;
  };

  static std::vector<Digit> digits_of(const SearchSpace& space);
  base::uint128 full_length() const;
  void start_at(base::uint128 position);
  base::uint128 position_of(const Configuration& member) const;
  void advance();
  void write(const Digit& digit);

  SearchSpace space_;
  std::vector<Digit> digits_;  ///< the fastest first; for spaces without explicit members
  base::uint128 length_;       ///< number of explicit members, or of combinations of the digits
  base::uint128 looked_at_ = 0;
  std::size_t position_ = 0;  ///< among explicit members
  Configuration current_;     ///< for other spaces
};

/**
 * Returns all members in the order of their indices if there are at most `most` and they can be enumerated in
 * about a tenth of a second: explicit members, or those among up to 2^20 configurations. Else returns
 * nullopt.
 */
std::optional<std::vector<Configuration>> listed_members(const SearchSpace& space, std::size_t most);

}  // namespace kernelscape::space
