#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "core/base/result.h"
#include "core/store/store.h"

namespace kernelscape {

/** --json: one JSON object per line instead of text. */
void add_json_option(CLI::App& command, bool& json);
/** --db FILE; `path` stays empty for the user's database. */
void add_database_option(CLI::App& command, std::string& path);

/** --force: what a file that is written may replace. */
void add_force_option(CLI::App& command, bool& force);

/** --arch: what resolve_target() takes beside a target's name. */
void add_architecture_option(CLI::App& command, std::string& architecture);

/**
 * The database of --db, or the user's: to look at it, unless a command says that it writes. What nobody has
 * written yet is empty where it is the user's; what --db names has to exist.
 */
Result<Store> open_store(const std::string& path, OpenMode mode = OpenMode::ReadOnly);

/**
 * By number or name, as Store::find_session(). The name of a collection is an error that says how to get at
 * its sessions.
 */
Result<SessionId> find_one_session(const Store& store, const std::string& id_or_name);

/** A number from `minimum` to `maximum`; the message names both. */
CLI::Validator in_range(double minimum, double maximum);
/** The same for an option that counts: digits alone, no 0 before others, over the whole range of 64 bits. */
CLI::Validator whole_in_range(std::uint64_t minimum, std::uint64_t maximum);

inline constexpr std::uint64_t largest_seed = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t most_trials = 1'000'000'000'000;

/**
 * Options of a command as the values of others, such as "--db --json", are refused instead of taken for a
 * file's name. To be called once all options of the command are there.
 */
void refuse_options_as_values(CLI::App& command);

}  // namespace kernelscape
