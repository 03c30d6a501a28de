#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace kernelscape::command_line {

/** Options of the pages that show sessions and studies in a browser. */
struct ServeOptions {
  std::uint16_t port = 0;  ///< on 127.0.0.1; 0: any free port
  std::string database;
};

/**
 * Serves pages until a signal ends it, and returns the exit code. It draws with Qt, which no other part of
 * the command line needs.
 */
using PageServer = std::function<Result<int>(const ServeOptions&)>;

}  // namespace kernelscape::command_line
