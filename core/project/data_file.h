#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/project/program_data.h"

namespace kernelscape::project {

/**
 * Returns the reference to a data file.
 * @param path the file's canonical path
 * @param contents what was read from the file
 */
DataFile refer_to_file(const std::filesystem::path& path, std::string_view contents);

/**
 * Reads the contents of a data file. Errors: NotFound if the file is missing, Refused if its contents are
 * others than those that were referred to.
 */
Result<std::string> read_data_file(const DataFile& file);

/** Returns true if contents of arguments or of the reference are in data files. */
bool has_data_files(const ProgramData& data);

/**
 * Returns the arguments with their contents, which are read from data files where necessary. Errors are those
 * of read_data_file(), and Environment if there is not enough memory.
 */
Result<std::vector<ProgramArgument>> loaded_arguments(const ProgramData& data);

/** Returns the contents of the reference, as loaded_arguments() returns those of the arguments. */
Result<std::vector<std::string>> loaded_answer(const ProgramData& data);

}  // namespace kernelscape::project
