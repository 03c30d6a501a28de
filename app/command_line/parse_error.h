#pragma once

#include <CLI/CLI.hpp>

#include "core/base/result.h"

namespace kernelscape::command_line {

/**
 * Turns a parse error of CLI11 into an error of this program: what is wrong, and the most similar option or
 * subcommand.
 */
Error explain_parse_error(const CLI::App& program, const CLI::ParseError& error);

}  // namespace kernelscape::command_line
