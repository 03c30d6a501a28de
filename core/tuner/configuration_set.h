#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape::tuner {

/**
 * A set of configurations of one space, for look-up only. A small space takes one bit per configuration.
 * Where indices fit into 63 bits, the set stores only the indices in one table: a million configurations are
 * added without a million allocations.
 */
class ConfigurationSet {
 public:
  explicit ConfigurationSet(const space::SearchSpace& space);

  /** @param configuration must be well-formed, also in the functions below */
  bool contains(const space::Configuration& configuration) const;
  /** Adds a configuration. @return false if the set already contains it */
  bool insert(const space::Configuration& configuration);
  /** Removes a configuration. @return false if the set does not contain it */
  bool erase(const space::Configuration& configuration);

  std::size_t size() const { return size_; }  ///< number of configurations in the set
  bool empty() const { return size_ == 0; }   ///< true if the set contains no configuration

 private:
  enum class Form : std::uint8_t { Bits, Table, Others };

  std::uint64_t index_of(const space::Configuration& configuration) const;
  std::size_t home_of(std::uint64_t index) const;
  /** Returns the slot that holds the index, or the free slot where the index belongs. */
  std::size_t slot_of(std::uint64_t index) const;
  void erase_slot(std::size_t hole);
  void grow();

  Form form_ = Form::Others;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> strides_;  ///< by knob
  std::vector<std::uint64_t> words_;    ///< bits of 64 configurations each
  std::vector<std::uint64_t> slots_;    ///< open addressing; a power of two, at most half of it used
  /// configurations of spaces whose indices need more than 63 bits
  std::unordered_set<space::Configuration> others_;
};

}  // namespace kernelscape::tuner
