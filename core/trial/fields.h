#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/trial/field_table.h"
#include "core/trial/measure_options.h"
#include "core/trial/table.h"
#include "core/trial/trial.h"

namespace kernelscape::trial {

/** The columns of a trial's measurements, in order. */
enum class Measured : std::uint8_t {
  Trial,
  Batch,
  Error,
  Gflops,  ///< not a field: computed from the median
  Milliseconds,
  FirstQuartile,
  ThirdQuartile,
  Samples,
  SamplesSaved,
  BuildSeconds,
  RunSeconds,
  FinishedSeconds,
  CutShort,
  Registers,
  SpilledBytes,
  SharedBytes,
  Threads,
  Occupancy,
  LimitedBy,
  Worker,
  Objective,
  SampleMedian,
  ComputeProbeBefore,
  MemoryProbeBefore,
  ComputeProbeAfter,
  MemoryProbeAfter,
  InterruptedShare,
  UninterruptedMilliseconds,
  Speed,  ///< not a field: derived from the probes, as SlowPhase
  SlowPhase,
  Bandwidth  ///< not a field: the bytes that a call moves at least, by its median
};

/**
 * The stored fields of a trial, each declared once. The database's columns, checksums and SQL texts,
 * recordings, sessions as JSON, workers' messages, trial tables, columns of tables, CSV and events are
 * generated from this table. To add a field: add a member of Measurement or KernelResources, if needed one of
 * Row, an entry with the next places, and a migration of the schema that adds its column. A field that
 * most trials do not have needs a table like gpu_fields or probe_fields.
 */
inline constexpr std::tuple trial_fields{
    Field<&Trial::number, &Row::number>{
        {.key = "number",
         .json = 0,
         .stored = 0,
         .max_stored = std::int64_t{1} << 52,
         .event = "trial",
         .column = ColumnFacts{.measured = Measured::Trial, .name = "trial", .title = "trial", .usual = 0}}},
    Field<&Trial::batch, &Row::batch>{
        {.key = "batch",
         .json = 1,
         .stored = 1,
         .event = "batch",
         .column = ColumnFacts{.measured = Measured::Batch, .name = "batch", .title = "batch"}}},
    Field<&Trial::position, &Row::position>{{.key = "position", .json = 2, .stored = 2, .event = "position"}},
    Field<&Trial::configuration>{{.key = "indices", .json = 3}},
    Field<&Measurement::category, &Row::category>{
        {.key = "category",
         .wire = 0,
         .json = 14,
         .stored = 3,
         .recorded = 2,
         .event = "category",
         .column = ColumnFacts{.measured = Measured::Error, .name = "error", .title = "error", .usual = 3}}},
    Field<&Measurement::cut_short, &Row::cut_short>{
        {.key = "cut_short",
         .wire = 4,
         .json = 9,
         .stored = 4,
         .event = "cut_short",
         .column = ColumnFacts{.measured = Measured::CutShort, .name = "cut_short", .title = "cut short"}}},
    Field<&Measurement::samples_seconds, &Row::sample_count>{
        {.key = "samples_seconds",
         .wire = 1,
         .json = 4,
         .stored = 5,
         .select = "length(samples) / 8",
         .max_stored = max_repeats,
         .valid_only = true,
         .event = "samples_seconds",
         .column = ColumnFacts{.measured = Measured::Samples, .name = "samples", .title = "samples"}}},
    Field<&Measurement::message, &Row::message>{{.key = "message",
                                                 .wire = 8,
                                                 .json = 13,
                                                 .stored = 6,
                                                 .null = StoredNull::WhereZero,
                                                 .event = "message"}},
    Field<&Measurement::samples_saved, &Row::samples_saved>{
        {.key = "samples_saved",
         .wire = 6,
         .json = 11,
         .stored = 7,
         .recorded = 11,
         .valid_only = true,
         .event = "samples_saved",
         .column =
             ColumnFacts{.measured = Measured::SamplesSaved, .name = "samples_saved", .title = "saved"}}},
    // The objective: the median of the samples, or an imported file's own objective.
    Field<nullptr, &Row::median_seconds>{{.key = "median_seconds",
                                          .stored = 8,
                                          .recorded = 4,
                                          .recorded_as = "seconds",
                                          .select = "coalesce(median_seconds, recorded_seconds)",
                                          .null = StoredNull::WithoutSamples,
                                          .column = ColumnFacts{.measured = Measured::Milliseconds,
                                                                .name = "ms",
                                                                .title = "median",
                                                                .unit = "ms",
                                                                .factor = 1e3,
                                                                .logarithmic = true,
                                                                .timed = true,
                                                                .usual = 2,
                                                                .of_runs = true}}},
    Field<nullptr, &Row::first_quartile_seconds>{{.key = "first_quartile_seconds",
                                                  .stored = 9,
                                                  .recorded = 5,
                                                  .recorded_as = "first_quartile",
                                                  .null = StoredNull::WithoutSamples,
                                                  .column = ColumnFacts{.measured = Measured::FirstQuartile,
                                                                        .name = "ms_q1",
                                                                        .title = "first quartile",
                                                                        .unit = "ms",
                                                                        .factor = 1e3,
                                                                        .logarithmic = true,
                                                                        .timed = true}}},
    Field<nullptr, &Row::third_quartile_seconds>{{.key = "third_quartile_seconds",
                                                  .stored = 10,
                                                  .recorded = 6,
                                                  .recorded_as = "third_quartile",
                                                  .null = StoredNull::WithoutSamples,
                                                  .column = ColumnFacts{.measured = Measured::ThirdQuartile,
                                                                        .name = "ms_q3",
                                                                        .title = "third quartile",
                                                                        .unit = "ms",
                                                                        .factor = 1e3,
                                                                        .logarithmic = true,
                                                                        .timed = true}}},
    // Computed from the samples; files and the database have recorded_seconds.
    Field<nullptr, &Row::objective>{{.key = "objective",
                                     .column = ColumnFacts{.measured = Measured::Objective,
                                                           .name = "objective",
                                                           .title = "objective is",
                                                           .timed = true,
                                                           .usual = 2,
                                                           .of_runs = true}}},
    Field<nullptr, &Row::sample_median_seconds>{{.key = "sample_median_seconds",
                                                 .column = ColumnFacts{.measured = Measured::SampleMedian,
                                                                       .name = "ms_median",
                                                                       .title = "sample median",
                                                                       .unit = "ms",
                                                                       .factor = 1e3,
                                                                       .logarithmic = true,
                                                                       .timed = true}}},
    Field<&Measurement::build_seconds, &Row::build_seconds>{
        {.key = "build_seconds",
         .wire = 2,
         .json = 6,
         .stored = 11,
         .recorded = 7,
         .event = "build_seconds",
         .column = ColumnFacts{.measured = Measured::BuildSeconds,
                               .name = "build_s",
                               .title = "build",
                               .unit = "s",
                               .usual = place_of_knobs + 1}}},
    Field<&Measurement::run_seconds, &Row::run_seconds>{
        {.key = "run_seconds",
         .wire = 3,
         .json = 7,
         .stored = 12,
         .recorded = 8,
         .event = "run_seconds",
         .column = ColumnFacts{.measured = Measured::RunSeconds,
                               .name = "run_s",
                               .title = "run",
                               .unit = "s",
                               .usual = place_of_knobs + 2,
                               .of_runs = true}}},
    Field<&Trial::finished_seconds, &Row::finished_seconds>{
        {.key = "finished_seconds",
         .json = 8,
         .stored = 13,
         .event = "finished_seconds",
         .column = ColumnFacts{.measured = Measured::FinishedSeconds,
                               .name = "finished_s",
                               .title = "finished",
                               .unit = "s"}}},
    Field<&Measurement::preempted_samples>{{.key = "preempted_samples",
                                            .wire = 5,
                                            .json = 10,
                                            .stored_apart = 0,
                                            .recorded = 10,
                                            .recorded_as = "preempted"}},
    Field<&Measurement::worst_error>{{.key = "worst_error",
                                      .wire = 7,
                                      .json = 12,
                                      .stored_apart = 1,
                                      .recorded = 9,
                                      .range = RealRange::Magnitude}},
    Field<&Measurement::recorded_seconds>{
        {.key = "recorded_seconds", .json = 5, .stored_apart = 2, .null = StoredNull::WhereZero}},
    // For fleets only: rows of other sessions do not have it, in files and in the database.
    Field<&Measurement::worker, &Row::worker>{{.key = "worker",
                                               .zero_is_unknown = true,
                                               .event = "worker",
                                               .column = ColumnFacts{.measured = Measured::Worker,
                                                                     .name = "worker",
                                                                     .title = "worker",
                                                                     .usual = place_of_knobs + 3}}},
};

/** The fields that only trials of GPU kernels have, as trial_fields; NULL for other trials. */
inline constexpr std::tuple gpu_fields{
    Field<&KernelResources::registers>{
        {.key = "registers",
         .wire = 0,
         .json = 0,
         .stored = 0,
         .recorded = 17,
         .recorded_since = 2,
         .zero_is_unknown = true,
         .counted = "registers",
         .logged = "registers",
         .column =
             ColumnFacts{
                 .measured = Measured::Registers, .name = "registers", .title = "registers", .usual = 6}}},
    Field<&KernelResources::spilled_bytes>{{.key = "spilled_bytes",
                                            .wire = 1,
                                            .json = 1,
                                            .stored = 1,
                                            .recorded = 18,
                                            .recorded_since = 2,
                                            .counted = "B spilled",
                                            .logged = "spilled_bytes",
                                            .column = ColumnFacts{.measured = Measured::SpilledBytes,
                                                                  .name = "spilled_bytes",
                                                                  .title = "spilled",
                                                                  .unit = "B",
                                                                  .usual = 7}}},
    Field<&KernelResources::shared_bytes>{{.key = "shared_bytes",
                                           .wire = 2,
                                           .json = 2,
                                           .stored = 2,
                                           .recorded = 19,
                                           .recorded_since = 2,
                                           .counted = "B of shared memory",
                                           .logged = "shared_bytes",
                                           .column = ColumnFacts{.measured = Measured::SharedBytes,
                                                                 .name = "shared_bytes",
                                                                 .title = "shared memory",
                                                                 .unit = "B",
                                                                 .usual = 8}}},
    Field<&KernelResources::threads>{{.key = "threads",
                                      .wire = 3,
                                      .json = 3,
                                      .stored = 3,
                                      .recorded = 20,
                                      .recorded_since = 2,
                                      .zero_is_unknown = true,
                                      .counted = "threads",
                                      .logged = "threads",
                                      .column = ColumnFacts{.measured = Measured::Threads,
                                                            .name = "threads",
                                                            .title = "threads",
                                                            .logarithmic = true,
                                                            .usual = 9}}},
    Field<&KernelResources::occupancy>{{.key = "occupancy",
                                        .wire = 4,
                                        .json = 4,
                                        .stored = 6,
                                        .recorded = 21,
                                        .recorded_since = 2,
                                        .range = RealRange::Share,
                                        .zero_is_unknown = true,
                                        .logged = "occupancy_percent",
                                        .column = ColumnFacts{.measured = Measured::Occupancy,
                                                              .name = "occupancy",
                                                              .title = "occupancy",
                                                              .unit = "%",
                                                              .factor = 100,
                                                              .usual = 4}}},
    Field<&KernelResources::limited_by>{
        {.key = "limited_by",
         .wire = 5,
         .json = 5,
         .stored = 4,
         .recorded = 22,
         .recorded_since = 2,
         .zero_is_unknown = true,
         .column =
             ColumnFacts{
                 .measured = Measured::LimitedBy, .name = "limited_by", .title = "limited by", .usual = 5}}},
    Field<&Measurement::build_log, &Row::build_log>{
        {.key = "build_log", .stored = 5, .null = StoredNull::WhereZero, .event = "build_log"}},
};

/** Returns the facts of a time of the speed probe. @param place its place in all formats except recordings */
constexpr FieldFacts probe_facts(int place, std::string_view key, Measured measured, std::string_view name,
                                 std::string_view title) {
  return {.key = key,
          .wire = place,
          .json = place,
          .stored = place,
          .recorded = 24 + place,  // behind the gpu_fields
          .recorded_since = 3,
          .null = StoredNull::WhereZero,
          .zero_is_unknown = true,
          .event = key,
          .column = ColumnFacts{.measured = measured,
                                .name = name,
                                .title = title,
                                .unit = "ms",
                                .factor = 1e3,
                                .logarithmic = true,
                                .of_runs = true}};
}

/**
 * What the worker noticed of the machine's speed, as trial_fields: the times of the speed probe around a
 * trial and the interruptions of its samples; 0 and NULL if they were not measured. All formats leave them
 * out of trials that have none of them, which are written as before there were probes.
 */
inline constexpr std::tuple probe_fields{
    Field<&Measurement::compute_probe_before_seconds, &Row::probe_before, &ProbeSeconds::compute>{
        probe_facts(0, "compute_probe_before_seconds", Measured::ComputeProbeBefore,
                    "compute_probe_before_ms", "compute probe before")},
    Field<&Measurement::memory_probe_before_seconds, &Row::probe_before, &ProbeSeconds::memory>{
        probe_facts(1, "memory_probe_before_seconds", Measured::MemoryProbeBefore, "memory_probe_before_ms",
                    "memory probe before")},
    Field<&Measurement::compute_probe_after_seconds, &Row::probe_after, &ProbeSeconds::compute>{
        probe_facts(2, "compute_probe_after_seconds", Measured::ComputeProbeAfter, "compute_probe_after_ms",
                    "compute probe after")},
    Field<&Measurement::memory_probe_after_seconds, &Row::probe_after, &ProbeSeconds::memory>{
        probe_facts(3, "memory_probe_after_seconds", Measured::MemoryProbeAfter, "memory_probe_after_ms",
                    "memory probe after")},
    Field<&Measurement::interrupted_share, &Row::interrupted_share>{
        {.key = "interrupted_share",
         .wire = 4,
         .json = 4,
         .stored = 4,
         .recorded = 28,
         .recorded_since = 3,
         .null = StoredNull::WhereZero,
         .range = RealRange::Share,
         .zero_is_unknown = true,
         .event = "interrupted_share",
         .column = ColumnFacts{.measured = Measured::InterruptedShare,
                               .name = "interrupted_percent",
                               .title = "interrupted",
                               .unit = "%",
                               .factor = 100,
                               .of_runs = true}}},
    Field<&Measurement::uninterrupted_seconds, &Row::uninterrupted_seconds>{
        {.key = "uninterrupted_seconds",
         .wire = 5,
         .json = 5,
         .stored = 5,
         .recorded = 29,
         .recorded_since = 3,
         .null = StoredNull::WhereZero,
         .zero_is_unknown = true,
         .event = "uninterrupted_seconds",
         .column = ColumnFacts{.measured = Measured::UninterruptedMilliseconds,
                               .name = "uninterrupted_ms",
                               .title = "without interruptions",
                               .unit = "ms",
                               .factor = 1e3,
                               .logarithmic = true,
                               .of_runs = true}}},
};

/** Returns a reference to the value of a field of probe_fields in a row of a trial table. */
template <typename Field, typename Row>
constexpr auto& probe_in(Field, Row& row) {
  if constexpr (Field::of_probe)
    return row.*Field::in_row.*Field::in_probe;
  else
    return row.*Field::in_row;
}

/** Returns true if any of the probe_fields of a trial is known. */
bool has_probes(const Measurement& measurement);
bool has_probes(const Row& row);

/** Returns a reference to a field's value in a trial, which may be const. */
template <typename Field, typename TrialPart>
constexpr auto& value_in(Field, TrialPart& part) {
  if constexpr (std::is_same_v<std::remove_const_t<TrialPart>, typename Field::Owner>)
    return part.*Field::in_trial;
  else
    return part.measurement.*Field::in_trial;
}

/** Returns the position of the field of a column; the table's size if the column has no field. */
template <Measured what, std::size_t... i>
consteval std::size_t position_of_measured(std::index_sequence<i...>) {
  std::size_t position = table_size<trial_fields>;
  const auto look_at = [&](std::size_t at, const FieldFacts& facts) {
    if (facts.column && facts.column->measured == what) position = at;
  };
  (look_at(i, FieldAt<trial_fields, i>::facts), ...);
  return position;
}
/** The field of trial_fields that a column shows. */
template <Measured what>
using MeasuredField =
    FieldAt<trial_fields, position_of_measured<what>(std::make_index_sequence<table_size<trial_fields>>())>;

/** Returns the value of the column's field in a row of a trial table, or in a trial or its measurement. */
template <Measured what, typename TrialPart>
constexpr const auto& measured_in(const TrialPart& part) {
  using Field = MeasuredField<what>;
  if constexpr (std::is_same_v<TrialPart, Row>)
    return part.*Field::in_row;
  else
    return value_in(Field(), part);
}

/** Returns true if every field has a plausible value, including those of its resources, and every metric. */
bool plausible(const Measurement& measurement);

}  // namespace kernelscape::trial
