#include "core/trial/recording.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>

#include "core/base/foreign_file.h"
#include "core/base/open_database.h"
#include "core/base/read_file.h"
#include "core/trial/recording_data.h"

namespace kernelscape::trial {
namespace {

namespace fs = std::filesystem;

/** Opens a recorded space; says how one is made where there is none. */
Result<base::ReadableFile> open_file(const fs::path& path) {
  Result<base::ReadableFile> file = base::ReadableFile::open(path);
  if (file || file.error().code != ErrorCode::NotFound) return file;
  return fail(ErrorCode::NotFound, fmt::format("there is no recorded space {}", path.string()),
              "`kernelscape sweep TASK` makes one");
}

}  // namespace

Recording::Recording(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Recording::~Recording() = default;

Result<std::shared_ptr<const Recording>> Recording::open(const fs::path& path) {
  TRY(base::check_no_open_database(path));
  TRY(base::check_no_foreign_file(path));
  const base::ReadableFile file = TRY(open_file(path));
  struct stat state{};
  if (fstat(file.descriptor(), &state) != 0) return base::cannot_read_file(path, errno);
  if (!S_ISREG(state.st_mode)) return base::cannot_read_file(path, S_ISDIR(state.st_mode) ? EISDIR : EINVAL);
  const auto bytes = static_cast<std::size_t>(state.st_size);
  if (bytes < recording_prefix_bytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is not a recorded space of Kernelscape", path.string()),
                "choose a file that `kernelscape sweep` or `kernelscape import` wrote");
  }
  void* start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.descriptor(), 0);
  if (start == MAP_FAILED) return base::cannot_read_file(path, errno);
  auto data = std::make_unique<Data>();
  data->mapped = {start, RecordingUnmap{bytes}};
  data->bytes = {static_cast<const char*>(start), bytes};
  TRY(data->load(path.string()));
  return std::shared_ptr<const Recording>(new Recording(std::move(data)));
}

Result<std::shared_ptr<const Recording>> Recording::from_bytes(std::string bytes, std::string_view name) {
  auto data = std::make_unique<Data>();
  // Larger than a string's inline buffer, so that the columns have the alignment of memory from new.
  bytes.reserve(recording_prefix_bytes);
  data->owned = std::move(bytes);
  data->bytes = data->owned;
  TRY(data->load(name));
  return std::shared_ptr<const Recording>(new Recording(std::move(data)));
}

const RecordingHeader& Recording::header() const { return data_->preamble.header; }
const space::SearchSpace& Recording::space() const { return *data_->space; }
const space::SearchSpace& Recording::whole_space() const { return *data_->whole; }
bool Recording::complete() const { return data_->preamble.complete; }
std::uint32_t Recording::size() const { return static_cast<std::uint32_t>(data_->preamble.rows); }
base::uint128 Recording::index(std::uint32_t row) const { return data_->index(row); }
space::Configuration Recording::configuration(std::uint32_t row) const {
  return data_->whole->at(index(row));
}

std::optional<std::uint32_t> Recording::find(const space::Configuration& configuration) const {
  const space::SearchSpace& whole = *data_->whole;
  if (!std::ranges::equal(configuration.indices, whole.knobs(), std::ranges::less{}, {}, &space::Knob::count))
    return std::nullopt;
  const base::uint128 sought = whole.index_of(configuration);
  if (data_->dense())
    return sought < size() ? std::optional(static_cast<std::uint32_t>(sought)) : std::nullopt;
  std::uint32_t first = 0;
  for (std::uint32_t count = size(); count > 0;) {
    const std::uint32_t half = count / 2;
    if (index(first + half) < sought) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first < size() && index(first) == sought ? std::optional(first) : std::nullopt;
}

ErrorCategory Recording::category(std::uint32_t row) const {
  return static_cast<ErrorCategory>(data_->category()[row]);
}

double Recording::seconds(std::uint32_t row) const { return value_at(data_->seconds(), row); }
double Recording::build_seconds(std::uint32_t row) const {
  return value_at(data_->column<&Measurement::build_seconds>(), row);
}
double Recording::run_seconds(std::uint32_t row) const {
  return value_at(data_->column<&Measurement::run_seconds>(), row);
}

bool Recording::has_own_objective(std::uint32_t row) const {
  return (value_at(data_->flags, row) & recorded_own_objective) != 0;
}

bool Recording::has_own_objectives() const {
  for (std::uint32_t row = 0; row < size(); ++row)
    if (has_own_objective(row) && objective_kind(seconds(row), samples(row)) != ObjectiveKind::Median)
      return true;
  return false;
}

std::span<const double> Recording::samples(std::uint32_t row) const {
  if (data_->sample_offsets.empty()) return {};
  const std::uint64_t start = data_->sample_offsets[row];
  return data_->samples.subspan(start, data_->sample_offsets[row + 1] - start);
}

std::optional<std::uint32_t> Recording::message(std::uint32_t row) const {
  return text_at(data_->message, row);
}

std::optional<std::uint32_t> Recording::build_log(std::uint32_t row) const {
  return text_at(data_->build_log, row);
}

const std::vector<std::string>& Recording::messages() const { return data_->messages; }

std::optional<KernelResources> Recording::resources(std::uint32_t row) const { return data_->resources(row); }

bool Recording::has_resources() const { return data_->any_resources; }

bool Recording::has_probes() const {
  bool any = false;
  for_each_field<probe_fields, &FieldFacts::recorded>(
      [&](auto field) { any = any || !data_->column(field).empty(); });
  return any;
}

Measurement Recording::measurement(std::uint32_t row) const {
  const std::span<const double> values = samples(row);
  const std::optional<std::uint32_t> text = message(row);
  const std::optional<std::uint32_t> log = build_log(row);
  Measurement measurement{.samples_seconds = {values.begin(), values.end()},
                          .cut_short = (value_at(data_->flags, row) & recorded_cut_short) != 0,
                          .message = text ? messages()[*text] : std::string(),
                          .recorded_seconds = has_own_objective(row) ? seconds(row) : 0,
                          .resources = resources(row),
                          .build_log = log ? messages()[*log] : std::string()};
  for_each_field<trial_fields, &FieldFacts::recorded>([&](auto field) {
    using Field = decltype(field);
    if constexpr (std::is_same_v<typename Field::Owner, Measurement>)
      value_in(field, measurement) = static_cast<typename Field::Value>(value_at(data_->column(field), row));
  });
  for_each_field<probe_fields, &FieldFacts::recorded>(
      [&](auto field) { value_in(field, measurement) = value_at(data_->column(field), row); });
  for (const RecordedColumn& column : data_->columns)
    if (const double value = column.values[row]; std::isfinite(value))
      measurement.metrics.push_back({column.name, column.unit, value});
  return measurement;
}

Row Recording::trial_row(std::uint32_t row, std::int64_t first_message) const {
  const std::optional<std::uint32_t> text = message(row);
  const std::optional<std::uint32_t> log = build_log(row);
  Row result{.cut_short = (value_at(data_->flags, row) & recorded_cut_short) != 0,
             .sample_count = clamped<std::uint16_t>(samples(row).size()),
             .message = text ? first_message + *text : 0,
             .resources = resources(row),
             .build_log = log ? first_message + *log : 0};
  const bool valid = category(row) == ErrorCategory::NoError;
  for_each_field<trial_fields, &FieldFacts::recorded>([&](auto field) {
    if constexpr (field.has_row_member) {
      if (field.facts.valid_only && !valid) return;
      result.*field.in_row = clamped<typename decltype(field)::RowValue>(value_at(data_->column(field), row));
    }
  });
  for_each_field<probe_fields, &FieldFacts::recorded>(
      [&](auto field) { probe_in(field, result) = value_at(data_->column(field), row); });
  result.sample_median_seconds = result.median_seconds;
  if (has_own_objective(row)) set_objective(result, result.median_seconds, samples(row));
  return result;
}

const std::vector<RecordedColumn>& Recording::columns() const { return data_->columns; }

std::vector<MetricName> Recording::metric_names() const {
  std::vector<MetricName> names;
  for (const RecordedColumn& column : data_->columns) names.push_back({column.name, column.unit});
  return names;
}

void Recording::read_metrics(std::uint32_t row, std::vector<double>& values) const {
  values.clear();
  for (const RecordedColumn& column : data_->columns) {
    const double value = column.values[row];
    values.push_back(std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN());
  }
}

std::optional<std::uint32_t> Recording::best() const { return data_->best; }
std::string_view Recording::bytes() const { return data_->bytes; }
std::uint64_t Recording::hash() const { return data_->hash; }

std::vector<double> recorded_finished_seconds(const Recording& recording) {
  std::vector<double> finished(recording.size());
  double now = 0;
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    now += recording.build_seconds(row) + recording.run_seconds(row);
    finished[row] = now;
  }
  return finished;
}

bool ended_with_build(const Recording& recording, std::uint32_t row) {
  if (recording.run_seconds(row) > 0) return false;
  switch (recording.category(row)) {
    case ErrorCategory::InstantiationError:
    case ErrorCategory::CompileHost:
    case ErrorCategory::CompileDevice:
    case ErrorCategory::BuildTimeout:
    case ErrorCategory::UnknownError:
      return true;
    default:
      return false;
  }
}

}  // namespace kernelscape::trial
