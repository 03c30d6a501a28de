#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/store/owner.h"
#include "core/store/records.h"
#include "core/store/sqlite.h"
#include "core/store/stored_values.h"

// How the status of a session is stored.
namespace kernelscape::store {

struct Connection;

/**
 * Reads the ten columns from state to vendor_json of a session, which begin at `first_column`. @param
 * checksum_column the column of the checksum. @param checksum_needed see matches()
 */
Sound<SessionStatus> status_from_row(const sqlite::Query& row, SessionId id, int first_column,
                                     int checksum_column, bool checksum_needed);
/** Returns the checksum of all values that status_from_row() reads. */
std::uint32_t checksum_of(const SessionStatus& status, SessionId id);
/**
 * Changes Running to Interrupted if no living process owns the session: a killed process could not store its
 * end.
 */
void interrupt_without_owner(SessionStatus& status, const std::optional<Owner>& owner);
/**
 * Replaces the whole status except the owner, as a part of a transaction that the caller began. Returns
 * NotFound if the session does not exist.
 */
Status write_status(Connection& connection, SessionId id, const SessionStatus& status);

}  // namespace kernelscape::store
