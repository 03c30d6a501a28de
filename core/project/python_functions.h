#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "core/project/python_value.h"

namespace kernelscape::project {

/** A function that expressions can call. */
struct PythonFunction {
  std::string_view name;
  std::size_t least = 1;  ///< minimum number of arguments
  std::size_t most = 1;
  PythonResult (*compute)(PythonArguments arguments) = nullptr;
};

inline constexpr std::size_t unlimited_arguments = std::numeric_limits<std::size_t>::max();

/** Returns the functions on numbers, including those of math and numpy. */
std::span<const PythonFunction> python_math();

/** Converts a real with an integral value to an integer; errors name the function. */
PythonResult python_integer_of(double whole, std::string_view function);

}  // namespace kernelscape::project
