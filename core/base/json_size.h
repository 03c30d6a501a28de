#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelscape::base {

/**
 * Upper estimate of the memory that a JSON document takes while it is read, for values of nlohmann's library
 * with GCC's standard library.
 */
struct JsonSize {
  /** Lists and objects count as eight values: an empty one takes about as much. */
  std::uint64_t values = 0;
  std::uint64_t bytes = 0;  ///< including the overhead of each allocation

  /** Adds a value's slot in a list, whose capacity may be twice its size. */
  void add_value() {
    ++values;
    bytes += 32;
  }
  /** Adds a key and its node in an object's tree; the value is counted separately. */
  void add_key(std::size_t length) { bytes += 112 + beyond_small(length); }
  /** Adds a text without its slot in a list. */
  void add_text(std::size_t length) { bytes += 48 + beyond_small(length); }
  /** Adds a list or an object without its content and its slot. */
  void add_container() {
    values += 7;
    bytes += 80;
  }

 private:
  /** Returns the bytes of a text beyond the small-string buffer. */
  static std::uint64_t beyond_small(std::size_t length) { return length > 15 ? length + 17 : 0; }
};

/**
 * Maximum number of values in a document that is read whole (JsonSize::values): 3 million configurations of
 * one knob or 1.8 million of ten knobs, far more than any space of the papers, and at most 2 GiB of memory.
 */
inline constexpr std::uint64_t max_json_values = 1ULL << 25;

}  // namespace kernelscape::base
