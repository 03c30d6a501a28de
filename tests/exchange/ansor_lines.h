#pragma once

#include <string>

namespace kernelscape::exchange_tests {

/** As TVM 0.8 wrote it for a CPU. */
inline const std::string ansor_cpu_line =
    R"({"i": [["[\u0022conv2d_layer\u0022, 1, 7, 7, 512, 512, 3, 3, [1, 1], [1, 1]]", "llvm -keys=cpu -link-params=0 )"
    R"(-mcpu=broadwell -num-cores=2", [8, 64, 64, 0, 0, 0, 0, 0], "", 1, []], [[], [["CI", 5], ["SP", 3, 0, 1, )"
    R"([1, 1, 1], 1], ["SP", 3, 4, 512, [2, 1, 1], 1], ["SP", 3, 8, 7, [1, 1, 1], 1], ["SP", 3, 12, 7, )"
    R"([1, 7, 1], 1], ["SP", 3, 16, 512, [32], 1], ["SP", 3, 18, 3, [1], 1], ["SP", 3, 20, 3, [3], 1], ["RE", )"
    R"(3, [0, 4, 8, 12, 1, 5, 9, 13, 16, 18, 20, 2, 6, 10, 14, 17, 19, 21, 3, 7, 11, 15]], ["FSP", 6, 0, 1, )"
    R"(1], ["FSP", 6, 2, 2, 1], ["CA", 3, 6, 3], ["CR", 1], ["FU", 1, [0, 1]], ["AN", 1, 0, 3], ["FU", 6, )"
    R"([0, 1]], ["AN", 6, 0, 3], ["PR", 3, 0, "auto_unroll_max_step$16"], ["AN", 1, 2, 2], ["AN", 3, 21, )"
    R"(2]]]], "r": [[0.0279606], 0, 0.848875, 1647464340], "v": "v0.6"})";

/** As the first versions wrote, for a GPU. */
inline const std::string ansor_gpu_line =
    R"({"i": [["[\u0022matmul_auto_scheduler_test\u0022, 512, 512, 512]", "cuda"], [[], [["CHW", 2, "local"], ["SP", 2, )"
    R"(0, 512, [1, 16, 32, 1], 1], ["SP", 2, 5, 512, [4, 1, 1, 16], 1], ["SP", 2, 10, 512, [1, 2], 1], ["RE", )"
    R"(2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FFSP", 2, 0, [1, 2], 1, 1], ["AN", 2, 1, 6], ["CHR", )"
    R"(0, "shared", [3]], ["AN", 5, 0, 5], ["PR", 4, 0, "auto_unroll_max_step$1024"]]]], "r": [[0.00536798], )"
    R"(0, 2.49277, 1585564852], "v": "v0.1"})";

}  // namespace kernelscape::exchange_tests
