#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/store/sqlite.h"

namespace kernelscape {

/**
 * What a stranger's schema could have computed here is refused, or left out: see migrate(). Notes in
 * `database` whether all of its schema is ours.
 * @param migrations those of schema.h. @param version the file's: how many of them led to it
 */
Status check_schema(sqlite::Database& database, std::span<const std::string_view> migrations,
                    std::int64_t version);

/**
 * Whether it has what SQLite knows of tables to plan with. This program makes none; forged ones would make it
 * walk through whole tables.
 */
Result<bool> has_statistics(sqlite::Database& database);
/** Takes them out of the file. The connection forgets them with `PRAGMA writable_schema = RESET`. */
Status drop_statistics(sqlite::Database& database);

}  // namespace kernelscape
