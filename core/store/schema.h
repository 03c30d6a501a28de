#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/store/sqlite.h"

namespace kernelscape {

/** "Ksc1" in the file's header: tells our databases from those of other programs. */
constexpr std::int32_t application_id = 0x4b736331;

/**
 * The statements that lead from schema version i to i + 1 stand at index i; their number is the current
 * version. A released one is never changed: a change of the schema is a new migration at the end.
 */
std::span<const std::string_view> schema_migrations();

/**
 * Brings the database to the last of `migrations`, all in one transaction, and takes out the statistics that
 * another tool left. Refuses another program's database, a newer schema, and indices of more than columns;
 * Corrupt where tables compute what they hold, as no program of ours makes them, or lack the keys and indices
 * of their version. Tables that are defined otherwise than ours lose their checks in this connection. With
 * `may_write` false an older schema is refused as well.
 */
Status migrate(sqlite::Database& database, std::span<const std::string_view> migrations, bool may_write);

/**
 * Whether migrate() would change the database: its schema is older than the last of `migrations`, or it has
 * statistics. Errors: what migrate() refuses, and an empty file.
 */
Result<bool> needs_migration(sqlite::Database& database, std::span<const std::string_view> migrations);

}  // namespace kernelscape
