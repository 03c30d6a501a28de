#include "core/store/trial_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/store/blob.h"
#include "core/store/stored_values.h"
#include "core/trial/fields.h"

namespace kernelscape::store {
namespace {

template <typename Field>
constexpr bool is_real = std::is_same_v<typename Field::Value, double>;
/** True if the column of the field is a blob: the row stores the number of its values. */
template <typename Field>
constexpr bool is_blob = std::is_same_v<typename Field::Value, std::vector<double>>;

template <const auto& table, int trial::FieldFacts::* place>
consteval std::size_t count_reals() {
  std::size_t count = 0;
  trial::for_each_field<table, place>([&](auto field) {
    if constexpr (is_real<decltype(field)>) ++count;
  });
  return count;
}

/** The values of the fields that have a position, in the representation of columns and checksums. */
template <const auto& table, int trial::FieldFacts::* place>
struct StoredPart {
  static constexpr std::size_t real_count = count_reals<table, place>();
  static constexpr std::size_t count = trial::field_count<table, place>;
  std::array<std::int64_t, count - real_count> integers{};
  std::array<double, real_count> reals{};

  /** Calls `visit` with each field and its value, in the order of the positions. */
  template <typename Visit>
  void for_each(const Visit& visit) {
    std::size_t integer = 0;
    std::size_t real = 0;
    trial::for_each_field<table, place>([&](auto field) {
      if constexpr (is_real<decltype(field)>)
        visit(field, reals[real++]);
      else
        visit(field, integers[integer++]);
    });
  }

  static std::vector<std::string> names(bool selected) {
    std::vector<std::string> names;
    trial::for_each_field<table, place>([&](auto field) {
      if (selected || !is_blob<decltype(field)>)
        names.emplace_back(selected ? field.facts.selected() : field.facts.key);
    });
    return names;
  }
};
using RowPart = StoredPart<trial::trial_fields, &trial::FieldFacts::stored>;
using KernelPart = StoredPart<trial::gpu_fields, &trial::FieldFacts::stored>;
using ApartPart = StoredPart<trial::trial_fields, &trial::FieldFacts::stored_apart>;
using ProbePart = StoredPart<trial::probe_fields, &trial::FieldFacts::stored>;

// Selected columns; those of GPU kernels and of whole trials exist only if they are read.
constexpr int configuration_column = int{RowPart::count};
constexpr int row_checksum_column = configuration_column + 1;
constexpr int worker_column = row_checksum_column + 1;
constexpr int metrics_column = worker_column + 1;
constexpr int first_probe_column = metrics_column + 1;
constexpr int objective_column =
    first_probe_column + int{ProbePart::count};  ///< the objective of an imported file, followed by its
                                                 ///< samples
constexpr int first_kernel_column = objective_column + 2;
constexpr int samples_column = first_kernel_column + int{KernelPart::count};
constexpr int first_apart_column = samples_column + 1;
constexpr int samples_checksum_column = first_apart_column + int{ApartPart::count};
constexpr int said_column = samples_checksum_column + 1;  ///< the message, followed by its hash; the log
                                                          ///< likewise
constexpr int log_column = said_column + 2;

void append(std::vector<std::string>& list, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(list));
}

std::vector<std::string> row_columns(bool of_gpu) {
  std::vector<std::string> columns = RowPart::names(true);
  // The objective of a file is computed from the samples; the samples of other rows are not read.
  append(columns, {"configuration", "row_checksum", "worker", "metrics"});
  append(columns, ProbePart::names(true));
  append(columns, {"recorded_seconds",
                   fmt::format("CASE WHEN recorded_seconds > 0 AND length(samples) <= {} THEN samples END",
                               max_sample_bytes)});
  if (of_gpu) append(columns, KernelPart::names(true));
  return columns;
}

std::string make_insert(bool of_gpu) {
  std::vector<std::string> columns{"id", "session"};
  append(columns, RowPart::names(false));
  append(columns, {"configuration", "samples"});
  append(columns, ApartPart::names(false));
  append(columns, {"row_checksum", "samples_checksum", "worker", "metrics"});
  append(columns, ProbePart::names(false));
  if (of_gpu) append(columns, KernelPart::names(false));
  return fmt::format("INSERT INTO trial ({}) VALUES ({})", base::join(columns, ", "),
                     base::join(std::vector<std::string>(columns.size(), "?"), ", "));
}

std::string make_select_rows(bool of_gpu) {
  return fmt::format(
      "SELECT {} FROM trial WHERE id >= (?1 << 32) + ?2 AND id < ((?1 + 1) << 32) AND +session = ?1 "
      "ORDER BY id LIMIT ?3",
      base::join(row_columns(of_gpu), ", "));
}

std::string make_select_trials() {
  std::vector<std::string> columns = row_columns(true);
  append(columns, {"CASE WHEN length(samples) <= ?4 THEN samples END"});
  append(columns, ApartPart::names(true));
  append(columns, {"samples_checksum", "said.text", "said.hash", "log.text", "log.hash"});
  return fmt::format(
      "SELECT {} FROM trial LEFT JOIN message AS said ON said.id = trial.message "
      "LEFT JOIN message AS log ON log.id = trial.build_log "
      "WHERE session = ?1 AND number >= ?2 AND number < ?3 AND trial.id >> 32 = ?1 ORDER BY number",
      base::join(columns, ", "));
}

template <typename Part>
Part read_part(const sqlite::Query& row, int first_column) {
  Part part;
  int column = first_column;
  part.for_each([&](auto field, auto& value) {
    if constexpr (is_real<decltype(field)>) {
      const bool zero = field.facts.null != trial::StoredNull::Never && row.is_null(column);
      value = zero ? 0 : row.real(column);
    } else {
      value = row.integer(column);
    }
    ++column;
  });
  return part;
}

/** Returns the largest integer as which a field may be stored. */
template <typename Field>
constexpr std::int64_t max_stored() {
  using Value = typename Field::Value;
  if constexpr (std::is_enum_v<Value>)
    return std::int64_t{trial::enumerator_count<Value>} - 1;
  else if constexpr (std::is_integral_v<Value>)
    return std::min<std::int64_t>(std::numeric_limits<Value>::max(), Field::facts.max_stored);
  else
    return Field::facts.max_stored;
}

template <typename Part>
bool is_sound(Part part) {
  bool sound = true;
  part.for_each([&](auto field, auto value) {
    using Field = decltype(field);
    if constexpr (is_real<Field>)
      sound = sound && trial::plausible(field, value);
    else
      sound = sound && plausible_count<std::int64_t>(value, max_stored<Field>());
  });
  return sound;
}

void fill_row(RowPart part, trial::Row& row) {
  part.for_each([&](auto field, auto value) {
    using Field = decltype(field);
    const bool left_out = Field::facts.valid_only && row.category != trial::ErrorCategory::NoError;
    row.*Field::in_row = trial::clamped<typename Field::RowValue>(left_out ? 0 : value);
  });
}

/** Reads the values that only GPU kernels have; returns false if they are invalid. */
bool read_kernel(const sqlite::Query& query, trial::Row& row) {
  row.resources.reset();
  row.build_log = 0;
  if (!query.is_null(first_kernel_column)) row.resources.emplace();
  KernelPart part = read_part<KernelPart>(query, first_kernel_column);
  if (!row.resources) part.reals = {};
  if (!is_sound(part)) return false;
  part.for_each([&](auto field, auto value) {
    using Field = decltype(field);
    if constexpr (!Field::of_resources)
      row.*Field::in_row = value;
    else if (row.resources)
      trial::value_in(field, *row.resources) = static_cast<typename Field::Value>(value);
  });
  return true;
}

KernelPart kernel_part(const trial::Row& row) {
  const trial::KernelResources resources = row.resources.value_or(trial::KernelResources());
  KernelPart part;
  part.for_each([&](auto field, auto& value) {
    using Stored = std::remove_reference_t<decltype(value)>;
    if constexpr (field.of_resources)
      value = static_cast<Stored>(trial::value_in(field, resources));
    else
      value = row.*field.in_row;
  });
  return part;
}

RowPart row_part(const trial::Trial& trial, const trial::Row& row) {
  RowPart part;
  part.for_each([&](auto field, auto& value) {
    using Field = decltype(field);
    if constexpr (is_blob<Field>)
      value = std::ssize(trial::value_in(field, trial));
    else if constexpr (Field::scalar && !std::is_void_v<typename Field::Owner>)
      value = static_cast<std::remove_reference_t<decltype(value)>>(trial::value_in(field, trial));
    else
      value = row.*Field::in_row;
  });
  return part;
}

ProbePart probe_part(const trial::Row& row) {
  ProbePart part;
  part.for_each([&](auto field, auto& value) { value = trial::probe_in(field, row); });
  return part;
}

ApartPart apart_part(const trial::Measurement& measurement) {
  ApartPart part;
  part.for_each([&](auto field, auto& value) { value = trial::value_in(field, measurement); });
  return part;
}

/**
 * Returns the checksum of a row: the lower half covers the columns of all trials, the upper half those of GPU
 * kernels, and is 0 if there are none. The worker, the times of the speed probe and the metrics are included
 * only if the row has them, so that the checksums of other rows are unchanged. @param row provides the
 * kernel, the worker and the probes
 */
std::int64_t row_checksum(RowBytes& bytes, const RowPart& part, const trial::Row& row,
                          std::string_view configuration, std::span<const double> metrics) {
  std::uint64_t of_kernel = 0;
  if (row.resources || row.build_log != 0) {
    const KernelPart kernel = kernel_part(row);
    bytes.integers({std::int64_t{row.resources.has_value()}}).integers(kernel.integers).reals(kernel.reals);
    of_kernel = bytes.take_checksum();
  }
  bytes.integers(part.integers).reals(part.reals).text(configuration);
  if (row.worker != 0) bytes.integers({std::int64_t{row.worker}});
  if (trial::has_probes(row)) bytes.reals(probe_part(row).reals);
  if (!metrics.empty()) bytes.blob(std::as_bytes(metrics));
  return std::bit_cast<std::int64_t>(of_kernel << 32 | bytes.take_checksum());
}

/** Returns the checksum of the values of a whole trial that are not in its row. */
std::int64_t samples_checksum(RowBytes& bytes, const trial::Measurement& measurement) {
  const ApartPart part = apart_part(measurement);
  bytes.blob(std::as_bytes(std::span(measurement.samples_seconds)));
  bytes.integers(part.integers).reals(part.reals);
  return bytes.take_checksum();
}

/** Binds the values of a part. @param is_null returns true if the column of a field is NULL for this value */
template <typename Part, typename IsNull>
void bind_part(sqlite::Query& insert, Part part, const IsNull& is_null) {
  part.for_each([&](auto field, auto value) {
    if constexpr (!is_blob<decltype(field)>) {
      if (is_null(field, value))
        insert.bind_null();
      else
        insert.bind(value);
    }
  });
}

/**
 * Returns true if the row matches its checksum. @param with_kernel the values of GPU kernels were read as
 * well
 */
bool is_row_stored(const sqlite::Query& query, std::int64_t checksum, bool needed, bool with_kernel) {
  if (query.is_null(row_checksum_column)) return !needed;
  constexpr std::int64_t of_all_trials = 0xffff'ffff;
  const std::int64_t read = with_kernel ? -1 : of_all_trials;
  return (query.integer(row_checksum_column) & read) == (checksum & read);
}

/** Reads the objective. Damaged samples are reported when the whole trial is read. */
void read_objective(const sqlite::Query& query, trial::Row& row) {
  row.sample_median_seconds = row.median_seconds;
  row.objective = trial::ObjectiveKind::Median;
  if (query.is_null(objective_column)) return;
  const auto samples = numbers_from_blob<double>(query.blob(objective_column + 1));
  const bool sound = samples && std::ranges::all_of(*samples, trial::plausible_seconds);
  trial::set_objective(row, row.median_seconds, sound ? *samples : std::vector<double>());
}

/** Reads the number of the worker; returns false if it is invalid. */
bool read_worker(const sqlite::Query& query, trial::Row& row) {
  const std::int64_t place = query.is_null(worker_column) ? 0 : query.integer(worker_column);
  row.worker = trial::clamped<std::uint16_t>(std::max<std::int64_t>(place, 0));
  return row.worker == place;
}

/** Reads the metrics by place; returns false if one is invalid. */
bool read_metrics(const sqlite::Query& query, std::vector<double>& metrics) {
  metrics.clear();
  if (query.is_null(metrics_column)) return true;
  const std::span<const std::byte> blob = query.blob(metrics_column);
  if (blob.empty() || blob.size() % sizeof(double) != 0 || blob.size() / sizeof(double) > trial::max_metrics)
    return false;
  metrics.resize(blob.size() / sizeof(double));
  std::memcpy(metrics.data(), blob.data(), blob.size());
  return std::ranges::none_of(metrics, [](double value) { return std::isinf(value); });
}

/** Reads the times of the speed probe; returns false if one is invalid. */
bool read_probes(const sqlite::Query& query, trial::Row& row) {
  auto part = read_part<ProbePart>(query, first_probe_column);
  part.for_each([&](auto field, auto value) { trial::probe_in(field, row) = value; });
  return is_sound(part);
}

/** Returns true if the text of a message or log exists for its id and matches its hash. */
bool is_text_stored(const sqlite::Query& row, std::int64_t id, int text_column) {
  if (id == 0) return true;
  return !row.is_null(text_column) &&
         row.integer(text_column + 1) ==
             std::bit_cast<std::int64_t>(base::stable_hash(row.text(text_column)));
}

std::string_view text_of(std::span<const std::byte> blob) {
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

/** Copies into existing memory: a million rows would need a million allocations. */
bool copy_configuration(std::string_view blob, space::Configuration& configuration) {
  if (blob.size() % sizeof(std::uint32_t) != 0) return false;
  configuration.indices.resize(blob.size() / sizeof(std::uint32_t));
  if (!configuration.indices.empty()) std::memcpy(configuration.indices.data(), blob.data(), blob.size());
  return true;
}

}  // namespace

const std::string& insert_trial_sql(bool of_gpu) {
  static const std::array<std::string, 2> texts{make_insert(false), make_insert(true)};
  return texts[of_gpu ? 1 : 0];
}

const std::string& select_rows_sql(bool of_gpu) {
  static const std::array<std::string, 2> texts{make_select_rows(false), make_select_rows(true)};
  return texts[of_gpu ? 1 : 0];
}

const std::string& select_trials_sql() {
  static const std::string text = make_select_trials();
  return text;
}

Status insert_trial(sqlite::Query& insert, bool of_gpu, RowBytes& bytes, const trial::Trial& trial,
                    const TrialKeys& keys) {
  const std::vector<double>& samples = trial.measurement.samples_seconds;
  const trial::Row row = trial::make_row(trial, keys.message, keys.build_log, keys.worker);
  const RowPart part = row_part(trial, row);
  const std::string configuration = space::to_blob(trial.configuration);
  const auto is_null = [&](auto field, auto value) {
    using Field = decltype(field);
    if (Field::of_resources) return !row.resources;
    return Field::facts.null == trial::StoredNull::WithoutSamples
               ? samples.empty()
               : Field::facts.null == trial::StoredNull::WhereZero && !(value > 0);
  };
  insert.bind(keys.id).bind(keys.session);
  bind_part(insert, part, is_null);
  insert.bind_blob(configuration.data(), configuration.size());
  insert.bind_blob(samples.data(), samples.size() * sizeof(double));
  bind_part(insert, apart_part(trial.measurement), is_null);
  insert.bind(row_checksum(bytes, part, row, configuration, keys.metrics));
  insert.bind(samples_checksum(bytes, trial.measurement));
  if (keys.worker != 0)
    insert.bind(std::int64_t{keys.worker});
  else
    insert.bind_null();
  if (!keys.metrics.empty())
    insert.bind_blob(keys.metrics.data(), keys.metrics.size_bytes());
  else
    insert.bind_null();
  bind_part(insert, probe_part(row), is_null);
  if (of_gpu) bind_part(insert, kernel_part(row), is_null);
  return insert.run();
}

bool read_row(const sqlite::Query& query, bool of_gpu, bool has_checksums, RowBytes& bytes, ArrivedRow& row) {
  const std::string_view configuration = text_of(query.blob(configuration_column));
  const auto part = read_part<RowPart>(query, 0);
  if (!is_sound(part) || !read_worker(query, row) || !read_probes(query, row) ||
      !read_metrics(query, row.metrics) || (of_gpu && !read_kernel(query, row)))
    return false;
  fill_row(part, row);
  read_objective(query, row);
  return copy_configuration(configuration, row.configuration) &&
         is_row_stored(query, row_checksum(bytes, part, row, configuration, row.metrics), has_checksums,
                       of_gpu);
}

std::optional<ReadTrial> read_trial(const sqlite::Query& query, bool has_checksums, RowBytes& bytes) {
  const std::string_view configuration = text_of(query.blob(configuration_column));
  auto samples = numbers_from_blob<double>(query.blob(samples_column));
  auto part = read_part<RowPart>(query, 0);
  auto apart = read_part<ApartPart>(query, first_apart_column);
  trial::Row row;
  trial::Trial trial;
  std::vector<double> metrics;
  const bool sound = is_sound(part) && is_sound(apart) && read_worker(query, row) &&
                     read_probes(query, row) && read_kernel(query, row) && read_metrics(query, metrics) &&
                     samples && std::ranges::all_of(*samples, trial::plausible_seconds) &&
                     copy_configuration(configuration, trial.configuration);
  if (!sound) return std::nullopt;
  fill_row(part, row);
  trial::Measurement& measurement = trial.measurement;
  measurement.samples_seconds = *std::move(samples);
  measurement.message = query.text(said_column);
  measurement.resources = row.resources;
  measurement.build_log = query.text(log_column);
  const auto fill = [&](auto field, auto value) {
    using Field = decltype(field);
    if constexpr (Field::scalar && !std::is_void_v<typename Field::Owner>)
      trial::value_in(field, trial) = static_cast<typename Field::Value>(value);
  };
  part.for_each(fill);
  apart.for_each(fill);
  trial::for_each_field<trial::probe_fields>(
      [&](auto field) { trial::value_in(field, measurement) = trial::probe_in(field, row); });
  const bool stored =
      is_text_stored(query, row.message, said_column) && is_text_stored(query, row.build_log, log_column) &&
      is_row_stored(query, row_checksum(bytes, part, row, configuration, metrics), has_checksums, true) &&
      matches(query, samples_checksum_column, samples_checksum(bytes, measurement), has_checksums);
  if (!stored) return std::nullopt;
  return ReadTrial{std::move(trial), row.worker, std::move(metrics)};
}

std::int64_t held_bytes(const sqlite::Query& row) {
  constexpr std::int64_t shared_text_bytes = 64 << 10;
  std::int64_t bytes = row.content_bytes({said_column, log_column});
  for (const int column : {said_column, log_column})
    bytes += std::max<std::int64_t>(std::ssize(row.blob(column)) - shared_text_bytes, 0);
  return bytes;
}

}  // namespace kernelscape::store
