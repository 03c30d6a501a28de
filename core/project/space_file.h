#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"

namespace kernelscape::project {

/** The search space of a program that measures its configurations itself. */
struct SpaceFile {
  std::string name;  ///< General.BenchmarkName, else the file's name without its suffix
  space::SearchSpace space;
  double flops = 0;                    ///< FLOPs of one run; 0: unknown
  double bytes = 0;                    ///< minimum bytes read and written by one run; 0: unknown
  std::vector<std::string> notices{};  ///< notices for the user before a run
};

/**
 * Reads the space of a T1 file: TuningParameters, Conditions and ProblemSize as in a project, and the
 * additions FLOPs, Bytes and Members, which lists all feasible configurations as lists of values in the order
 * of the parameters. Members of the file that describe a kernel are ignored. Errors name file, line and
 * member.
 */
Result<SpaceFile> read_space_file(const std::filesystem::path& file);

}  // namespace kernelscape::project
