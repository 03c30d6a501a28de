#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape {

/** Goes through a space's members in the order of their indices, once around from any start. */
class MemberWalk {
 public:
  /** From the first. */
  explicit MemberWalk(SearchSpace space);

  /** From a random one. */
  MemberWalk(SearchSpace space, Random& random);

  /** The next member, if there is one among the next `steps` configurations. */
  std::optional<Configuration> next(std::uint64_t steps);

  /** Whether it has been around. */
  bool done() const { return looked_at_ == length_; }

 private:
  MemberWalk(SearchSpace space, uint128 length);
  void start_at(uint128 position);
  void advance();

  SearchSpace space_;
  uint128 length_;  ///< of the explicit members, or of the knobs' product
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
