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
#include "core/project/program.h"
#include "core/project/program_data.h"
#include "core/project/python_expression.h"
#include "core/project/space.h"

namespace kernelscape::project {

/** The meaning of T1's GlobalSize. */
enum class GlobalSizeMeaning : std::uint8_t {
  Threads,  ///< OpenCL: total number of threads
  Blocks    ///< CUDA: number of blocks of the grid
};

/** The launch of a kernel: expressions over parameters and ProblemSize. */
struct Launch {
  GlobalSizeMeaning meaning = GlobalSizeMeaning::Blocks;
  std::array<PythonExpression, 3> global;
  std::array<PythonExpression, 3> local;
  /**
   * GridDivX, Y, Z. If an axis has divisors, its number of blocks is `global` divided by their product,
   * rounded up, whatever the value of `meaning`; `global` is then ProblemSize's extent.
   */
  std::array<std::vector<PythonExpression>, 3> grid_divisors;
  PythonExpression shared_bytes;  ///< CUDA's dynamic shared memory per block
};

/**
 * A user's own kernel or program: the contents of its project file and of every file that it names. A program
 * has no kernel, source, launch and arguments; its files are `includes`.
 */
struct KernelProject {
  std::string name;  ///< General.BenchmarkName, else the file's name without its suffix
  codegen::Dialect dialect = codegen::Dialect::C;
  std::string kernel_name;  ///< the kernel function
  std::string source_name;  ///< KernelFile as written in the project
  std::string source;
  std::vector<codegen::IncludedFile> includes;
  std::vector<PythonExpression> flag_values;  ///< expressions between braces in the flags, in order
  std::vector<std::string> flags;             ///< "-O{LEVEL}": braces hold expressions over parameters
  std::vector<Parameter> parameters;
  std::vector<Condition> conditions;
  std::vector<std::int64_t> problem_size;
  Launch launch;
  bool parts = false;                          ///< C: the first parameters of the entry are (part, parts)
  std::vector<PythonExpression> local_counts;  ///< number of elements of each Local argument, in order
  ProgramData data;
  double flops = 0;                    ///< FLOPs of one run; 0: unknown
  double bytes = 0;                    ///< minimum bytes read and written by one run; 0: unknown
  std::vector<std::string> notices{};  ///< notices for the user before a run; not part of the content
  std::optional<Error> obstacle{};  ///< why it can't be run, although its space can be read: check_runnable()
  std::optional<Program> program{};  ///< nullopt: a kernel
};

/**
 * Reads a project: T1 1.0.0 with the additions under the key "kernelscape". Every file that it names is read;
 * files outside its folder are read only if `outside` is true. Errors name file, line and member, for T1
 * features that are not supported, contradictions, and missing parts.
 */
Result<KernelProject> read_project(const std::filesystem::path& file, bool outside = false);

/**
 * Returns InvalidArgument if a project can't be run, for example because its launch names an unknown
 * parameter. The space of such a project can still be viewed and its sessions imported, and its notices
 * report the same problem. Call it before anything is built.
 */
Status check_runnable(const KernelProject& project);

/**
 * Returns the flags of a configuration: expressions between braces are replaced by their values, with numbers
 * as Python writes them, and truth values as 1 and 0.
 * @param names the values of the configuration, and ProblemSize
 */
Result<std::vector<std::string>> flags_of(const KernelProject& project, const PythonNames& names);

/** Returns true if the text is a project (T1), judged by its members. */
bool is_project(std::string_view json);

/**
 * Returns everything except notices as one JSON text, which sessions store. It contains the files, with bytes
 * in base64.
 */
std::string project_to_json(const KernelProject& project);
/** Reads the text of project_to_json(). The text is untrusted: InvalidArgument names an invalid member. */
Result<KernelProject> project_from_json(std::string_view json);

/**
 * Returns the SHA-256, in hexadecimal, over everything that is compiled, run or read. Notices are not
 * included.
 */
std::string content_hash(const KernelProject& project);

/** Returns the differences between two projects for display, one line each; sources as a line diff. */
std::vector<std::string> project_differences(const KernelProject& before, const KernelProject& now);

}  // namespace kernelscape::project
