#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/base/result.h"
#include "core/measure/cpu_target.h"
#include "core/schedule/target.h"
#include "core/store/store.h"

namespace kernelscape {

void add_json_option(CLI::App& command, bool& json);
void add_database_option(CLI::App& command, std::string& path);

/** The database of --db, or the user's. */
Result<Store> open_store(const std::string& path, OpenMode mode = OpenMode::ReadWrite);

/** A number from `minimum` to `maximum`; the message names both. */
CLI::Validator in_range(double minimum, double maximum);

/** "cpu": this machine; "cuda": a device as the papers assume it, which needs no GPU. */
Result<TargetDescription> resolve_target(const std::string& name, CompilerNeed need);

}  // namespace kernelscape
