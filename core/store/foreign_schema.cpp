#include "core/store/foreign_schema.h"

#include <fmt/format.h>

#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/store/schema.h"

namespace kernelscape::store {
namespace {

/**
 * Returns a definition without the parts that tools may change without changing its meaning: spaces and
 * quotes.
 */
std::string bare_definition(std::string_view sql) {
  std::string bare;
  for (const char letter : sql)
    if (!std::isspace(static_cast<unsigned char>(letter)) && letter != '"') bare += letter;
  return bare;
}

/** The keys by which a table can be searched, its primary key and its indices, as texts; by table. */
using Keys = std::map<std::string, std::set<std::string>>;

/** The parts of all schema versions of this program. */
struct KnownSchema {
  std::set<std::string> definitions{};  ///< definitions of tables, without spaces and quotes
  std::set<std::string> entries{};      ///< unchanged entries of sqlite_schema
  std::vector<Keys> keys{};             ///< entry i belongs to version i + 1
};

constexpr std::string_view select_definitions =
    "SELECT sql FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'";

/** The text of an entry that SQLite adds automatically is NULL. */
constexpr std::string_view select_entries =
    "SELECT type || char(0) || name || char(0) || tbl_name || char(0) || coalesce(sql, '') "
    "FROM sqlite_schema";

using KeyVisitor = std::function<void(const std::string& key)>;

/**
 * Visits the columns of the primary key. A search by a column of another type or another collation would not
 * use the key.
 */
Status visit_primary_key(sqlite::Database& database, const std::string& table, const KeyVisitor& visit) {
  std::string key;
  sqlite::Query columns =
      database.query("SELECT name || ' ' || upper(type) FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk");
  columns.bind(table);
  while (columns.next()) key += columns.text(0) + ", ";
  TRY(columns.status());
  visit(key);
  return {};
}

Result<std::string> columns_of_index(sqlite::Database& database, const std::string& table,
                                     const std::string& index) {
  std::string names;
  sqlite::Query columns = database.query(
      "SELECT part.name || ' ' || upper(described.type) || ' ' || part.coll || ' ' || part.desc "
      "FROM pragma_index_xinfo(?) AS part JOIN pragma_table_info(?) AS described "
      "ON described.name = part.name WHERE part.key = 1 ORDER BY part.seqno");
  columns.bind(index).bind(table);
  while (columns.next()) names += columns.text(0) + ", ";
  TRY(columns.status());
  return names;
}

Status visit_indices(sqlite::Database& database, const std::string& table, const KeyVisitor& visit) {
  sqlite::Query indices = database.query(
      "SELECT name, iif(\"unique\", 'unique ', '') || iif(partial, 'partial ', '') FROM "
      "pragma_index_list(?)");
  indices.bind(table);
  while (indices.next()) visit(indices.text(1) + TRY(columns_of_index(database, table, indices.text(0))));
  TRY(indices.status());
  // The condition of a partial index.
  sqlite::Query made = database.query("SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?");
  made.bind(table);
  while (made.next())
    if (!made.is_null(0)) visit(bare_definition(made.text(0)));
  return made.status();
}

Status visit_keys(sqlite::Database& database, const std::string& table, const KeyVisitor& visit) {
  TRY(visit_primary_key(database, table, visit));
  return visit_indices(database, table, visit);
}

Result<Keys> keys_of_all_tables(sqlite::Database& database) {
  Keys keys;
  sqlite::Query tables = database.query(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'");
  while (tables.next()) {
    std::set<std::string>& of_table = keys[tables.text(0)];
    TRY(visit_keys(database, tables.text(0), [&](const std::string& key) { of_table.insert(key); }));
  }
  TRY(tables.status());
  return keys;
}

Status add_version(sqlite::Database& database, KnownSchema& known) {
  known.keys.push_back(TRY(keys_of_all_tables(database)));
  sqlite::Query definitions = database.query(select_definitions);
  while (definitions.next()) known.definitions.insert(bare_definition(definitions.text(0)));
  TRY(definitions.status());
  sqlite::Query entries = database.query(select_entries);
  while (entries.next()) known.entries.insert(entries.text(0));
  return entries.status();
}

/** Returns the schema up to the first migration that fails. */
Result<KnownSchema> make_known_schema(std::span<const std::string_view> migrations) {
  auto database = TRY(sqlite::Database::open_in_memory("the known schemas"));
  KnownSchema known;
  for (const std::string_view migration : migrations) {
    if (!database.execute(std::string(migration))) break;
    TRY(add_version(database, known));
  }
  return known;
}

/** Returns the known schema. The schema of the released migrations is computed once. */
const KnownSchema& known_schema(std::span<const std::string_view> migrations,
                                std::optional<KnownSchema>& others) {
  static const KnownSchema ours = make_known_schema(schema_migrations()).value_or(KnownSchema());
  if (migrations.data() == schema_migrations().data()) return ours;
  return others.emplace(make_known_schema(migrations).value_or(KnownSchema()));
}

/**
 * Disables the checks of tables that another tool defined. SQLite evaluates the checks of a table for each
 * row that is written, and forged checks could use up all memory. A table that another tool redefined may be
 * valid: it is used without its checks.
 */
Status ignore_foreign_checks(sqlite::Database& database, const KnownSchema& known) {
  bool all_known = true;
  sqlite::Query definitions = database.query(select_definitions);
  while (definitions.next())
    all_known = all_known && known.definitions.contains(bare_definition(definitions.text(0)));
  TRY(definitions.status());
  return all_known ? Status() : database.execute("PRAGMA ignore_check_constraints = ON");
}

/**
 * Checks that the keys of the tables exist. Without them, an operation that is one step per row would be a
 * scan of a whole table.
 */
Status check_keys(sqlite::Database& database, const Keys& known) {
  for (const auto& [table, keys] : known) {
    std::set<std::string> missing = keys;
    TRY(visit_keys(database, table, [&](const std::string& key) { missing.erase(key); }));
    if (missing.empty()) continue;
    return std::unexpected(sqlite::make_error(
        SQLITE_CORRUPT, fmt::format("its table {} lacks a key or an index of its schema version", table),
        database.subject()));
  }
  return {};
}

/**
 * Notes whether the schema equals this program's character by character, including spaces and quotes: tools
 * that print such a schema print only text that this program wrote.
 */
Status note_own_schema(sqlite::Database& database, const KnownSchema& known) {
  bool all_known = true;
  sqlite::Query entries = database.query(select_entries);
  while (entries.next()) all_known = all_known && known.entries.contains(entries.text(0));
  TRY(entries.status());
  if (all_known) database.note_own_schema();
  return {};
}

/**
 * Refuses virtual tables, generated columns and default values that are expressions. A forged table may run
 * code of SQLite (a virtual table), or compute its columns or default values. No version of this program has
 * such tables.
 */
Status check_tables(sqlite::Database& database) {
  const auto virtual_tables = TRY(database.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND coalesce(rootpage, 0) = 0"));
  // Querying the columns of a virtual table would start its code.
  const auto computed =
      virtual_tables > 0
          ? 0
          : TRY(database.integer(
                "SELECT count(*) FROM sqlite_schema AS object, pragma_table_xinfo(object.name) AS described "
                "WHERE object.type = 'table' AND "
                "(described.hidden <> 0 OR instr(coalesce(described.dflt_value, ''), '(') > 0)"));
  if (virtual_tables == 0 && computed == 0) return {};
  return std::unexpected(
      sqlite::make_error(SQLITE_CORRUPT, "it has tables with computed content", database.subject()));
}

/**
 * Checks that indices are on columns: one list in parentheses. Such indices that a user added are harmless or
 * useful.
 */
Status check_indices(sqlite::Database& database) {
  const auto computed =
      TRY(database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND "
                           "length(sql) - length(replace(sql, '(', '')) > 1"));
  if (computed == 0) return {};
  return fail(ErrorCode::Refused,
              fmt::format("the database {} has an index on an expression, which Kernelscape never creates",
                          database.path().string()),
              "drop the indices that were added to it, or name another database with --db");
}

/**
 * Checks the types of schema entries. SQLite accepts 'Table' for 'table', and the following queries would
 * not.
 */
Status check_types(sqlite::Database& database) {
  const auto strange =
      TRY(database.integer("SELECT count(*) FROM sqlite_schema WHERE type IS NULL OR type NOT IN ('table', "
                           "'index', 'view', 'trigger')"));
  if (strange == 0) return {};
  return std::unexpected(
      sqlite::make_error(SQLITE_CORRUPT, "its schema has an entry of unknown type", database.subject()));
}

/** The tables that ANALYZE creates: the numbers of rows in them determine how SQLite plans a query. */
constexpr std::string_view select_statistics =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND lower(substr(name, 1, 11)) = 'sqlite_stat'";

}  // namespace

Result<bool> has_statistics(sqlite::Database& database) {
  sqlite::Query tables = database.query(select_statistics);
  const bool any = tables.next();
  TRY(tables.status());
  return any;
}

Status drop_statistics(sqlite::Database& database) {
  std::vector<std::string> names;
  {
    sqlite::Query tables = database.query(select_statistics);
    while (tables.next()) names.push_back(tables.text(0));
    TRY(tables.status());
  }
  for (const std::string& name : names) TRY(database.execute(fmt::format("DROP TABLE \"{}\"", name)));
  return {};
}

Status check_no_computed_content(sqlite::Database& database) {
  TRY(check_types(database));
  return check_tables(database);
}

Status check_schema(sqlite::Database& database, std::span<const std::string_view> migrations,
                    std::int64_t version) {
  std::optional<KnownSchema> others;
  const KnownSchema& known = known_schema(migrations, others);
  TRY(check_no_computed_content(database));
  TRY(check_indices(database));
  // A version whose migration failed has no keys.
  const auto made_versions = static_cast<std::size_t>(version);
  if (version > 0 && made_versions <= known.keys.size())
    TRY(check_keys(database, known.keys[made_versions - 1]));
  TRY(ignore_foreign_checks(database, known));
  return note_own_schema(database, known);
}

}  // namespace kernelscape::store
