#pragma once

#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape::base {

/** A script of CMake 3.1 or newer. */
struct CMakeScript {
  /**
   * Returns a quoted argument that is one element of a list: nothing in it is expanded or split. Characters
   * that a list element cannot hold become '?': controls, invisible characters, bytes that are not UTF-8,
   * unbalanced square brackets, and a trailing backslash.
   */
  static std::string escaped(std::string_view text);

  /**
   * Returns the name of a target or a file without quotes: characters other than letters, digits and '_'
   * become '_'.
   */
  static Written<CMakeScript> name(std::string_view text);
};

using CMakeText = Written<CMakeScript>;

}  // namespace kernelscape::base
