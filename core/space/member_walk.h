#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/space/search_space.h"
#include "core/space/solver_model.h"
#include "core/space/tied_knobs.h"

namespace kernelscape {

/**
 * Goes through a space's members in the order of their indices, once around from any start. Of knobs whose
 * values are tied to a product (TiedKnobs), it looks at what has that product alone: a space of independent
 * levels takes as many steps as one of factorizations.
 */
class MemberWalk {
 public:
  /** From the first. */
  explicit MemberWalk(SearchSpace space);

  /** From a random one. */
  MemberWalk(SearchSpace space, Random& random);

  /** The next member, if there is one among the next `steps` configurations. */
  std::optional<Configuration> next(std::uint64_t steps);

  /**
   * Moves to the next member with the space's constraint solver, or to the end of the walk if no member is
   * left: for spaces whose members lie far apart. `next(1)` then returns the member.
   * @param limits what the solver may take; the nodes that it took are subtracted
   * @return false if the solver gave up; the walk stays where it is
   */
  bool skip(SolverLimits& limits);

  /** Whether it has been around. */
  bool done() const { return looked_at_ == length_; }

  /** Configurations that it looks at on its way around: members are among them, nothing else of them is. */
  uint128 length() const { return length_; }

 private:
  /** What the walk counts with: a knob, whose values are its figures, or tied ones with their rows. */
  struct Digit {
    TiedKnobs knobs;
    std::uint32_t size = 0;  ///< figures
    std::uint32_t at = 0;
  };

  static std::vector<Digit> digits_of(const SearchSpace& space);
  uint128 full_length() const;
  void start_at(uint128 position);
  uint128 position_of(const Configuration& member) const;
  void advance();
  void write(const Digit& digit);

  SearchSpace space_;
  std::vector<Digit> digits_;  ///< the fastest first; of spaces without explicit members
  uint128 length_;             ///< of the explicit members, or of all that the digits count
  uint128 looked_at_ = 0;
  std::size_t position_ = 0;  ///< among explicit members
  Configuration current_;     ///< of other spaces
};

/**
 * All members in the order of their indices, if they are at most `most` and can be walked to in about a tenth
 * of a second: explicit ones, or those among up to 2^20 configurations.
 */
std::optional<std::vector<Configuration>> listed_members(const SearchSpace& space, std::size_t most);

}  // namespace kernelscape
