#include "core/store/stored_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <ranges>
#include <set>
#include <sstream>

#include "core/base/text.h"
#include "core/base/visible_text.h"

namespace kernelscape::store {
namespace {

/** A row of a table that is searched by id or name. */
struct NamedRow {
  std::int64_t id = 0;
  std::string name;
};

/**
 * Returns a hint that leads from an unknown name to an existing row. @param rows newest first, at least one
 */
std::string way_to_rows(const NamedTable& table, std::string_view wanted, const std::vector<NamedRow>& rows) {
  std::set<std::string> names;
  for (const NamedRow& row : rows)
    if (!row.name.empty()) names.insert(row.name);
  const std::vector<std::string> known(names.begin(), names.end());
  // Numbers with similar digits are not related.
  const bool number = wanted.find_first_not_of("0123456789") == std::string_view::npos;
  if (!number && !base::nearest_names(wanted, known).empty()) return base::suggest(wanted, known);
  constexpr std::size_t max_reported = 8;
  std::vector<std::string> reported;
  for (const NamedRow& row : rows | std::views::take(max_reported))
    reported.push_back(row.name.empty() ? std::to_string(row.id)
                                        : fmt::format("{} ({})", row.id, base::one_line(row.name)));
  return fmt::format("it has {} {}: {}{}; `{}` lists them", rows.size(),
                     rows.size() == 1 ? table.one : table.many, base::join(reported, ", "),
                     rows.size() > max_reported ? ", ..." : "", table.list_command);
}

}  // namespace

std::string stored_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

bool plausible_time(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  return std::ranges::equal(text, form, [](char letter, char wanted) {
    return wanted == '0' ? letter >= '0' && letter <= '9' : letter == wanted;
  });
}

std::optional<Owner> owner_from_row(const sqlite::Query& row, int first_column) {
  if (row.is_null(first_column)) return std::nullopt;
  return Owner{row.integer(first_column), row.text(first_column + 1), row.integer(first_column + 2)};
}

SessionAnnotation annotation_from_row(const sqlite::Query& row, int first_column) {
  SessionAnnotation annotation;
  std::istringstream tags(row.text(first_column));
  for (std::string tag; std::getline(tags, tag);) annotation.tags.push_back(tag);
  annotation.note = row.text(first_column + 1);
  annotation.trashed = row.integer(first_column + 2) != 0;
  return annotation;
}

Result<std::string> tags_to_text(std::span<const std::string> tags) {
  std::string lines;
  for (const std::string& tag : tags) {
    if (tag.empty() || tag.contains('\n'))
      return fail(ErrorCode::InvalidArgument, "a tag is empty or has more than one line",
                  "write each tag on one line");
    lines += tag + '\n';
  }
  return lines;
}

void bind_owner(sqlite::Query& query, const std::optional<Owner>& owner) {
  if (owner) {
    query.bind(owner->process_id).bind(owner->boot_id).bind(owner->process_start);
  } else {
    query.bind_null().bind_null().bind_null();
  }
}

Status refuse_living_owner(const std::optional<Owner>& owner, std::string_view thing, std::string_view what) {
  if (!owner || !owner->alive()) return {};
  return fail(ErrorCode::Refused,
              fmt::format("{} cannot be {}: process {} runs it", thing, what, owner->process_id),
              fmt::format("wait for it, or end it: kill -INT {}", owner->process_id));
}

Status refuse_other_owner(const std::optional<Owner>& current, const Owner& owner, std::string_view thing) {
  if (current == owner) return {};
  return fail(ErrorCode::Refused,
              fmt::format("{} cannot be released by process {}: the process does not own it any more", thing,
                          owner.process_id),
              "another process owns it now");
}

Result<std::int64_t> find_by_id_or_name(sqlite::Database& database, const NamedTable& table,
                                        std::string_view id_or_name) {
  // An unset variable of a script must not match the sessions without a name.
  if (id_or_name.empty())
    return fail(ErrorCode::InvalidArgument, fmt::format("an empty name matches no {}", table.one),
                "give its id");
  std::int64_t id = 0;
  const char* end = id_or_name.data() + id_or_name.size();
  const auto [parsed_end, error] = std::from_chars(id_or_name.data(), end, id);
  if (error == std::errc() && parsed_end == end) {
    sqlite::Query by_id = database.query(table.count_of_id);
    if (by_id.bind(id).next()) return id;
    TRY(by_id.status());
  }

  std::vector<std::int64_t> matches;
  std::vector<std::string> descriptions;
  std::vector<NamedRow> rows;
  sqlite::Query query = database.query(table.select_names);
  sqlite::HeldContent held(database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(sqlite::make_error(SQLITE_CORRUPT, shares_content, database.subject()));
    const std::string name = query.text(1);
    if (name == id_or_name) {
      matches.push_back(query.integer(0));
      descriptions.push_back(fmt::format("{} ({})", matches.back(), query.text(2)));
    }
    rows.push_back({query.integer(0), name});
  }
  TRY(query.status());
  if (matches.size() == 1) return matches.front();
  if (matches.size() > 1) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} {} are named '{}'", matches.size(), table.many, id_or_name),
                fmt::format("give the id of one of them: {}", base::join(descriptions, ", ")));
  }
  return fail(ErrorCode::NotFound,
              fmt::format("the database {} has no {} '{}'", database.path().string(), table.one, id_or_name),
              rows.empty() ? std::string(table.empty_hint) : way_to_rows(table, id_or_name, rows));
}

}  // namespace kernelscape::store
