#pragma once

#include <nlohmann/json_fwd.hpp>

namespace kernelscape::command_line {

/** Prints one object as one line and flushes it, so that a reader of a pipe sees events as they happen. */
void print_json_line(const nlohmann::json& object);

}  // namespace kernelscape::command_line
