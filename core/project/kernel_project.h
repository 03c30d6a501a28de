#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/dialect.h"
#include "core/codegen/kernel_source.h"
#include "core/project/program_data.h"
#include "core/project/project_space.h"
#include "core/project/python_expression.h"

namespace kernelscape {

/** How T1's GlobalSize is meant. */
enum class GlobalSizeMeaning : std::uint8_t {
  Threads,  ///< OpenCL: all threads
  Blocks    ///< CUDA: blocks of the grid
};

/** How a kernel is launched: expressions over parameters and ProblemSize. */
struct ProjectLaunch {
  GlobalSizeMeaning meaning = GlobalSizeMeaning::Blocks;
  std::array<PythonExpression, 3> global;
  std::array<PythonExpression, 3> local;
  /** GridDivX, Y, Z: where an axis has some, its blocks are `global` divided by their product, rounded up,
   * whatever `meaning` says; `global` is ProblemSize's extent then. */
  std::array<std::vector<PythonExpression>, 3> grid_divisors;
  PythonExpression shared_bytes;  ///< CUDA's dynamic shared memory of a block
};

/** A user's own kernel: all that its project file says, with the contents of every file that it names. */
struct KernelProject {
  std::string name;  ///< General.BenchmarkName, else the file's name without its ending
  Dialect dialect = Dialect::C;
  std::string kernel_name;  ///< the function
  std::string source_name;  ///< KernelFile as the project writes it
  std::string source;
  std::vector<IncludedFile> includes;
  std::vector<PythonExpression> flag_values;  ///< what stands in the flags between braces, in order
  std::vector<std::string> flags;             ///< "-O{LEVEL}": braces hold expressions over parameters
  std::vector<ProjectParameter> parameters;
  std::vector<ProjectCondition> conditions;
  std::vector<std::int64_t> problem_size;
  ProjectLaunch launch;
  bool parts = false;                          ///< C: the entry takes (part, parts) first
  std::vector<PythonExpression> local_counts;  ///< elements of each Local argument, in order
  ProgramData data;
  double flops = 0;                    ///< of one run; 0: not known
  double bytes = 0;                    ///< read and written by one run, at least; 0: not known
  std::vector<std::string> notices{};  ///< what its user should hear before a run; not part of the content
  std::optional<Error> obstacle{};  ///< why it can't be run, though its space can be read: check_runnable()
};

/**
 * Reads a project: T1 1.0.0 with what the key "kernelscape" adds. Every file it names is read, those outside
 * its folder only where `outside` allows it. Errors name file, line and member: what T1 allows and this
 * program refuses, what contradicts itself, what is missing.
 */
Result<KernelProject> read_project(const std::filesystem::path& file, bool outside = false);

/**
 * InvalidArgument where a project can't be run, such as a launch that names what is no parameter: its space
 * can be looked at and sessions of it imported, and its notices say the same. Asked before anything is built.
 */
Status check_runnable(const KernelProject& project);

/**
 * The flags of a configuration: what stands between braces is replaced by its value, numbers as Python writes
 * them, truth values as 1 and 0.
 * @param names of the configuration's values, and ProblemSize
 */
Result<std::vector<std::string>> flags_of(const KernelProject& project, const PythonNames& names);

/** Whether the text is a project's (T1), judged by its members. */
bool is_project(std::string_view json);

/** Everything but notices, as one JSON text and back: what a session stores. Files are in it, bytes in
 * base64. */
std::string project_to_json(const KernelProject& project);
/** What project_to_json() wrote. Hostile text: InvalidArgument names the member that is none. */
Result<KernelProject> project_from_json(std::string_view json);

/** SHA-256 over everything that is compiled, run or read: hexadecimal. Notices are not in it. */
std::string content_hash(const KernelProject& project);

/** What differs between two projects, a line each, sources as a difference of lines: for people. */
std::vector<std::string> project_differences(const KernelProject& before, const KernelProject& now);

}  // namespace kernelscape
