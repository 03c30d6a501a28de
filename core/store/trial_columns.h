#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/store/row_bytes.h"
#include "core/store/sqlite.h"
#include "core/store/store.h"

namespace kernelscape {

// How trials stand in the database: which columns are read, what they can hold, and their checksums.

/** What rows of a trial table are made of, as it is stored. */
struct RowColumns {
  std::int64_t number = 0;
  std::int64_t batch = 0;
  std::int64_t position = 0;
  std::int64_t category = 0;
  std::int64_t cut_short = 0;
  std::int64_t samples = 0;  ///< how many
  std::int64_t message = 0;  ///< 0: none
  std::int64_t samples_saved = 0;
  double median_seconds = 0;  ///< or the recorded one
  double first_quartile_seconds = 0;
  double third_quartile_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;
  double finished_seconds = 0;
  std::string_view configuration;  ///< its blob, valid as long as the row
};

/**
 * In the lower half that of the columns of all trials, in the upper one that of GPU kernels: 0 where there is
 * none of these. @param build_log id of its text; 0: none
 */
std::int64_t row_checksum(RowBytes& bytes, const RowColumns& row,
                          const std::optional<KernelResources>& resources, std::int64_t build_log);
/** Of what a whole trial has beside its row. */
std::int64_t samples_checksum(RowBytes& bytes, const Measurement& measurement);

extern const std::string_view select_rows_sql;      ///< of a session from an arrival on, for read_row()
extern const std::string_view select_gpu_rows_sql;  ///< the same with what GPU kernels alone have
/** Of a session from a number to another, for read_trial(); at last most_sample_bytes. */
extern const std::string_view select_trials_sql;

/**
 * A row of select_rows_sql or, `of_gpu`, of select_gpu_rows_sql; false where it holds what cannot be, or not
 * what was stored. @param has_checksums each row of the session has. @param bytes memory to work in
 */
bool read_row(const sqlite::Query& query, bool of_gpu, bool has_checksums, RowBytes& bytes,
              Store::ArrivedRow& row);
/** A row of select_trials_sql; nothing where it holds what cannot be, or not what was stored. */
std::optional<Trial> read_trial(const sqlite::Query& row, bool has_checksums, RowBytes& bytes);
/**
 * What a row of select_trials_sql holds for sqlite::HeldContent. Trials share messages and logs, whose texts
 * have few KiB each: only what is far longer counts.
 */
std::int64_t held_bytes(const sqlite::Query& row);

}  // namespace kernelscape
