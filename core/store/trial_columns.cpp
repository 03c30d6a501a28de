#include "core/store/trial_columns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "core/base/random.h"
#include "core/store/blob.h"
#include "core/store/stored_values.h"
#include "core/trial/measure_options.h"

namespace kernelscape {
namespace {

// Columns of the rows below; those of GPU kernels and of whole trials are there only where they are read.
constexpr int message_column = 12;
constexpr int configuration_column = 13;
constexpr int row_checksum_column = 15;
constexpr int first_resource_column = 16;
constexpr int build_log_column = 22;
constexpr int samples_column = 23;
constexpr int preempted_column = 24;
constexpr int worst_error_column = 25;
constexpr int recorded_column = 26;
constexpr int samples_checksum_column = 27;
constexpr int said_column = 28;  ///< with its hash after it, as the log's
constexpr int log_column = 30;

double zero_for_null(const sqlite::Query& row, int column) {
  return row.is_null(column) ? 0 : row.real(column);
}

constexpr std::int64_t most_numbers = std::int64_t{1} << 52;

/** The columns of a row as select_rows_sql has them, checked; nothing where the file holds what cannot be. */
std::optional<RowColumns> read_columns(const sqlite::Query& row) {
  const std::span<const std::byte> blob = row.blob(configuration_column);
  const RowColumns columns{.number = row.integer(0),
                           .batch = row.integer(1),
                           .position = row.integer(2),
                           .category = row.integer(3),
                           .cut_short = row.integer(4),
                           .samples = row.integer(5),
                           .message = row.integer(message_column),
                           .samples_saved = row.integer(14),
                           .median_seconds = zero_for_null(row, 6),
                           .first_quartile_seconds = zero_for_null(row, 7),
                           .third_quartile_seconds = zero_for_null(row, 8),
                           .build_seconds = row.real(9),
                           .run_seconds = row.real(10),
                           .finished_seconds = row.real(11),
                           .configuration = {reinterpret_cast<const char*>(blob.data()), blob.size()}};
  bool sound =
      plausible_count<std::int64_t>(columns.number, most_numbers) &&
      plausible_count<std::int32_t>(columns.batch) && plausible_count<std::int32_t>(columns.position) &&
      plausible_count<std::int64_t>(columns.category, std::int64_t{error_category_count} - 1) &&
      plausible_count<std::int64_t>(columns.samples, max_repeats) &&
      plausible_count<std::int64_t>(columns.message) &&
      plausible_count<std::uint32_t>(columns.samples_saved) && blob.size() % sizeof(std::uint32_t) == 0;
  for (const double seconds :
       {columns.median_seconds, columns.first_quartile_seconds, columns.third_quartile_seconds,
        columns.build_seconds, columns.run_seconds, columns.finished_seconds})
    sound = sound && plausible_seconds(seconds);
  return sound ? std::optional(columns) : std::nullopt;
}

/** Six columns, as bind_resources() fills them; nothing where they are NULL. */
std::optional<KernelResources> read_resources(const sqlite::Query& row, int first_column) {
  if (row.is_null(first_column)) return std::nullopt;
  return KernelResources{.registers = static_cast<std::int32_t>(row.integer(first_column)),
                         .spilled_bytes = row.integer(first_column + 1),
                         .shared_bytes = row.integer(first_column + 2),
                         .threads = static_cast<std::int32_t>(row.integer(first_column + 3)),
                         .occupancy = row.real(first_column + 4),
                         .limited_by = static_cast<OccupancyLimit>(row.integer(first_column + 5))};
}

bool plausible(const std::optional<KernelResources>& resources) {
  return !resources || resources->plausible();
}

/** Whether it is what was stored. @param with_resources they were read, too */
bool is_row_stored(const sqlite::Query& query, std::int64_t checksum, bool needed, bool with_resources) {
  if (query.is_null(row_checksum_column)) return !needed;
  constexpr std::int64_t of_all_trials = 0xffff'ffff;
  const std::int64_t read = with_resources ? -1 : of_all_trials;
  return (query.integer(row_checksum_column) & read) == (checksum & read);
}

/** A message or log is stored with its hash, and is there where a trial has its number. */
bool is_text_stored(const sqlite::Query& row, int number_column, int text_column) {
  if (row.is_null(number_column)) return true;
  return !row.is_null(text_column) &&
         row.integer(text_column + 1) == std::bit_cast<std::int64_t>(stable_hash(row.text(text_column)));
}

/** Into memory that is there already: a million rows would take a million allocations. */
void copy_configuration(std::string_view blob, Configuration& configuration) {
  configuration.indices.resize(blob.size() / sizeof(std::uint32_t));
  if (!configuration.indices.empty()) std::memcpy(configuration.indices.data(), blob.data(), blob.size());
}

}  // namespace

// The last column but for those of GPUs is looked at only where there is no median, in errors and without
// samples.
const std::string_view select_rows_sql =
    "SELECT number, batch, position, category, cut_short, length(samples) / 8, "
    "coalesce(median_seconds, recorded_seconds), first_quartile_seconds, third_quartile_seconds, "
    "build_seconds, run_seconds, finished_seconds, message, configuration, samples_saved, row_checksum "
    "FROM trial WHERE id >= (?1 << 32) + ?2 AND id < ((?1 + 1) << 32) AND +session = ?1 ORDER BY id";
const std::string_view select_gpu_rows_sql =
    "SELECT number, batch, position, category, cut_short, length(samples) / 8, "
    "coalesce(median_seconds, recorded_seconds), first_quartile_seconds, third_quartile_seconds, "
    "build_seconds, run_seconds, finished_seconds, message, configuration, samples_saved, row_checksum, "
    "registers, spilled_bytes, shared_bytes, threads, occupancy, limited_by, build_log "
    "FROM trial WHERE id >= (?1 << 32) + ?2 AND id < ((?1 + 1) << 32) AND +session = ?1 ORDER BY id";

/** The columns of select_gpu_rows_sql, and what a whole trial has beside them. */
const std::string_view select_trials_sql =
    "SELECT number, batch, position, category, cut_short, length(samples) / 8, "
    "coalesce(median_seconds, recorded_seconds), first_quartile_seconds, third_quartile_seconds, "
    "build_seconds, run_seconds, finished_seconds, message, configuration, samples_saved, row_checksum, "
    "registers, spilled_bytes, shared_bytes, threads, occupancy, limited_by, build_log, "
    "CASE WHEN length(samples) <= ?4 THEN samples END, preempted_samples, worst_error, recorded_seconds, "
    "samples_checksum, "
    "said.text, said.hash, log.text, log.hash "
    "FROM trial LEFT JOIN message AS said ON said.id = trial.message "
    "LEFT JOIN message AS log ON log.id = trial.build_log "
    "WHERE session = ?1 AND number >= ?2 AND number < ?3 AND trial.id >> 32 = ?1 ORDER BY number";

std::int64_t row_checksum(RowBytes& bytes, const RowColumns& row,
                          const std::optional<KernelResources>& resources, std::int64_t build_log) {
  std::uint64_t of_resources = 0;
  if (resources || build_log != 0) {
    const KernelResources& kernel = resources.value_or(KernelResources{});
    bytes.integers({std::int64_t{resources.has_value()}, kernel.registers, kernel.spilled_bytes,
                    kernel.shared_bytes, kernel.threads, static_cast<std::int64_t>(kernel.limited_by),
                    build_log});
    bytes.reals({kernel.occupancy});
    of_resources = bytes.take_checksum();
  }
  bytes.integers({row.number, row.batch, row.position, row.category, row.cut_short, row.samples, row.message,
                  row.samples_saved});
  bytes.reals({row.median_seconds, row.first_quartile_seconds, row.third_quartile_seconds, row.build_seconds,
               row.run_seconds, row.finished_seconds});
  bytes.text(row.configuration);
  return std::bit_cast<std::int64_t>(of_resources << 32 | bytes.take_checksum());
}

std::int64_t samples_checksum(RowBytes& bytes, const Measurement& measurement) {
  bytes.blob(std::as_bytes(std::span(measurement.samples_seconds)));
  bytes.integers({measurement.preempted_samples});
  bytes.reals({measurement.worst_error, measurement.recorded_seconds});
  return bytes.take_checksum();
}

bool read_row(const sqlite::Query& query, bool of_gpu, bool has_checksums, RowBytes& bytes,
              Store::ArrivedRow& row) {
  const std::optional<RowColumns> columns = read_columns(query);
  if (of_gpu) {
    row.resources = read_resources(query, first_resource_column);
    row.build_log = query.integer(build_log_column);
  }
  const bool sound = columns && plausible(row.resources) &&
                     is_row_stored(query, row_checksum(bytes, *columns, row.resources, row.build_log),
                                   has_checksums, of_gpu);
  if (!sound) return false;
  constexpr std::int64_t most_samples = std::numeric_limits<std::uint16_t>::max();
  row.number = columns->number;
  row.batch = static_cast<std::int32_t>(columns->batch);
  row.position = static_cast<std::int32_t>(columns->position);
  row.category = static_cast<ErrorCategory>(columns->category);
  row.cut_short = columns->cut_short != 0;
  row.sample_count = static_cast<std::uint16_t>(std::min(columns->samples, most_samples));
  row.samples_saved = row.category == ErrorCategory::NoError
                          ? static_cast<std::uint16_t>(std::min(columns->samples_saved, most_samples))
                          : std::uint16_t{0};
  row.median_seconds = columns->median_seconds;
  row.first_quartile_seconds = columns->first_quartile_seconds;
  row.third_quartile_seconds = columns->third_quartile_seconds;
  row.build_seconds = columns->build_seconds;
  row.run_seconds = columns->run_seconds;
  row.finished_seconds = columns->finished_seconds;
  row.message = columns->message;
  copy_configuration(columns->configuration, row.configuration);
  return true;
}

std::optional<Trial> read_trial(const sqlite::Query& row, bool has_checksums, RowBytes& bytes) {
  const std::optional<RowColumns> columns = read_columns(row);
  const std::optional<KernelResources> resources = read_resources(row, first_resource_column);
  auto samples = numbers_from_blob<double>(row.blob(samples_column));
  const double recorded_seconds = zero_for_null(row, recorded_column);
  const bool sound = columns && samples && plausible(resources) && plausible_seconds(recorded_seconds) &&
                     plausible_count<std::uint32_t>(row.integer(preempted_column)) &&
                     std::ranges::all_of(*samples, plausible_seconds) &&
                     is_text_stored(row, message_column, said_column) &&
                     is_text_stored(row, build_log_column, log_column);
  if (!sound) return std::nullopt;
  Measurement measurement{.category = static_cast<ErrorCategory>(columns->category),
                          .samples_seconds = *std::move(samples),
                          .build_seconds = columns->build_seconds,
                          .run_seconds = columns->run_seconds,
                          .cut_short = columns->cut_short != 0,
                          .preempted_samples = static_cast<std::uint32_t>(row.integer(preempted_column)),
                          .samples_saved = static_cast<std::uint32_t>(columns->samples_saved),
                          .worst_error = row.real(worst_error_column),
                          .message = row.text(said_column),
                          .recorded_seconds = recorded_seconds,
                          .resources = resources,
                          .build_log = row.text(log_column)};
  const std::int64_t of_row = row_checksum(bytes, *columns, resources, row.integer(build_log_column));
  const std::int64_t of_samples = samples_checksum(bytes, measurement);
  if (!is_row_stored(row, of_row, has_checksums, true) ||
      !matches(row, samples_checksum_column, of_samples, has_checksums))
    return std::nullopt;
  Trial trial{.number = columns->number,
              .batch = static_cast<std::int32_t>(columns->batch),
              .position = static_cast<std::int32_t>(columns->position),
              .configuration = {},
              .measurement = std::move(measurement),
              .finished_seconds = columns->finished_seconds};
  copy_configuration(columns->configuration, trial.configuration);
  return trial;
}

std::int64_t held_bytes(const sqlite::Query& row) {
  constexpr std::int64_t shared_text_bytes = 64 << 10;
  std::int64_t bytes = row.content_bytes({said_column, log_column});
  for (const int column : {said_column, log_column})
    bytes += std::max<std::int64_t>(std::ssize(row.blob(column)) - shared_text_bytes, 0);
  return bytes;
}

}  // namespace kernelscape
