#include "core/trial/table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/base/quantile.h"
#include "core/trial/fields.h"

namespace kernelscape::trial {
namespace {

/**
 * Small, so that a session of a few trials needs little memory; the list of chunks is still short at a
 * million trials.
 */
constexpr std::int64_t rows_per_chunk = 1024;

template <typename T>
using Column = std::array<T, static_cast<std::size_t>(rows_per_chunk)>;

/** A field's column for the rows of a chunk. */
template <typename Field>
struct FieldColumn {
  // NOLINTNEXTLINE(modernize-use-equals-default): see behind it
  FieldColumn() {}  // not defaulted: a tuple would first fill each chunk with zeros
  Column<typename Field::RowValue> values;
};
/** A field that rows of trial tables do not have. */
template <typename Field>
  requires std::is_void_v<typename Field::RowValue>
struct FieldColumn<Field> {};

/** The columns of the fields of a table. */
template <const auto& table>
struct FieldColumns {
  template <typename Field>
  auto& of(Field) {
    return std::get<FieldColumn<Field>>(columns).values;
  }
  template <typename Field>
  const auto& of(Field) const {
    return std::get<FieldColumn<Field>>(columns).values;
  }

  HeldOfEachField<FieldColumn, table> columns;
};

std::size_t slot_of(std::int64_t trial) { return static_cast<std::size_t>(trial % rows_per_chunk); }

}  // namespace

void set_samples(Row& row, std::vector<double> samples) {
  std::ranges::sort(samples);
  row.sample_count = clamped<std::uint16_t>(samples.size());
  row.first_quartile_seconds = base::sorted_quantile(samples, 0.25);
  row.median_seconds = row.sample_median_seconds = base::sorted_quantile(samples, 0.5);
  row.objective = ObjectiveKind::Median;
  row.third_quartile_seconds = base::sorted_quantile(samples, 0.75);
}

void set_objective(Row& row, double objective_seconds, std::span<const double> samples) {
  row.median_seconds = objective_seconds;
  row.objective = objective_kind(objective_seconds, samples);
  row.sample_median_seconds = base::quantile({samples.begin(), samples.end()}, 0.5);
}

Row make_row(const Trial& trial, std::int64_t message, std::int64_t build_log, std::uint16_t worker) {
  const Measurement& measurement = trial.measurement;
  Row row{.message = message, .resources = measurement.resources, .build_log = build_log, .worker = worker};
  for_each_field<trial_fields>([&](auto field) {
    if constexpr (field.has_row_member && field.scalar && !std::is_void_v<typename decltype(field)::Owner>) {
      if (field.facts.valid_only && !measurement.valid()) return;
      row.*field.in_row = clamped<typename decltype(field)::RowValue>(value_in(field, trial));
    }
  });
  for_each_field<probe_fields>([&](auto field) { probe_in(field, row) = value_in(field, measurement); });
  if (!measurement.valid()) return row;
  set_samples(row, measurement.samples_seconds);
  if (measurement.recorded_seconds > 0)
    set_objective(row, measurement.recorded_seconds, measurement.samples_seconds);
  return row;
}

namespace {

/** The additional fields of GPU kernels. Rows have none until they are written. */
struct GpuColumns : FieldColumns<gpu_fields> {
  GpuColumns() {
    of(FieldOf<gpu_fields, &KernelResources::registers>()).fill(no_resources);
    of(FieldOf<gpu_fields, &Row::build_log>()).fill(0);
  }

  void write(std::size_t slot, const Row& row) {
    for_each_field<gpu_fields>([&](auto field) {
      if constexpr (field.has_row_member) {
        of(field)[slot] = row.*field.in_row;
      } else if (row.resources) {
        of(field)[slot] = value_in(field, *row.resources);
      }
    });
  }

  void read(std::size_t slot, Row& row) const {
    if (of(FieldOf<gpu_fields, &KernelResources::registers>())[slot] != no_resources) row.resources.emplace();
    for_each_field<gpu_fields>([&](auto field) {
      if constexpr (field.has_row_member) {
        row.*field.in_row = of(field)[slot];
      } else if (row.resources) {
        value_in(field, *row.resources) = of(field)[slot];
      }
    });
  }

  static constexpr std::int32_t no_resources = -1;
};

/** The probe_fields. Rows have none until they are written. */
struct ProbeColumns {
  Column<ProbeSeconds> before{};
  Column<ProbeSeconds> after{};
  Column<double> interrupted_share{};
  Column<double> uninterrupted_seconds{};
};

constexpr double no_metric = std::numeric_limits<double>::quiet_NaN();

/** Metrics of a chunk. Rows have none until they are written. The number of metrics does not change. */
struct MetricColumns {
  /**
   * Creates columns for more metrics than `before` has, whose values are copied: for at least twice as many,
   * because the earlier ones are kept.
   */
  MetricColumns(std::size_t metrics, const MetricColumns* before) {
    const std::size_t known = before == nullptr ? 0 : before->columns.size();
    if (before != nullptr) columns = before->columns;
    columns.resize(std::max(metrics, 2 * known));
    for (std::size_t metric = known; metric < columns.size(); ++metric) columns[metric].fill(no_metric);
  }

  std::vector<Column<double>> columns;
};

}  // namespace

/**
 * The writer only fills slots that no snapshot covers yet, so readers and writer never access the same
 * memory.
 */
struct Snapshot::Chunk : FieldColumns<trial_fields> {
  explicit Chunk(std::size_t knob_count) : knob_indices(knob_count) {}

  void write(std::size_t slot, const Row& row, const space::Configuration& configuration,
             std::span<const double> metrics) {
    for_each_field<trial_fields>([&](auto field) {
      if constexpr (field.has_row_member) of(field)[slot] = row.*field.in_row;
    });
    if (row.resources || row.build_log != 0) {
      if (!gpu_columns) gpu_columns = std::make_unique<GpuColumns>();
      gpu_columns->write(slot, row);
      // Readers of earlier rows may read it concurrently.
      published_gpu_columns.store(gpu_columns.get(), std::memory_order_release);
    }
    if (has_probes(row)) {
      if (!probe_columns) probe_columns = std::make_unique<ProbeColumns>();
      probe_columns->before[slot] = row.probe_before;
      probe_columns->after[slot] = row.probe_after;
      probe_columns->interrupted_share[slot] = row.interrupted_share;
      probe_columns->uninterrupted_seconds[slot] = row.uninterrupted_seconds;
      published_probe_columns.store(probe_columns.get(), std::memory_order_release);
    }
    if (!metrics.empty()) write_metrics(slot, metrics);
    for (std::size_t knob = 0; knob < knob_indices.size(); ++knob) {
      knob_indices[knob][slot] = configuration.indices[knob];
    }
  }

  /** A chunk whose rows get more metrics gets larger columns; readers may still use the earlier ones. */
  void write_metrics(std::size_t slot, std::span<const double> metrics) {
    const MetricColumns* before = metric_columns.empty() ? nullptr : metric_columns.back().get();
    if (before == nullptr || before->columns.size() < metrics.size()) {
      metric_columns.push_back(std::make_unique<MetricColumns>(metrics.size(), before));
      metric_bytes += metric_columns.back()->columns.size() * sizeof(Column<double>);
    }
    MetricColumns& newest = *metric_columns.back();
    for (std::size_t metric = 0; metric < metrics.size(); ++metric)
      newest.columns[metric][slot] = metrics[metric];
    published_metric_columns.store(&newest, std::memory_order_release);
  }

  double metric(std::size_t slot, std::size_t metric) const {
    const MetricColumns* metrics = published_metric_columns.load(std::memory_order_acquire);
    return metrics != nullptr && metric < metrics->columns.size() ? metrics->columns[metric][slot]
                                                                  : no_metric;
  }

  Row read(std::size_t slot) const {
    Row row;
    for_each_field<trial_fields>([&](auto field) {
      if constexpr (field.has_row_member) row.*field.in_row = of(field)[slot];
    });
    const GpuColumns* gpu = published_gpu_columns.load(std::memory_order_acquire);
    if (gpu != nullptr) gpu->read(slot, row);
    const ProbeColumns* probes = published_probe_columns.load(std::memory_order_acquire);
    if (probes != nullptr) {
      row.probe_before = probes->before[slot];
      row.probe_after = probes->after[slot];
      row.interrupted_share = probes->interrupted_share[slot];
      row.uninterrupted_seconds = probes->uninterrupted_seconds[slot];
    }
    return row;
  }

  std::size_t memory_bytes() const {
    const bool gpu = published_gpu_columns.load(std::memory_order_acquire) != nullptr;
    const bool probes = published_probe_columns.load(std::memory_order_acquire) != nullptr;
    return sizeof(Chunk) + knob_indices.size() * sizeof(Column<std::uint32_t>) +
           (gpu ? sizeof(GpuColumns) : 0) + (probes ? sizeof(ProbeColumns) : 0) + metric_bytes;
  }

  std::vector<Column<std::uint32_t>> knob_indices;
  std::unique_ptr<GpuColumns> gpu_columns;  ///< made with the first row that needs it
  std::atomic<const GpuColumns*> published_gpu_columns = nullptr;
  std::unique_ptr<ProbeColumns> probe_columns;  ///< made with the first row that needs it
  std::atomic<const ProbeColumns*> published_probe_columns = nullptr;
  std::vector<std::unique_ptr<MetricColumns>> metric_columns;  ///< the last one is complete
  std::atomic<const MetricColumns*> published_metric_columns = nullptr;
  std::atomic<std::size_t> metric_bytes = 0;  ///< of all metric_columns
};

const Snapshot::Chunk& Snapshot::chunk_of(std::int64_t trial) const {
  if (trial < 0 || trial >= size_) throw std::out_of_range("a trial that the snapshot does not hold");
  return *(*chunks_)[static_cast<std::size_t>(trial / rows_per_chunk)];
}

Row Snapshot::row(std::int64_t trial) const {
  Row row = chunk_of(trial).read(slot_of(trial));
  if (speeds_ && std::cmp_less(trial, speeds_->size()))
    row.machine = (*speeds_)[static_cast<std::size_t>(trial)];
  return row;
}

Snapshot Snapshot::with_speeds(std::shared_ptr<const std::vector<Speed>> speeds) const {
  Snapshot snapshot = *this;
  snapshot.speeds_ = std::move(speeds);
  return snapshot;
}

std::uint32_t Snapshot::knob_index(std::int64_t trial, std::size_t knob) const {
  return chunk_of(trial).knob_indices.at(knob)[slot_of(trial)];
}

double Snapshot::metric(std::int64_t trial, std::size_t metric) const {
  return chunk_of(trial).metric(slot_of(trial), metric);
}

space::Configuration Snapshot::configuration(std::int64_t trial) const {
  const Chunk& chunk = chunk_of(trial);
  space::Configuration configuration;
  configuration.indices.reserve(knobs_);
  for (const Column<std::uint32_t>& column : chunk.knob_indices) {
    configuration.indices.push_back(column[slot_of(trial)]);
  }
  return configuration;
}

/** A published list of chunks is never changed: adding a chunk makes a new list. */
struct Table::State {
  explicit State(std::size_t knob_count) { published.knobs_ = knob_count; }

  mutable std::mutex mutex;
  Snapshot published;  ///< written only by the appending thread, under the mutex
};

Table::Table(std::size_t knob_count) : state_(std::make_unique<State>(knob_count)) {}
Table::~Table() = default;
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(Table&&) noexcept = default;

void Table::append(const Row& row, const space::Configuration& configuration,
                   std::span<const double> metrics) {
  Snapshot& published = state_->published;
  if (configuration.indices.size() != published.knobs_) {
    throw std::invalid_argument("a configuration of another space than the trial table's");
  }
  if (published.size_ % rows_per_chunk != 0) {
    published.chunks_->back()->write(slot_of(published.size_), row, configuration, metrics);
    const std::lock_guard lock(state_->mutex);
    ++published.size_;
    return;
  }
  Snapshot::ChunkList longer = published.chunks_ ? *published.chunks_ : Snapshot::ChunkList();
  longer.push_back(std::make_shared<Snapshot::Chunk>(published.knobs_));
  longer.back()->write(0, row, configuration, metrics);
  std::shared_ptr<const Snapshot::ChunkList> chunks =
      std::make_shared<const Snapshot::ChunkList>(std::move(longer));
  const std::lock_guard lock(state_->mutex);
  published.chunks_.swap(chunks);
  ++published.size_;
}

Snapshot Table::snapshot() const {
  const std::lock_guard lock(state_->mutex);
  return state_->published;
}

std::int64_t Table::size() const { return snapshot().size(); }

std::size_t Table::memory_bytes() const {
  const Snapshot current = snapshot();
  std::size_t bytes = sizeof(State);
  if (!current.chunks_) return bytes;
  for (const auto& chunk : *current.chunks_) bytes += chunk->memory_bytes() + sizeof(chunk);
  return bytes;
}

}  // namespace kernelscape::trial
