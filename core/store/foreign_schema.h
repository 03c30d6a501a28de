#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/store/sqlite.h"

namespace kernelscape::store {

/**
 * Rejects a schema with virtual tables, generated columns or default values that are expressions: reading
 * such tables could run computations in this program. For databases of other programs that are only read.
 */
Status check_no_computed_content(sqlite::Database& database);

/**
 * Rejects or disables those parts of a foreign schema that could run computations in this program: see
 * migrate(). Notes in `database` whether its whole schema was created by this program. @param migrations the
 * migrations of schema.h. @param version the schema version of the file: the number of migrations that led to
 * it
 */
Status check_schema(sqlite::Database& database, std::span<const std::string_view> migrations,
                    std::int64_t version);

/**
 * Returns true if the database has the statistics tables that SQLite uses to plan queries. This program
 * creates none; forged statistics would make SQLite scan whole tables.
 */
Result<bool> has_statistics(sqlite::Database& database);
/**
 * Removes the statistics tables from the file. The connection forgets the statistics after `PRAGMA
 * writable_schema = RESET`.
 */
Status drop_statistics(sqlite::Database& database);

}  // namespace kernelscape::store
