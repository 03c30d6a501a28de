#include "core/tuner/configuration_set.h"

#include <bit>
#include <utility>

namespace kernelscape::tuner {
namespace {

constexpr std::uint64_t free_slot = ~std::uint64_t{0};
constexpr std::size_t first_slots = 256;
constexpr base::uint128 max_bits = 1 << 22;  // half a mebibyte

std::uint64_t bit_of(std::uint64_t index) { return std::uint64_t{1} << (index % 64); }

}  // namespace

ConfigurationSet::ConfigurationSet(const space::SearchSpace& space) {
  if (space.size() > base::uint128{1} << 63) return;
  std::uint64_t stride = 1;
  for (const space::Knob& knob : space.knobs()) {
    strides_.push_back(stride);
    stride *= knob.count();
  }
  if (space.size() <= max_bits) {
    form_ = Form::Bits;
    words_.resize(stride / 64 + 1);
  } else {
    form_ = Form::Table;
    slots_.assign(first_slots, free_slot);
  }
}

bool ConfigurationSet::contains(const space::Configuration& configuration) const {
  if (form_ == Form::Others) return others_.contains(configuration);
  const std::uint64_t index = index_of(configuration);
  if (form_ == Form::Bits) return (words_[index / 64] & bit_of(index)) != 0;
  return slots_[slot_of(index)] == index;
}

bool ConfigurationSet::insert(const space::Configuration& configuration) {
  if (form_ == Form::Others) {
    const bool added = others_.insert(configuration).second;
    size_ = others_.size();
    return added;
  }
  const std::uint64_t index = index_of(configuration);
  if (form_ == Form::Bits) {
    std::uint64_t& word = words_[index / 64];
    if ((word & bit_of(index)) != 0) return false;
    word |= bit_of(index);
    ++size_;
    return true;
  }
  std::uint64_t& slot = slots_[slot_of(index)];
  if (slot == index) return false;
  slot = index;
  if (2 * ++size_ > slots_.size()) grow();
  return true;
}

bool ConfigurationSet::erase(const space::Configuration& configuration) {
  if (!contains(configuration)) return false;
  --size_;
  if (form_ == Form::Others) {
    others_.erase(configuration);
  } else if (const std::uint64_t index = index_of(configuration); form_ == Form::Bits) {
    words_[index / 64] &= ~bit_of(index);
  } else {
    erase_slot(slot_of(index));
  }
  return true;
}

/**
 * Moves the following entries up to the next gap, except those that would be moved before their home slot.
 */
void ConfigurationSet::erase_slot(std::size_t hole) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t next = (hole + 1) & mask; slots_[next] != free_slot; next = (next + 1) & mask) {
    const std::size_t home = home_of(slots_[next]);
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    slots_[hole] = slots_[next];
    hole = next;
  }
  slots_[hole] = free_slot;
}

std::uint64_t ConfigurationSet::index_of(const space::Configuration& configuration) const {
  std::uint64_t index = 0;
  for (std::size_t knob = 0; knob < strides_.size(); ++knob)
    index += strides_[knob] * configuration.indices[knob];
  return index;
}

std::size_t ConfigurationSet::home_of(std::uint64_t index) const {
  // The upper bits of the product with an odd number distribute neighbours over the table.
  const int bits = std::countr_zero(slots_.size());
  return static_cast<std::size_t>((index * 0x9e3779b97f4a7c15ULL) >> (64 - bits));
}

std::size_t ConfigurationSet::slot_of(std::uint64_t index) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = home_of(index);
  while (slots_[slot] != index && slots_[slot] != free_slot) slot = (slot + 1) & mask;
  return slot;
}

void ConfigurationSet::grow() {
  const std::vector<std::uint64_t> before =
      std::exchange(slots_, std::vector<std::uint64_t>(slots_.size() * 4, free_slot));
  for (const std::uint64_t index : before)
    if (index != free_slot) slots_[slot_of(index)] = index;
}

}  // namespace kernelscape::tuner
