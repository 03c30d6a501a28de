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

namespace kernelscape {
namespace {

/** Without what tools may change of a definition that stays the same: spaces and quotes. */
std::string bare_definition(std::string_view sql) {
  std::string bare;
  for (const char letter : sql)
    if (!std::isspace(static_cast<unsigned char>(letter)) && letter != '"') bare += letter;
  return bare;
}

/** By which a table can be searched: its primary key and its indices, in words; by table. */
using Keys = std::map<std::string, std::set<std::string>>;

/** What the versions of a schema of ours consist of. */
struct KnownSchema {
  std::set<std::string> definitions{};  ///< of tables, bare
  std::set<std::string> entries{};      ///< of sqlite_schema, as they are
  std::vector<Keys> keys{};             ///< of version i + 1 at i
};

constexpr std::string_view select_definitions =
    "SELECT sql FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'";

/** Of what SQLite adds by itself the text is NULL. */
constexpr std::string_view select_entries =
    "SELECT type || char(0) || name || char(0) || tbl_name || char(0) || coalesce(sql, '') "
    "FROM sqlite_schema";

using KeyVisitor = std::function<void(const std::string& key)>;

/** A search by a column of another type or order of texts would not use the key. */
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
  // Of which rows a partial one is.
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

/** Of the versions before one that cannot be made. */
Result<KnownSchema> make_known_schema(std::span<const std::string_view> migrations) {
  auto database = TRY(sqlite::Database::open_in_memory("the known schemas"));
  KnownSchema known;
  for (const std::string_view migration : migrations) {
    if (!database.execute(std::string(migration))) break;
    TRY(add_version(database, known));
  }
  return known;
}

/** The released ones are made once. */
const KnownSchema& known_schema(std::span<const std::string_view> migrations,
                                std::optional<KnownSchema>& others) {
  static const KnownSchema ours = make_known_schema(schema_migrations()).value_or(KnownSchema());
  if (migrations.data() == schema_migrations().data()) return ours;
  return others.emplace(make_known_schema(migrations).value_or(KnownSchema()));
}

/**
 * SQLite computes the checks of a table for each row that is written, which forged ones could let take all
 * memory. A table that another tool has defined anew may well be sound: it is used, without any checks.
 */
Status ignore_foreign_checks(sqlite::Database& database, const KnownSchema& known) {
  bool all_known = true;
  sqlite::Query definitions = database.query(select_definitions);
  while (definitions.next())
    all_known = all_known && known.definitions.contains(bare_definition(definitions.text(0)));
  TRY(definitions.status());
  return all_known ? Status() : database.execute("PRAGMA ignore_check_constraints = ON");
}

/** Without them, what is one step for each row of ours would be a walk through a whole table. */
Status check_keys(sqlite::Database& database, const Keys& known) {
  for (const auto& [table, keys] : known) {
    std::set<std::string> missing = keys;
    TRY(visit_keys(database, table, [&](const std::string& key) { missing.erase(key); }));
    if (missing.empty()) continue;
    return std::unexpected(sqlite::make_error(
        SQLITE_CORRUPT, fmt::format("its table {} lacks a key or an index that it was made with", table),
        database.subject()));
  }
  return {};
}

/** Letter by letter, also the spaces and quotes: tools that print the schema print what we wrote. */
Status note_own_schema(sqlite::Database& database, const KnownSchema& known) {
  bool all_known = true;
  sqlite::Query entries = database.query(select_entries);
  while (entries.next()) all_known = all_known && known.entries.contains(entries.text(0));
  TRY(entries.status());
  if (all_known) database.note_own_schema();
  return {};
}

/**
 * A forged table may be a program of SQLite's (a virtual one), or compute its columns or what stands in them
 * where nothing was said. No version of ours had such.
 */
Status check_tables(sqlite::Database& database) {
  const auto virtual_tables = TRY(database.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND coalesce(rootpage, 0) = 0"));
  // Asked for its columns a virtual table would begin to run.
  const auto computed =
      virtual_tables > 0
          ? 0
          : TRY(database.integer(
                "SELECT count(*) FROM sqlite_schema AS object, pragma_table_xinfo(object.name) AS described "
                "WHERE object.type = 'table' AND "
                "(described.hidden <> 0 OR instr(coalesce(described.dflt_value, ''), '(') > 0)"));
  if (virtual_tables == 0 && computed == 0) return {};
  return std::unexpected(
      sqlite::make_error(SQLITE_CORRUPT, "it has tables that compute what they hold", database.subject()));
}

/** Indices that a user added help or do no harm as long as they are of columns: one list in parentheses. */
Status check_indices(sqlite::Database& database) {
  const auto computed =
      TRY(database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND "
                           "length(sql) - length(replace(sql, '(', '')) > 1"));
  if (computed == 0) return {};
  return fail(ErrorCode::Refused,
              fmt::format("the database {} has an index that computes what it holds, which Kernelscape makes "
                          "none of",
                          database.path().string()),
              "drop the indices that were added to it, or name another database with --db");
}

/** SQLite takes 'Table' for 'table', and the questions below would not. */
Status check_types(sqlite::Database& database) {
  const auto strange =
      TRY(database.integer("SELECT count(*) FROM sqlite_schema WHERE type IS NULL OR type NOT IN ('table', "
                           "'index', 'view', 'trigger')"));
  if (strange == 0) return {};
  return std::unexpected(
      sqlite::make_error(SQLITE_CORRUPT, "its schema has something of no known type", database.subject()));
}

/** What ANALYZE leaves: how many rows there are, which decides how a question is answered. */
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

Status check_schema(sqlite::Database& database, std::span<const std::string_view> migrations,
                    std::int64_t version) {
  std::optional<KnownSchema> others;
  const KnownSchema& known = known_schema(migrations, others);
  TRY(check_types(database));
  TRY(check_tables(database));
  TRY(check_indices(database));
  // A version that cannot be made has no keys.
  const auto made_versions = static_cast<std::size_t>(version);
  if (version > 0 && made_versions <= known.keys.size())
    TRY(check_keys(database, known.keys[made_versions - 1]));
  TRY(ignore_foreign_checks(database, known));
  return note_own_schema(database, known);
}

}  // namespace kernelscape
