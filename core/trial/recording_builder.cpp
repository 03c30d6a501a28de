#include "core/trial/recording_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "core/base/crc32.h"
#include "core/trial/measure_options.h"
#include "core/trial/recording_data.h"

namespace kernelscape::trial {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

bool usable(const Measurement& measurement) {
  return measurement.samples_seconds.size() <= std::size_t{max_repeats} && plausible(measurement);
}

template <typename T>
bool is_zero(T value) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<std::uint64_t>(value) == 0;  // -0.0 is not zero: the sign of a zero is kept
  else
    return value == T{};
}

/** The column of the categories is written even if no trial failed. */
template <typename Field>
constexpr bool is_always_recorded = std::is_same_v<Field, FieldOf<trial_fields, &Measurement::category>>;

/** A field's column while it grows; empty: all values are zero. */
template <typename Field>
struct RecordedVector {
  std::vector<RecordedValue<Field>> values;
};

/** A recording's columns while they grow, row by row. */
struct Columns {
  HeldOfPlacedFields<RecordedVector, trial_fields, &FieldFacts::recorded> fields;
  HeldOfPlacedFields<RecordedVector, gpu_fields, &FieldFacts::recorded> kernel_fields;
  HeldOfPlacedFields<RecordedVector, probe_fields, &FieldFacts::recorded> probes;
  std::vector<std::uint64_t> index_low, index_high;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> message, build_log;
  std::vector<std::uint64_t> sample_offsets{0};
  std::vector<double> samples;
  std::vector<std::uint64_t> message_ends;
  std::string message_texts;
  std::vector<RecordedColumn> metrics;
  bool needs_version_2 = false;

  void add(base::uint128 index, const Measurement& measurement) {
    index_low.push_back(static_cast<std::uint64_t>(index));
    index_high.push_back(static_cast<std::uint64_t>(index >> 64));
    flags.push_back(flags_of(measurement));
    message.push_back(position_of(measurement.message));
    samples.insert(samples.end(), measurement.samples_seconds.begin(), measurement.samples_seconds.end());
    sample_offsets.push_back(samples.size());
    build_log.push_back(position_of(measurement.build_log));
    const Row row = make_row({0, 0, 0, {}, measurement, 0}, 0);
    for_each_field<trial_fields, &FieldFacts::recorded>([&](auto field) {
      if constexpr (std::is_void_v<typename decltype(field)::Owner>)
        add(fields, field, row.*field.in_row);
      else
        add(fields, field, value_in(field, measurement));
    });
    const KernelResources resources = measurement.resources.value_or(KernelResources());
    for_each_field<gpu_fields, &FieldFacts::recorded>(
        [&](auto field) { add(kernel_fields, field, value_in(field, resources)); });
    for_each_field<probe_fields, &FieldFacts::recorded>(
        [&](auto field) { add(probes, field, value_in(field, measurement)); });
    for (const Metric& metric : measurement.metrics) add(metric);
    needs_version_2 = needs_version_2 || measurement.resources || !measurement.build_log.empty();
  }

  /** Returns the metrics with a value, or NaN, for every row. */
  std::vector<RecordedColumn> take_metrics() {
    for (RecordedColumn& column : metrics) column.values.resize(index_low.size(), no_value);
    return std::move(metrics);
  }

 private:
  static std::uint8_t flags_of(const Measurement& measurement) {
    const int cut_short = measurement.cut_short ? recorded_cut_short : 0;
    const int own_objective = measurement.recorded_seconds > 0 ? recorded_own_objective : 0;
    const int resources = measurement.resources ? recorded_resources : 0;
    return static_cast<std::uint8_t>(cut_short | own_objective | resources);
  }

  /** A column stays empty until its first value that is not zero: most columns are omitted. */
  template <typename Field, typename Value>
  void add(auto& columns, Field, Value value) {
    auto& values = std::get<RecordedVector<Field>>(columns).values;
    const auto stored = static_cast<RecordedValue<Field>>(value);
    if (!is_always_recorded<Field> && values.empty() && is_zero(stored)) return;
    values.resize(index_low.size() - 1);
    values.push_back(stored);
  }

  /** Sets a metric of the last row. */
  void add(const Metric& metric) {
    auto column = std::ranges::find(metrics, metric.name, &RecordedColumn::name);
    if (column == metrics.end()) column = metrics.insert(column, {metric.name, {}, metric.unit});
    column->values.resize(index_low.size(), no_value);
    column->values.back() = metric.value;
  }

  std::uint32_t position_of(const std::string& text) {
    if (text.empty()) return no_recorded_message;
    const auto [found, is_new] = positions_.try_emplace(text, static_cast<std::uint32_t>(positions_.size()));
    if (is_new) {
      message_texts += text;
      message_ends.push_back(message_texts.size());
    }
    return found->second;
  }

  std::unordered_map<std::string, std::uint32_t> positions_;
};

bool is_dense(const Columns& columns) {
  for (std::size_t row = 0; row < columns.index_low.size(); ++row)
    if (columns.index_low[row] != row || columns.index_high[row] != 0) return false;
  return true;
}

template <typename Values>
std::string_view bytes_of(const Values& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

void append_column(std::string& out, std::string_view column) {
  out += column;
  out.resize(aligned_to_8(out.size()), '\0');
}

/** The columns of a file by their places; all-zero columns are omitted. */
class PlacedColumns {
 public:
  explicit PlacedColumns(const Columns& columns) {
    place_structure(columns);
    for_each_field<trial_fields, &FieldFacts::recorded>(
        [&](auto field) { place(field, std::get<RecordedVector<decltype(field)>>(columns.fields).values); });
    for_each_field<gpu_fields, &FieldFacts::recorded>([&](auto field) {
      place(field, std::get<RecordedVector<decltype(field)>>(columns.kernel_fields).values);
    });
    for_each_field<probe_fields, &FieldFacts::recorded>(
        [&](auto field) { place(field, std::get<RecordedVector<decltype(field)>>(columns.probes).values); });
  }

  void append_to(std::string& out, std::array<bool, recorded_field_count>& present) const {
    for (std::size_t place = 0; place < recorded_field_count; ++place) {
      present[place] = columns_[place].has_value();
      if (present[place]) append_column(out, *columns_[place]);
    }
  }

 private:
  template <typename Values>
  void always(RecordedField field, const Values& values) {
    columns_[static_cast<std::size_t>(field)] = bytes_of(values);
  }

  template <typename Field, typename T>
  void place(Field, const std::vector<T>& values) {
    if (is_always_recorded<Field> || !values.empty())
      columns_[static_cast<std::size_t>(Field::facts.recorded)] = bytes_of(values);
  }

  void place_structure(const Columns& columns) {
    const auto zero = [](auto value) { return value == 0; };
    const auto no_text = [](std::uint32_t position) { return position == no_recorded_message; };
    if (!is_dense(columns)) {
      always(RecordedField::IndexLow, columns.index_low);
      if (!std::ranges::all_of(columns.index_high, zero))
        always(RecordedField::IndexHigh, columns.index_high);
    }
    if (!std::ranges::all_of(columns.flags, zero)) always(RecordedField::Flags, columns.flags);
    if (!columns.samples.empty()) {
      always(RecordedField::SampleOffsets, columns.sample_offsets);
      always(RecordedField::Samples, columns.samples);
    }
    if (!columns.message_ends.empty()) {
      always(RecordedField::Message, columns.message);
      always(RecordedField::MessageEnds, columns.message_ends);
      always(RecordedField::MessageTexts, columns.message_texts);
    }
    if (!std::ranges::all_of(columns.build_log, no_text)) always(RecordedField::BuildLog, columns.build_log);
  }

  std::array<std::optional<std::string_view>, recorded_field_count> columns_;
};

void write_columns(const Columns& columns, RecordingPreamble& preamble, std::string& out) {
  PlacedColumns(columns).append_to(out, preamble.present);
  preamble.version = columns.needs_version_2 ? 2 : 1;
  while (preamble.has_newer()) ++preamble.version;
  preamble.samples = columns.samples.size();
  preamble.messages = columns.message_ends.size();
  preamble.message_bytes = columns.message_texts.size();
}

void append_number(std::string& out, std::uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string whole_file(const RecordingPreamble& preamble, std::string_view columns) {
  const std::string header = preamble_to_json(preamble);
  std::string out(recording_magic);
  out += static_cast<char>(preamble.version);
  out.reserve(recording_prefix_bytes + aligned_to_8(header.size()) + columns.size());
  append_number(out, header.size());
  append_number(out, preamble.rows);
  append_number(out, 0);
  out += header;
  out.resize(aligned_to_8(out.size()), '\0');
  out += columns;
  const std::uint64_t crc = base::crc32(std::string_view(out).substr(recording_prefix_bytes));
  std::string crc_bytes;
  append_number(crc_bytes, crc);
  return out.replace(recording_crc_position, crc_bytes.size(), crc_bytes);
}

}  // namespace

RecordingBuilder::RecordingBuilder(RecordingHeader header, space::SearchSpace swept)
    : header_(std::move(header)), swept_(std::move(swept)) {}

Status RecordingBuilder::add(const space::Configuration& configuration, const Measurement& measurement) {
  if (!swept_.contains(configuration)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a measurement of {} has a configuration that is not feasible in its space",
                            header_.name),
                "record only configurations that satisfy the space's knobs and constraints");
  }
  if (!usable(measurement)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a measurement of {} for {} has a time that is negative or not finite, more than "
                            "{} samples, or resources or metrics that no kernel has",
                            header_.name, swept_.describe(configuration), max_repeats),
                "omit the configuration, or give it an error category");
  }
  const auto [found, is_new] = positions_.try_emplace(configuration, rows_.size());
  if (is_new) rows_.emplace_back().configuration = configuration;
  Row& row = rows_[found->second];
  row.measurement = measurement;
  row.columns.clear();
  if (!measurement.valid()) {
    row.measurement.samples_seconds.clear();
    row.measurement.recorded_seconds = 0;
  }
  return {};
}

void RecordingBuilder::set_column(std::string_view name, const space::Configuration& configuration,
                                  double value, std::string_view unit) {
  const auto row = positions_.find(configuration);
  if (row == positions_.end())
    throw std::invalid_argument("a recorded column for a configuration that was not added");
  const auto known = std::ranges::find(column_names_, name, &MetricName::name);
  const auto column = static_cast<std::uint32_t>(known - column_names_.begin());
  if (known == column_names_.end()) column_names_.push_back({std::string(name), std::string(unit)});
  auto& columns = rows_[row->second].columns;
  const auto set = std::ranges::find(columns, column, &std::pair<std::uint32_t, double>::first);
  if (set == columns.end())
    columns.emplace_back(column, value);
  else
    set->second = value;
}

std::size_t RecordingBuilder::size() const { return rows_.size(); }

Result<std::shared_ptr<const Recording>> RecordingBuilder::build() const {
  std::vector<std::pair<base::uint128, std::size_t>> order;
  order.reserve(rows_.size());
  for (const Row& row : rows_) order.emplace_back(swept_.index_of(row.configuration), order.size());
  std::ranges::sort(order);
  std::vector<RecordedColumn> extra;
  for (const auto& [name, unit] : column_names_)
    extra.push_back({name, std::vector<double>(rows_.size(), no_value), unit});
  for (std::size_t position = 0; position < order.size(); ++position)
    for (const auto& [column, value] : rows_[order[position].second].columns)
      extra[column].values[position] = value;
  const auto row = [&](std::size_t position) {
    return RecordingRow{order[position].first, &rows_[order[position].second].measurement};
  };
  return build_recording(header_, swept_, order.size(), row, extra);
}

Result<std::shared_ptr<const Recording>> build_recording(const RecordingHeader& header,
                                                         const space::SearchSpace& swept, std::size_t rows,
                                                         const std::function<RecordingRow(std::size_t)>& row,
                                                         const std::vector<RecordedColumn>& columns) {
  if (rows == 0) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has no recorded configuration", header.name),
                "record at least one configuration");
  }
  if (rows > max_recorded_rows) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has {} rows, more than 2^31", header.name, rows),
                "record fewer of them");
  }
  RecordingPreamble preamble;
  preamble.header = header;
  preamble.space_json = space::space_to_json(swept);
  preamble.rows = rows;
  preamble.complete = swept.member_count(completeness_effort(preamble.rows)) == base::uint128{preamble.rows};
  std::vector<RecordedColumn> metrics = columns;
  std::string bytes;
  {
    Columns fields;
    for (std::size_t position = 0; position < rows; ++position) {
      const RecordingRow next = row(position);
      fields.add(next.index, *next.measurement);
    }
    write_columns(fields, preamble, bytes);
    for (RecordedColumn& column : fields.take_metrics())
      if (std::ranges::find(columns, column.name, &RecordedColumn::name) == columns.end())
        metrics.push_back(std::move(column));
  }
  const bool units =
      std::ranges::any_of(metrics, [](const RecordedColumn& column) { return !column.unit.empty(); });
  for (const RecordedColumn& column : metrics) {
    append_column(bytes, bytes_of(column.values));
    preamble.extra_columns.push_back(column.name);
    if (units) preamble.extra_units.push_back(column.unit);
  }
  return Recording::from_bytes(whole_file(preamble, bytes), header.name);
}

}  // namespace kernelscape::trial
