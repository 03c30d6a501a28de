#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/store/sqlite.h"

namespace kernelscape::store {

/** "Ksc1" in the file's header: distinguishes databases of this program from those of other programs. */
constexpr std::int32_t application_id = 0x4b736331;

/**
 * Returns the statements that migrate the schema. The statements at index i lead from schema version i to i +
 * 1; the number of entries is the current version. A released migration is never changed: append a new
 * migration to change the schema.
 */
std::span<const std::string_view> schema_migrations();

/**
 * Migrates the database to the last of `migrations` in one transaction and removes statistics that another
 * tool left. Returns Refused for the database of another program, for a newer schema, and for indices on
 * expressions. Returns Corrupt if tables have computed columns, which this program never creates, or lack the
 * keys and indices of their version. Tables whose definition differs from this program's lose their checks in
 * this connection. @param may_write false: an older schema is refused as well
 */
Status migrate(sqlite::Database& database, std::span<const std::string_view> migrations, bool may_write);

/**
 * Returns true if migrate() would change the database because its schema is older than the last of
 * `migrations` or because it has statistics. Errors: the cases that migrate() refuses, and an empty file.
 */
Result<bool> needs_migration(sqlite::Database& database, std::span<const std::string_view> migrations);

}  // namespace kernelscape::store
