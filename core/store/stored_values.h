#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/store/owner.h"
#include "core/store/records.h"
#include "core/store/sqlite.h"
#include "core/trial/field_table.h"
#include "core/trial/measure_options.h"

namespace kernelscape::store {

/** Returns the current time: "2026-01-02T03:04:05Z". */
std::string stored_time();

/** A value read from a row, or the reason why the row is invalid: "its state is none that there is". */
template <typename T>
using Sound = std::expected<T, std::string_view>;

/** Returns true if an integer of the database fits `Number`, is not negative, and is at most `most`. */
template <typename Number>
bool plausible_count(std::int64_t value, std::int64_t most = std::numeric_limits<Number>::max()) {
  return value >= 0 && value <= most;
}
/** The reason for rejecting rows whose content exceeds sqlite::HeldContent. */
constexpr std::string_view shares_content = "rows share content that each should have separately";
/**
 * Maximum size of the samples of a trial. A longer blob cannot be a trial's and is not read: otherwise a
 * foreign database could determine how much memory is allocated.
 */
constexpr std::int64_t max_sample_bytes = std::int64_t{trial::max_repeats} * std::int64_t{sizeof(double)};
/** Returns true if stored_time() could have written the text. */
bool plausible_time(std::string_view text);

// Common parts of sessions and studies, read from columns that begin at `first_column`.

/** Reads the columns owner_process_id, owner_boot_id and owner_process_start. */
std::optional<Owner> owner_from_row(const sqlite::Query& row, int first_column);
/** Reads the columns tags, note and trashed. */
SessionAnnotation annotation_from_row(const sqlite::Query& row, int first_column);

/**
 * Returns the tags in the format of the tables: one per line. Returns InvalidArgument if a tag is empty or
 * has more than one line.
 */
Result<std::string> tags_to_text(std::span<const std::string> tags);

/** Binds three parameters. */
void bind_owner(sqlite::Query& query, const std::optional<Owner>& owner);

/** Returns Refused if a living process is the owner. @param thing "session 5". @param what "deleted" */
Status refuse_living_owner(const std::optional<Owner>& owner, std::string_view thing, std::string_view what);
/**
 * Returns Refused unless `owner` is the current owner: for operations that only the owner may perform. @param
 * thing "session 5"
 */
Status refuse_other_owner(const std::optional<Owner>& current, const Owner& owner, std::string_view thing);

/** Describes how rows of a table are found by id or name. */
struct NamedTable {
  std::string_view one;           ///< "session"
  std::string_view many;          ///< "sessions"
  std::string_view count_of_id;   ///< SQL: 1 if the id may be used to find the row
  std::string_view select_names;  ///< SQL: id, name, created_utc, newest first
  std::string_view empty_hint;
  std::string_view list_command;  ///< "kernelscape sessions"
};
/**
 * Finds a row by id or name. A number is an id if a row has this id, else a name. NotFound suggests the most
 * similar names, or lists the existing rows; InvalidArgument lists the ids if several rows have the name.
 */
Result<std::int64_t> find_by_id_or_name(sqlite::Database& database, const NamedTable& table,
                                        std::string_view id_or_name);

}  // namespace kernelscape::store
