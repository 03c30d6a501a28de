#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/base/result.h"
#include "core/store/store.h"

namespace kernelscape {

/** --json: one JSON object per line instead of text. */
void add_json_option(CLI::App& command, bool& json);
/** --db FILE; `path` stays empty for the user's database. */
void add_database_option(CLI::App& command, std::string& path);

/** --arch: what resolve_target() takes beside a target's name. */
void add_architecture_option(CLI::App& command, std::string& architecture);

/** The database of --db, or the user's. */
Result<Store> open_store(const std::string& path, OpenMode mode = OpenMode::ReadWrite);

/** A number from `minimum` to `maximum`; the message names both. */
CLI::Validator in_range(double minimum, double maximum);

}  // namespace kernelscape
