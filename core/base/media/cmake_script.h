#pragma once

#include <string>
#include <string_view>

#include "core/base/written.h"

namespace kernelscape {

/** A script of CMake 3.1 or newer. */
struct CMakeScript {
  /**
   * An argument with its quotes that is one element of a list: nothing in it is expanded or taken apart. What
   * no element can hold becomes '?': controls, what can't be seen, bytes that are no UTF-8, square brackets
   * that don't match, and a backslash at the end.
   */
  static std::string escaped(std::string_view text);

  /** The name of a target or a file without quotes: what is no letter, digit or '_' becomes '_'. */
  static Written<CMakeScript> name(std::string_view text);
};

using CMakeText = Written<CMakeScript>;

}  // namespace kernelscape
