#include "core/project/new_project.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/base/visible_text.h"

namespace kernelscape::project {
namespace {

/** The differences between the languages. */
struct StartingPoint {
  std::string_view language;     ///< name used in commands
  std::string_view ending;       ///< suffix of the kernel's file
  std::string_view project;      ///< text of the project file
  std::string_view kernel;       ///< source of the kernel
  std::string_view t1_language;  ///< value in T1, or kernelscape.Language
  std::string_view kernel_name = "scale_and_add";
};

constexpr std::string_view start_project_c = R"({
  "General": {"BenchmarkName": "@NAME@"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "BLOCK", "Type": "int", "Values": "[64, 256, 1024, 4096]", "Default": 256,
       "Comment": "A parameter is a macro of the source; Values is a Python list, as a text."},
      {"Name": "UNROLL", "Type": "int", "Values": "[1, 2, 4, 8]", "Default": 1},
      {"Name": "OPTIMIZE", "Type": "int", "Values": "[2, 3]", "Default": 2,
       "Comment": "A parameter may also be used in compiler flags: see Flags below."}
    ],
    "Conditions": [
      {"Expression": "BLOCK % UNROLL == 0 and BLOCK // UNROLL >= 16", "Parameters": ["BLOCK", "UNROLL"],
       "Comment": "Configurations for which this is false are never built."}
    ]
  },
  "KernelSpecification": {
    "Language": "@LANGUAGE@",
    "KernelName": "@KERNEL@",
    "KernelFile": "@NAME@.@ENDING@",
    "CompilerOptions": [],
    "ProblemSize": [1048576],
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 1, "Output": 1},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 2},
      {"Name": "a", "Type": "float", "MemoryType": "Scalar", "FillValue": 1.5},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": "ProblemSize[0]"}
    ]
  },
  "kernelscape": {
    "Parts": true,
    "Flags": ["-O{OPTIMIZE}"],
    "Reference": {"Kind": "Function", "File": "reference.c", "Name": "reference"},
    "Tolerance": {"y": {"Absolute": 1e-6, "Relative": 1e-5}},
    "FLOPs": "2 * ProblemSize[0]",
    "Bytes": "12 * ProblemSize[0]"
  }
}
)";

constexpr std::string_view start_kernel_c =
    R"(/* BLOCK and UNROLL are macros: each configuration defines them before this file is compiled.
 * The kernel is called once per part of the work, each on a separate thread. */
void scale_and_add(int part, int parts, float* restrict y, const float* restrict x, float a, int n) {
  const int blocks = (n + BLOCK - 1) / BLOCK;
  for (int block = part; block < blocks; block += parts) {
    const int start = block * BLOCK;
    const int end = start + BLOCK < n ? start + BLOCK : n;
    int i = start;
    for (; i + UNROLL <= end; i += UNROLL) {
      for (int lane = 0; lane < UNROLL; ++lane) y[i + lane] += a * x[i + lane];
    }
    for (; i < end; ++i) y[i] += a * x[i];
  }
}
)";

constexpr std::string_view start_kernel_cpp =
    R"(// BLOCK and UNROLL are macros: each configuration defines them before this file is compiled.
// The kernel is called once per part of the work, each on a separate thread. KernelName of the project
// names the instance of the template that is called.
#include <algorithm>

namespace kernels {

template <typename T, int unroll>
void scale_and_add(int part, int parts, T* y, const T* x, T a, int n) {
  const int blocks = (n + BLOCK - 1) / BLOCK;
  for (int block = part; block < blocks; block += parts) {
    const int end = std::min(n, (block + 1) * BLOCK);
    int i = block * BLOCK;
    for (; i + unroll <= end; i += unroll) {
      for (int lane = 0; lane < unroll; ++lane) y[i + lane] += a * x[i + lane];
    }
    for (; i < end; ++i) y[i] += a * x[i];
  }
}

}  // namespace kernels
)";

constexpr std::string_view start_project_gpu = R"({
  "General": {"BenchmarkName": "@NAME@"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[32, 64, 128, 256]", "Default": 128,
       "Comment": "A parameter is a macro of the source; Values is a Python list, as a text."},
      {"Name": "per_thread", "Type": "int", "Values": "[1, 2, 4, 8]", "Default": 1}
    ],
    "Conditions": [
      {"Expression": "block_size_x * per_thread <= 1024", "Parameters": ["block_size_x", "per_thread"],
       "Comment": "Configurations for which this is false are never built."}
    ]
  },
  "KernelSpecification": {
    "Language": "@LANGUAGE@",
    "KernelName": "scale_and_add",
    "KernelFile": "@NAME@.@ENDING@",
    "CompilerOptions": [],
    "GlobalSizeType": "CUDA",
    "GlobalSize": {"X": "ProblemSize[0]"},
    "LocalSize": {"X": "block_size_x"},
    "GridDivX": ["block_size_x", "per_thread"],
    "ProblemSize": [1048576],
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 1, "Output": 1},
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "ProblemSize[0]",
       "FillType": "Random", "FillValue": 1.0, "RandomSeed": 2},
      {"Name": "a", "Type": "float", "MemoryType": "Scalar", "FillValue": 1.5},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": "ProblemSize[0]"}
    ]
  },
  "kernelscape": {
    "Reference": {"Kind": "Function", "File": "reference.c", "Name": "reference"},
    "Tolerance": {"y": {"Absolute": 1e-6, "Relative": 1e-5}},
    "FLOPs": "2 * ProblemSize[0]",
    "Bytes": "12 * ProblemSize[0]"
  }
}
)";

constexpr std::string_view start_kernel_opencl =
    R"(/* block_size_x and per_thread are macros: each configuration defines them before this file is compiled. */
__kernel void scale_and_add(__global float* y, __global const float* x, float a, int n) {
  const int start = get_group_id(0) * block_size_x * per_thread + get_local_id(0);
  for (int step = 0; step < per_thread; ++step) {
    const int i = start + step * block_size_x;
    if (i < n) y[i] += a * x[i];
  }
}
)";

constexpr std::string_view start_kernel_cuda =
    R"(/* block_size_x and per_thread are macros: each configuration defines them before this file is compiled. */
extern "C" __global__ void scale_and_add(float* y, const float* x, float a, int n) {
  const int start = blockIdx.x * block_size_x * per_thread + threadIdx.x;
  for (int step = 0; step < per_thread; ++step) {
    const int i = start + step * block_size_x;
    if (i < n) y[i] += a * x[i];
  }
}
)";

constexpr std::string_view start_reference =
    R"(/* The reference: it has the kernel's arguments, and does not depend on tuning parameters. */
void reference(float* y, const float* x, float a, int n) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
)";

constexpr std::string_view start_readme = R"(# @NAME@

A kernel with tuning parameters. To see their search space and the warnings about these files, run:

    kernelscape space @NAME@.json

| file | what to change |
|---|---|
| `@NAME@.json` | the parameters and their values, the conditions, the launch, the arguments |
| `@NAME@.@ENDING@` | the kernel: replace it by yours, and name it in `KernelName` |
| `reference.c` | the reference: a plain function with the same arguments |

This command compiles and runs nothing.
`"Comment"` may stand in every object of the JSON. All other members are described in the manual under "Your own kernels".
)";

constexpr std::string_view start_project_program = R"({
  "General": {"BenchmarkName": "@NAME@"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "OPTIMIZE", "Type": "int", "Values": "[1, 2, 3]", "Default": 2,
       "Comment": "Values is a Python list, as a text. Braces in the commands below hold the value of a parameter."},
      {"Name": "BLOCK", "Type": "int", "Values": "[8, 16, 32, 64, 128]", "Default": 8},
      {"Name": "ORDER", "Type": "string", "Values": "['rows', 'columns']", "Default": "rows",
       "Comment": "Only the run command uses it: its values share a build."}
    ],
    "Conditions": []
  },
  "KernelSpecification": {"Language": "Program"},
  "kernelscape": {
    "Files": ["@NAME@.c"],
    "Build": {"Command": ["cc", "-O{OPTIMIZE}", "-DBLOCK={BLOCK}", "@NAME@.c", "-o", "@NAME@"]},
    "Run": {"Command": ["./@NAME@", "{ORDER}"],
            "Comment": "A list of a program and its arguments: no shell is involved."},
    "Check": {"Command": ["grep", "-q", "errors: 0"],
              "Comment": "Reads what the run printed. Exit code 0 says that the result is right."},
    "Objective": {"Kind": "Pattern", "Pattern": "time: ([0-9.]+) ms", "Unit": "ms",
                  "Comment": "Without this member the wall time of the process is measured."},
    "Metrics": [{"Name": "program size", "Kind": "FileSize", "File": "@NAME@"}]
  }
}
)";

constexpr std::string_view start_source_program =
    R"(/* Transposes a matrix in blocks of BLOCK x BLOCK, and prints how long that took. */
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { n = 1024, passes = 4 };
static float from[n][n], to[n][n];

static void transpose_block(int row, int column) {
  for (int i = row; i < row + BLOCK; ++i) {
    for (int j = column; j < column + BLOCK; ++j) to[j][i] = from[i][j];
  }
}

int main(int argc, char** argv) {
  const int by_rows = argc < 2 || strcmp(argv[1], "rows") == 0;
  struct timespec start, end;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) from[i][j] = (float)(i - 2 * j);
  }
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int pass = 0; pass < passes; ++pass) {
    for (int a = 0; a < n; a += BLOCK) {
      for (int b = 0; b < n; b += BLOCK) transpose_block(by_rows ? a : b, by_rows ? b : a);
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  int errors = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) errors += to[j][i] != from[i][j];
  }
  printf("time: %.6f ms\nerrors: %d\n",
         1e3 * (double)(end.tv_sec - start.tv_sec) + 1e-6 * (double)(end.tv_nsec - start.tv_nsec), errors);
  return 0;
}
)";

constexpr std::string_view start_readme_program = R"(# @NAME@

A program with tuning parameters. To see their search space and the warnings about these files, run:

    kernelscape space @NAME@.json

| file | what to change |
|---|---|
| `@NAME@.json` | the parameters and their values, the files of your program, the commands that build, run and check it, and how its result is read |
| `@NAME@.c` | the program: replace it by yours, and list its files or its folder in `Files` |

This command runs nothing.
`"Comment"` may stand in every object of the JSON. All other members are described in the manual under "Programs".
)";

constexpr std::array<StartingPoint, 4> starting_points{
    {{"c", "c", start_project_c, start_kernel_c, "C"},
     {"c++", "cpp", start_project_c, start_kernel_cpp, "C++", "kernels::scale_and_add<float, {UNROLL}>"},
     {"opencl", "cl", start_project_gpu, start_kernel_opencl, "OpenCL"},
     {"cuda", "cu", start_project_gpu, start_kernel_cuda, "CUDA"}}};

bool is_file_name(std::string_view name) {
  constexpr std::size_t max_letters = 64;
  return !name.empty() && name.size() <= max_letters && name.front() != '-' &&
         std::ranges::all_of(name, [](char letter) {
           return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-';
         });
}

std::string filled_in(std::string_view text, std::string_view name, const StartingPoint& start) {
  std::string made(text);
  const std::array<std::pair<std::string_view, std::string_view>, 4> words{{{"@NAME@", name},
                                                                            {"@ENDING@", start.ending},
                                                                            {"@LANGUAGE@", start.t1_language},
                                                                            {"@KERNEL@", start.kernel_name}}};
  for (const auto& [mark, word] : words) {
    for (std::size_t at = made.find(mark); at != std::string::npos; at = made.find(mark, at + word.size()))
      made.replace(at, mark.size(), word);
  }
  return made;
}

}  // namespace

Result<std::vector<NewProjectFile>> new_project(std::string_view name, std::string_view language) {
  if (!is_file_name(name) || name == "reference")
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is not a valid name for a new kernel", base::quoted_line(name)),
                "use up to 64 letters, digits, _ and -, not - first; \"reference\" is taken");
  const std::string stem(name);
  if (language == "program") {
    const StartingPoint program{"program", "c", start_project_program, start_source_program, "Program"};
    return std::vector<NewProjectFile>{{stem + ".json", filled_in(program.project, name, program)},
                                       {stem + ".c", filled_in(program.kernel, name, program)},
                                       {"README.md", filled_in(start_readme_program, name, program)}};
  }
  const auto start = std::ranges::find(starting_points, language, &StartingPoint::language);
  if (start == starting_points.end())
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is not a language of kernels", base::quoted_line(language)),
                "c, c++, opencl, cuda or program");
  return std::vector<NewProjectFile>{
      {stem + ".json", filled_in(start->project, name, *start)},
      {fmt::format("{}.{}", stem, start->ending), filled_in(start->kernel, name, *start)},
      {"reference.c", std::string(start_reference)},
      {"README.md", filled_in(start_readme, name, *start)}};
}

}  // namespace kernelscape::project
