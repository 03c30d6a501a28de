#pragma once

#include <fmt/format.h>

#include <string>

#include "core/base/random.h"

namespace kernelscape::exchange_tests {

/** Shape of a task of generated_log(): "12x128x64". */
inline std::string generated_shape(std::size_t task) {
  return fmt::format("{}x{}x{}", 1 + task % 16, 8 * (1 + task), 64);
}

/**
 * An AutoTVM log with one trial of each of so many tasks: batched multiplications, which no operator here is,
 * of different shapes, with random times.
 */
inline std::string generated_log(std::size_t tasks, base::Random& random) {
  std::string text;
  for (std::size_t task = 0; task < tasks; ++task) {
    const std::size_t batch = 1 + task % 16;
    const std::size_t rows = 8 * (1 + task);
    text += fmt::format(
        R"({{"input": ["cuda -model=a100", "batch_matmul.cuda", [["TENSOR", [{0}, {1}, 64], "float32"], )"
        R"(["TENSOR", [{0}, 32, 64], "float32"]], {{}}], "config": {{"index": 0, "code_hash": null, )"
        R"("entity": [["a", "ot", {2}]]}}, "result": [[{3:.9f}], 0, 1.5, {4}], "version": 0.2, )"
        R"("tvm_version": "0.10.0"}})"
        "\n",
        batch, rows, random.below(8), 1e-6 + random.uniform(), 1'500'000'000 + task);
  }
  return text;
}

}  // namespace kernelscape::exchange_tests
