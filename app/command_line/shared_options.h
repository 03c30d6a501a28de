#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "core/base/result.h"
#include "core/store/store.h"

namespace kernelscape::command_line {

/** Adds --json: one JSON object per line instead of text. */
void add_json_option(CLI::App& command, bool& json);
/** Adds --db FILE; `path` stays empty for the default database. */
void add_database_option(CLI::App& command, std::string& path);

/** Adds --force: a written file may replace an existing one. */
void add_force_option(CLI::App& command, bool& force);

/** Adds --outside-files: a project may name files outside its folder. */
void add_outside_files_option(CLI::App& command, bool& outside_files);

/** Adds --arch, the architecture for resolve_target(). */
void add_architecture_option(CLI::App& command, std::string& architecture);

/**
 * Opens the database of --db, or the default database, read-only unless `mode` says otherwise. A default
 * database that does not exist yet is empty; a database named with --db must exist.
 */
Result<store::Store> open_store(const std::string& path, store::OpenMode mode = store::OpenMode::ReadOnly);

/**
 * Finds a session by number or name, as Sessions::find(). The name of a collection is an error that says
 * how to name its sessions.
 */
Result<store::SessionId> find_one_session(const store::Store& store, const std::string& id_or_name);

/** Accepts a number from `minimum` to `maximum`; the error message names both. */
CLI::Validator in_range(double minimum, double maximum);
/** Accepts a whole number in a range of 64 bits: digits only, without leading zeros. */
CLI::Validator whole_in_range(std::uint64_t minimum, std::uint64_t maximum);

inline constexpr std::uint64_t largest_seed = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t max_trials = 1'000'000'000'000;

/**
 * Refuses options of a command as values of other options, such as "--db --json", instead of taking them for
 * a file name. Call it after all options of the command are added.
 */
void refuse_options_as_values(CLI::App& command);

}  // namespace kernelscape::command_line
