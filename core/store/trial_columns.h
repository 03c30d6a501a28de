#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/store/row_bytes.h"
#include "core/store/sqlite.h"
#include "core/store/trials.h"

namespace kernelscape::store {

// How trials are stored in the database: SQL, checks and checksums, all derived from the fields of a trial
// (core/trial/fields.h). Trials of the CPU are stored and read without the columns of GPU kernels,
// which are NULL for them. The addresses of the SQL texts are stable.

/** Returns the SQL for insert_trial(). */
const std::string& insert_trial_sql(bool of_gpu);
/**
 * Returns the SQL that selects rows of a session for read_row(): a number of rows from an arrival position
 * on; -1: all rows.
 */
const std::string& select_rows_sql(bool of_gpu);
/**
 * Returns the SQL that selects the trials of a session in a range of numbers for read_trial(). The last
 * parameter is max_sample_bytes.
 */
const std::string& select_trials_sql();

/** The values of a trial's row that are not part of the trial. */
struct TrialKeys {
  SessionId session = 0;
  std::int64_t id = 0;                   ///< of the row
  std::int64_t message = 0;              ///< id of the message text; 0: none
  std::int64_t build_log = 0;            ///< id of the build log text; 0: none
  std::uint16_t worker = 0;              ///< number of the worker within the session, from 1; 0: none
  std::span<const double> metrics = {};  ///< by place, see StoredMetrics; empty: none
};
/** Executes `insert`, a query of insert_trial_sql(of_gpu). @param bytes working memory */
Status insert_trial(sqlite::Query& insert, bool of_gpu, RowBytes& bytes, const trial::Trial& trial,
                    const TrialKeys& keys);

/**
 * Reads a row of select_rows_sql(of_gpu). Returns false if the row holds invalid values or values that do not
 * match its checksum. @param has_checksums each row of the session has a checksum. @param bytes working
 * memory
 */
bool read_row(const sqlite::Query& query, bool of_gpu, bool has_checksums, RowBytes& bytes, ArrivedRow& row);
/** A row of select_trials_sql(). */
struct ReadTrial {
  trial::Trial trial;           ///< without its worker's name and without metrics
  std::uint16_t worker = 0;     ///< number of the worker within the session, from 1; 0: none
  std::vector<double> metrics;  ///< by place, see StoredMetrics
};
/**
 * Reads a row of select_trials_sql(). Returns nullopt if the row holds invalid values or values that do not
 * match its checksum.
 */
std::optional<ReadTrial> read_trial(const sqlite::Query& row, bool has_checksums, RowBytes& bytes);
/**
 * Returns the number of bytes that a row of select_trials_sql() adds to sqlite::HeldContent. Trials share
 * messages and logs of a few KiB: only much longer texts count.
 */
std::int64_t held_bytes(const sqlite::Query& row);

}  // namespace kernelscape::store
