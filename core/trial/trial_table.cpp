#include "core/trial/trial_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "core/base/quantile.h"

namespace kernelscape {
namespace {

/** Small, so that a session of a few trials stays light; the list of chunks stays short at a million trials.
 */
constexpr std::int64_t rows_per_chunk = 1024;

template <typename T>
using Column = std::array<T, static_cast<std::size_t>(rows_per_chunk)>;

std::size_t slot_of(std::int64_t trial) { return static_cast<std::size_t>(trial % rows_per_chunk); }

}  // namespace

TrialRow make_row(const Trial& trial, std::int64_t message, std::int64_t build_log) {
  const Measurement& measurement = trial.measurement;
  TrialRow row;
  row.number = trial.number;
  row.batch = trial.batch;
  row.position = trial.position;
  row.category = measurement.category;
  row.cut_short = measurement.cut_short;
  if (measurement.valid()) {
    std::vector<double> samples = measurement.samples_seconds;
    std::ranges::sort(samples);
    constexpr std::size_t most_samples = std::numeric_limits<std::uint16_t>::max();
    row.sample_count = static_cast<std::uint16_t>(std::min(samples.size(), most_samples));
    row.samples_saved =
        static_cast<std::uint16_t>(std::min<std::size_t>(measurement.samples_saved, most_samples));
    row.first_quartile_seconds = sorted_quantile(samples, 0.25);
    row.median_seconds =
        measurement.recorded_seconds > 0 ? measurement.recorded_seconds : sorted_quantile(samples, 0.5);
    row.third_quartile_seconds = sorted_quantile(samples, 0.75);
  }
  row.build_seconds = measurement.build_seconds;
  row.run_seconds = measurement.run_seconds;
  row.finished_seconds = trial.finished_seconds;
  row.message = message;
  row.resources = measurement.resources;
  row.build_log = build_log;
  return row;
}

namespace {

/** What GPU kernels have beside the rest. Rows are without until they are written. */
struct GpuColumns {
  GpuColumns() {
    registers.fill(no_resources);
    build_log.fill(0);
  }

  void write(std::size_t slot, const TrialRow& row) {
    build_log[slot] = row.build_log;
    if (!row.resources) return;
    registers[slot] = row.resources->registers;
    spilled_bytes[slot] = row.resources->spilled_bytes;
    shared_bytes[slot] = row.resources->shared_bytes;
    threads[slot] = row.resources->threads;
    occupancy[slot] = row.resources->occupancy;
    limited_by[slot] = row.resources->limited_by;
  }

  void read(std::size_t slot, TrialRow& row) const {
    row.build_log = build_log[slot];
    if (registers[slot] == no_resources) return;
    row.resources = {.registers = registers[slot],
                     .spilled_bytes = spilled_bytes[slot],
                     .shared_bytes = shared_bytes[slot],
                     .threads = threads[slot],
                     .occupancy = occupancy[slot],
                     .limited_by = limited_by[slot]};
  }

  static constexpr std::int32_t no_resources = -1;
  Column<std::int32_t> registers;
  Column<std::int64_t> spilled_bytes;
  Column<std::int64_t> shared_bytes;
  Column<std::int32_t> threads;
  Column<double> occupancy;
  Column<OccupancyLimit> limited_by;
  Column<std::int64_t> build_log;
};

}  // namespace

/** The writer fills slots that no snapshot covers yet, so readers and writer never touch the same memory. */
struct TrialSnapshot::Chunk {
  explicit Chunk(std::size_t knob_count) : knob_indices(knob_count) {}

  void write(std::size_t slot, const TrialRow& row, const Configuration& configuration) {
    number[slot] = row.number;
    batch[slot] = row.batch;
    position[slot] = row.position;
    category[slot] = row.category;
    cut_short[slot] = row.cut_short;
    sample_count[slot] = row.sample_count;
    samples_saved[slot] = row.samples_saved;
    median_seconds[slot] = row.median_seconds;
    first_quartile_seconds[slot] = row.first_quartile_seconds;
    third_quartile_seconds[slot] = row.third_quartile_seconds;
    build_seconds[slot] = row.build_seconds;
    run_seconds[slot] = row.run_seconds;
    finished_seconds[slot] = row.finished_seconds;
    message[slot] = row.message;
    if (row.resources || row.build_log != 0) {
      if (!gpu_columns) gpu_columns = std::make_unique<GpuColumns>();
      gpu_columns->write(slot, row);
      // Readers of earlier rows may look meanwhile.
      published_gpu_columns.store(gpu_columns.get(), std::memory_order_release);
    }
    for (std::size_t knob = 0; knob < knob_indices.size(); ++knob) {
      knob_indices[knob][slot] = configuration.indices[knob];
    }
  }

  TrialRow read(std::size_t slot) const {
    TrialRow row{.number = number[slot],
                 .batch = batch[slot],
                 .position = position[slot],
                 .category = category[slot],
                 .cut_short = cut_short[slot],
                 .sample_count = sample_count[slot],
                 .samples_saved = samples_saved[slot],
                 .median_seconds = median_seconds[slot],
                 .first_quartile_seconds = first_quartile_seconds[slot],
                 .third_quartile_seconds = third_quartile_seconds[slot],
                 .build_seconds = build_seconds[slot],
                 .run_seconds = run_seconds[slot],
                 .finished_seconds = finished_seconds[slot],
                 .message = message[slot]};
    const GpuColumns* gpu = published_gpu_columns.load(std::memory_order_acquire);
    if (gpu != nullptr) gpu->read(slot, row);
    return row;
  }

  std::size_t memory_bytes() const {
    const bool gpu = published_gpu_columns.load(std::memory_order_acquire) != nullptr;
    return sizeof(Chunk) + knob_indices.size() * sizeof(Column<std::uint32_t>) +
           (gpu ? sizeof(GpuColumns) : 0);
  }

  Column<std::int64_t> number;
  Column<std::int32_t> batch;
  Column<std::int32_t> position;
  Column<ErrorCategory> category;
  Column<bool> cut_short;
  Column<std::uint16_t> sample_count;
  Column<std::uint16_t> samples_saved;
  Column<double> median_seconds;
  Column<double> first_quartile_seconds;
  Column<double> third_quartile_seconds;
  Column<double> build_seconds;
  Column<double> run_seconds;
  Column<double> finished_seconds;
  Column<std::int64_t> message;
  std::vector<Column<std::uint32_t>> knob_indices;
  std::unique_ptr<GpuColumns> gpu_columns;  ///< made with the first row that needs it
  std::atomic<const GpuColumns*> published_gpu_columns = nullptr;
};

const TrialSnapshot::Chunk& TrialSnapshot::chunk_of(std::int64_t trial) const {
  if (trial < 0 || trial >= size_) throw std::out_of_range("a trial that the snapshot does not hold");
  return *(*chunks_)[static_cast<std::size_t>(trial / rows_per_chunk)];
}

TrialRow TrialSnapshot::row(std::int64_t trial) const { return chunk_of(trial).read(slot_of(trial)); }

std::uint32_t TrialSnapshot::knob_index(std::int64_t trial, std::size_t knob) const {
  return chunk_of(trial).knob_indices.at(knob)[slot_of(trial)];
}

Configuration TrialSnapshot::configuration(std::int64_t trial) const {
  const Chunk& chunk = chunk_of(trial);
  Configuration configuration;
  configuration.indices.reserve(knobs_);
  for (const Column<std::uint32_t>& column : chunk.knob_indices) {
    configuration.indices.push_back(column[slot_of(trial)]);
  }
  return configuration;
}

/** The list of chunks is never changed once published: a new chunk makes a new list. */
struct TrialTable::State {
  explicit State(std::size_t knob_count) { published.knobs_ = knob_count; }

  mutable std::mutex mutex;
  TrialSnapshot published;  ///< written by the appending thread alone, under the mutex
};

TrialTable::TrialTable(std::size_t knob_count) : state_(std::make_unique<State>(knob_count)) {}
TrialTable::~TrialTable() = default;
TrialTable::TrialTable(TrialTable&&) noexcept = default;
TrialTable& TrialTable::operator=(TrialTable&&) noexcept = default;

void TrialTable::append(const TrialRow& row, const Configuration& configuration) {
  TrialSnapshot& published = state_->published;
  if (configuration.indices.size() != published.knobs_) {
    throw std::invalid_argument("a configuration of another space than the trial table's");
  }
  if (published.size_ % rows_per_chunk != 0) {
    published.chunks_->back()->write(slot_of(published.size_), row, configuration);
    const std::lock_guard lock(state_->mutex);
    ++published.size_;
    return;
  }
  TrialSnapshot::ChunkList longer = published.chunks_ ? *published.chunks_ : TrialSnapshot::ChunkList();
  longer.push_back(std::make_shared<TrialSnapshot::Chunk>(published.knobs_));
  longer.back()->write(0, row, configuration);
  std::shared_ptr<const TrialSnapshot::ChunkList> chunks =
      std::make_shared<const TrialSnapshot::ChunkList>(std::move(longer));
  const std::lock_guard lock(state_->mutex);
  published.chunks_.swap(chunks);
  ++published.size_;
}

TrialSnapshot TrialTable::snapshot() const {
  const std::lock_guard lock(state_->mutex);
  return state_->published;
}

std::int64_t TrialTable::size() const { return snapshot().size(); }

std::size_t TrialTable::memory_bytes() const {
  const TrialSnapshot current = snapshot();
  std::size_t bytes = sizeof(State);
  if (!current.chunks_) return bytes;
  for (const auto& chunk : *current.chunks_) bytes += chunk->memory_bytes() + sizeof(chunk);
  return bytes;
}

}  // namespace kernelscape
