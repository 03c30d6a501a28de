#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/exchange/trials_csv.h"

namespace kernelscape {

/**
 * Hands `write` a sink that ends in a file, which appears whole or not at all, or in standard output where
 * the path is "-".
 */
Status write_text_output(const std::string& path, const std::function<Status(const TextSink&)>& write);

}  // namespace kernelscape
