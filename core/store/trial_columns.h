#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/store/row_bytes.h"
#include "core/store/sqlite.h"
#include "core/store/store.h"

namespace kernelscape {

// How trials stand in the database: SQL, checks and checksums, all made from the fields of a trial
// (core/trial/trial_fields.h). Trials of the CPU are stored and read without the columns of GPU kernels,
// which are NULL there. Texts of SQL stay where they are.

/** For insert_trial(). */
const std::string& insert_trial_sql(bool of_gpu);
/** So many rows of a session from an arrival on, all with -1, for read_row(). */
const std::string& select_rows_sql(bool of_gpu);
/** Of a session from a number to another, for read_trial(); at last most_sample_bytes. */
const std::string& select_trials_sql();

/** What a trial's row has beside the trial. */
struct TrialKeys {
  SessionId session = 0;
  std::int64_t id = 0;         ///< of the row
  std::int64_t message = 0;    ///< id of its text; 0: none
  std::int64_t build_log = 0;  ///< the same
  std::uint16_t worker = 0;    ///< its place among the session's; 0: none
};
/** Runs `insert`, of insert_trial_sql(of_gpu). @param bytes memory to work in */
Status insert_trial(sqlite::Query& insert, bool of_gpu, RowBytes& bytes, const Trial& trial,
                    const TrialKeys& keys);

/**
 * A row of select_rows_sql(of_gpu); false where it holds what cannot be, or not what was stored.
 * @param has_checksums each row of the session has. @param bytes memory to work in
 */
bool read_row(const sqlite::Query& query, bool of_gpu, bool has_checksums, RowBytes& bytes,
              Store::ArrivedRow& row);
/** A row of select_trials_sql(). */
struct ReadTrial {
  Trial trial;               ///< without its worker's name
  std::uint16_t worker = 0;  ///< its place among the session's; 0: none
};
/** Nothing where the row holds what cannot be, or not what was stored. */
std::optional<ReadTrial> read_trial(const sqlite::Query& row, bool has_checksums, RowBytes& bytes);
/**
 * What a row of select_trials_sql() holds for sqlite::HeldContent. Trials share messages and logs, whose
 * texts have few KiB each: only what is far longer counts.
 */
std::int64_t held_bytes(const sqlite::Query& row);

}  // namespace kernelscape
