#pragma once

#include <optional>

#include "core/project/exact_number.h"
#include "core/project/python_value.h"

namespace kernelscape::project {

/**
 * Returns whether a number is an element of a list, a tuple, a set or a range that is the same for all
 * configurations; nullopt if that has too many numbers or inexact ones.
 * @param item a number without a divisor
 */
std::optional<LoweredTruth> exact_in(const LoweredNumber& item, const PythonObject& row);

}  // namespace kernelscape::project
