#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {

/**
 * Reads a pickle of Python (protocols 2 to 5, plain or compressed by zlib) that consists of dicts with texts
 * as keys, lists, tuples, texts, whole numbers of 64 bits, reals, truth values and None. Tuples become lists.
 * A pickle is a program: here only the instructions that build these values exist, so nothing that it names
 * is loaded or called. Errors: InvalidArgument for every other instruction, with the class that it names, and
 * for texts that are not UTF-8, a value beyond 4 MiB or 16 levels, or a container that is used twice.
 */
Result<space::Json> read_pickle(std::string_view bytes);

/**
 * Returns the name of the class that a pickled object begins with: "MinimizeTime"; empty if it names none.
 * The class is not loaded.
 */
std::string pickled_class_name(std::string_view bytes);

}  // namespace kernelscape::exchange
