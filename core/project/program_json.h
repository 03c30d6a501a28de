#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/project/program.h"
#include "core/project/text.h"

namespace kernelscape::project {

/** Where the JSON of a program stands, for its errors. */
struct ProgramText {
  std::function<std::string(const std::string& path)> name_of;  ///< "blur.json:12: Run.Command"
  ErrorCode code = ErrorCode::InvalidArgument;
  std::vector<std::string> names;  ///< that expressions may use
};

/** Reads Build, Run, Check, Objective, Metrics and Allow. The JSON is untrusted. */
Result<Program> program_from_json(const JsonPlace& place, const ProgramText& text);
/** Returns the members that program_from_json() reads. */
space::Json program_json(const Program& program);

/**
 * Returns true if a name can stand for a file below a folder: a relative path without "..", quotes,
 * backslashes and control characters.
 */
bool is_name_within_folder(const std::string& name);

}  // namespace kernelscape::project
