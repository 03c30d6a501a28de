#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape {

/**
 * Configurations of one space, for look-up only. A small space takes a bit for each; where indices fit into
 * 63 bits it holds just these, in one table: a million are added without a million allocations.
 */
class ConfigurationSet {
 public:
  explicit ConfigurationSet(const SearchSpace& space);

  /** @param configuration has to be well-formed, here and below */
  bool contains(const Configuration& configuration) const;
  /** @return false: it is there already */
  bool insert(const Configuration& configuration);
  /** @return false: it was not there */
  bool erase(const Configuration& configuration);

  std::size_t size() const { return size_; }  ///< configurations that it holds, each counted once
  bool empty() const { return size_ == 0; }   ///< it holds none

 private:
  enum class Form : std::uint8_t { Bits, Table, Others };

  std::uint64_t index_of(const Configuration& configuration) const;
  std::size_t home_of(std::uint64_t index) const;
  /** Of the index, or of the free slot where it belongs. */
  std::size_t slot_of(std::uint64_t index) const;
  void erase_slot(std::size_t hole);
  void grow();

  Form form_ = Form::Others;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> strides_;        ///< by knob
  std::vector<std::uint64_t> words_;          ///< 64 configurations each
  std::vector<std::uint64_t> slots_;          ///< open addressing; a power of two, at most half of it used
  std::unordered_set<Configuration> others_;  ///< of spaces whose indices are longer
};

}  // namespace kernelscape
