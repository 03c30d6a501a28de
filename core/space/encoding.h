#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"

namespace kernelscape {

/**
 * The same members with independent levels in the place of factorizations (Heron's spaces): an ordinal knob
 * per factor, named as the factor's column is ("tile_oc[2]"), whose values are all that the factor has in
 * some value of the factorization. A PROD ties the levels; most of the product of their knobs is no member.
 *
 * A factorization of one factor stays what it is, and one that was restricted to values which its product
 * and the values of its levels don't tell from others; among explicit members, which need no tie, every one
 * of two factors or more becomes levels. Members are in the same order by index in both spaces.
 *
 * The space's constraints have their positions, variables, names and reasons in both; the ties follow.
 */
class EncodedSpace {
 public:
  /** Errors: what `SearchSpace::make` says of so many knobs, with the way out. */
  static Result<EncodedSpace> make(const SearchSpace& original);

  /** That of the levels; the original one where no knob became levels. */
  const SearchSpace& space() const { return space_; }
  /** Whether some knob became levels. */
  bool differs() const;

  /** A configuration of the original space, a member or not. Errors: it doesn't fit the space's knobs. */
  Result<Configuration> encode(const Configuration& original) const;
  /** The original of a member, or of whatever has one: none where levels are no value of their factorization.
   */
  std::optional<Configuration> decode(const Configuration& levels) const;

 private:
  /** What an original knob became. */
  struct Part {
    std::uint32_t first = 0;                        ///< knob of the encoded space
    std::vector<std::vector<std::int64_t>> levels;  ///< values of each level, ascending; empty: itself
  };

  EncodedSpace(SearchSpace original, SearchSpace space, std::vector<Part> parts);
  static Result<SearchSpace> encoded(const SearchSpace& original, const std::vector<Part>& parts);
  static std::vector<Part> parts_of(const SearchSpace& original);
  static ConstraintSystem constraints_of(const SearchSpace& original, const std::vector<Part>& parts);
  static Configuration encode_with(const std::vector<Part>& parts, const std::vector<Knob>& knobs,
                                   const Configuration& original);

  SearchSpace original_;
  SearchSpace space_;
  std::vector<Part> parts_;  ///< by knob of the original space
};

}  // namespace kernelscape
