#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/store/sqlite.h"
#include "core/store/store.h"
#include "core/trial/field_table.h"
#include "core/trial/measure_options.h"

namespace kernelscape {

/** "2026-01-02T03:04:05Z": now. */
std::string stored_time();

/** What a row says, or what of it cannot be: "its state is none that there is". */
template <typename T>
using Sound = std::expected<T, std::string_view>;

/** Whether an integer of the database is one of `Number`, not negative, and at most `most`. */
template <typename Number>
bool plausible_count(std::int64_t value, std::int64_t most = std::numeric_limits<Number>::max()) {
  return value >= 0 && value <= most;
}
/** What is wrong with rows for which sqlite::HeldContent finds no room. */
constexpr std::string_view shares_content = "rows share what each should hold by itself";
/**
 * What the samples of a trial take at most. A longer blob is no trial's, and is not read: a stranger's
 * database says how much memory it would be.
 */
constexpr std::int64_t most_sample_bytes = std::int64_t{max_repeats} * std::int64_t{sizeof(double)};
/** Whether stored_time() could have written it. */
bool plausible_time(std::string_view text);

// What sessions and studies have in common, read from columns that begin at `first_column`.

/** Ten columns, from state to vendor_json, of a session. @param checksum_column of its
 * checksum. @param checksum_needed see matches() */
Sound<SessionStatus> status_from_row(const sqlite::Query& row, SessionId id, int first_column,
                                     int checksum_column, bool checksum_needed);
/** Of all that status_from_row() reads. */
std::uint32_t checksum_of(const SessionStatus& status, SessionId id);
/** A process that was killed could not say so: Running becomes Interrupted without a living owner. */
void interrupt_without_owner(SessionStatus& status, const std::optional<Owner>& owner);
/** owner_process_id, owner_boot_id, owner_process_start. */
std::optional<Owner> owner_from_row(const sqlite::Query& row, int first_column);
/** tags, note, trashed. */
SessionAnnotation annotation_from_row(const sqlite::Query& row, int first_column);

/** As the tables keep them: one a line. Errors: one that is empty or has more than one line. */
Result<std::string> tags_to_text(std::span<const std::string> tags);

/** Three parameters. */
void bind_owner(sqlite::Query& query, const std::optional<Owner>& owner);

/** @param thing "session 5". @param what "deleted" */
Status refuse_living_owner(const std::optional<Owner>& owner, std::string_view thing, std::string_view what);
/** Refused unless `owner` is the current one: for what only an owner may do. @param thing "session 5" */
Status refuse_other_owner(const std::optional<Owner>& current, const Owner& owner, std::string_view thing);

/** How sessions and studies are looked up. */
struct NamedTable {
  std::string_view one;           ///< "session"
  std::string_view many;          ///< "sessions"
  std::string_view count_of_id;   ///< SQL: 1 where the id can be named
  std::string_view select_names;  ///< SQL: id, name, created_utc, newest first
  std::string_view empty_hint;
  std::string_view list_command;  ///< "kernelscape sessions"
};
/**
 * A number counts as an id where there is such a row, else as a name. NotFound suggests the nearest names,
 * or says which rows there are; InvalidArgument where several have the name lists their numbers.
 */
Result<std::int64_t> find_by_id_or_name(sqlite::Database& database, const NamedTable& table,
                                        std::string_view id_or_name);

}  // namespace kernelscape
