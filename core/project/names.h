#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/codegen/dialect.h"
#include "core/project/program_data.h"

namespace kernelscape::project {

// Names of enumeration values in a stored project, in the order of their declarations.
inline constexpr std::array<std::string_view, 3> dialect_names{"c", "cuda", "opencl"};
/** Names for display and in T1, in the same order. */
inline constexpr std::array<std::string_view, 3> language_names{"C", "CUDA", "OpenCL"};
inline constexpr std::array<std::string_view, 4> memory_names{"scalar", "vector", "local", "constant"};
inline constexpr std::array<std::string_view, 3> access_names{"read-only", "write-only", "read-write"};
inline constexpr std::array<std::string_view, 4> fill_names{"constant", "random", "ramp", "bytes"};
inline constexpr std::array<std::string_view, 4> answer_names{"first-valid", "kernel", "function", "bytes"};

/** Returns the name of a value. */
template <std::size_t count, typename Value>
std::string name_of(const std::array<std::string_view, count>& names, Value value) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

/** Returns the value with this name, or nullopt if there is none. */
template <typename Value, std::size_t count>
std::optional<Value> value_named(const std::array<std::string_view, count>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

}  // namespace kernelscape::project
