#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"

namespace kernelscape::space {

/**
 * A space with the same members, but with independent levels in place of factorizations (Heron's spaces): an
 * ordinal knob per factor, named like the factor's column ("tile_oc[2]"), whose values are all values of the
 * factor in the factorization. A PROD ties the levels; most combinations of the levels are not members.
 *
 * Factorizations of one factor are not changed, nor are restricted ones whose values are not determined by
 * the product and the values of the levels. With explicit members, which need no PROD, every factorization of
 * two or more factors becomes levels. Members have the same order by index in both spaces.
 *
 * The original constraints keep their positions, variables, names and reasons; the PRODs are appended.
 */
class EncodedSpace {
 public:
  /**
   * Encodes a space. Errors: those of `SearchSpace::make` for the number of knobs, with a hint what to do.
   */
  static Result<EncodedSpace> make(const SearchSpace& original);

  /** Returns the encoded space; the original space if no knob was encoded. */
  const SearchSpace& space() const { return space_; }
  /** Returns true if some knob was encoded as levels. */
  bool differs() const;

  /**
   * Encodes a configuration of the original space, a member or not. Errors: it does not fit the space's
   * knobs.
   */
  Result<Configuration> encode(const Configuration& original) const;
  /**
   * Decodes a configuration of the encoded space. Returns nullopt if its levels are not a value of their
   * factorization.
   */
  std::optional<Configuration> decode(const Configuration& levels) const;

 private:
  /** The encoding of an original knob. */
  struct Part {
    std::uint32_t first = 0;  ///< knob of the encoded space
    std::vector<std::vector<std::int64_t>>
        levels;  ///< values of each level, ascending; empty: the knob is not encoded
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

}  // namespace kernelscape::space
