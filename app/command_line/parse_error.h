#pragma once

#include <CLI/CLI.hpp>

#include "core/base/result.h"

namespace kernelscape {

/** A wrong command line in our words: what is wrong, and the nearest option or subcommand. */
Error explain_parse_error(const CLI::App& program, const CLI::ParseError& error);

}  // namespace kernelscape
