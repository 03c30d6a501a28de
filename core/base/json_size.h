#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelscape {

/**
 * How much of a JSON document lies in memory, as nlohmann's values take it with GCC's library, estimated from
 * above while it is read.
 */
struct JsonSize {
  /** Lists and objects count as eight values: an empty one takes about as much. */
  std::uint64_t values = 0;
  std::uint64_t bytes = 0;  ///< with what an allocation takes beside its content

  /** A value's place in a list, which may have room for twice as many. */
  void add_value() {
    ++values;
    bytes += 32;
  }
  /** A key and its place in an object's tree; its value is counted apart. */
  void add_key(std::size_t length) { bytes += 112 + beyond_small(length); }
  /** A text, beside its place. */
  void add_text(std::size_t length) { bytes += 48 + beyond_small(length); }
  /** A list or an object without what is in it, beside its place. */
  void add_container() {
    values += 7;
    bytes += 80;
  }

 private:
  /** Short texts lie within their string. */
  static std::uint64_t beyond_small(std::size_t length) { return length > 15 ? length + 17 : 0; }
};

/**
 * Most values of a document that is read whole (JsonSize::values): 3 million configurations of one knob or
 * 1.8 million of ten, far beyond every space of the papers, and at most 2 GiB of memory.
 */
inline constexpr std::uint64_t most_json_values = 1ULL << 25;

}  // namespace kernelscape
