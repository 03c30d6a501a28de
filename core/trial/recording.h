#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/int128.h"
#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/trial/trial.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

/** What a recorded space was made from: texts as a session's row holds them, understood by their makers. */
struct RecordingHeader {
  std::string name;             ///< "resnet18/C12 conv2d-packed"
  std::string created_utc;      ///< ISO 8601: when it was measured
  std::string program_version;  ///< that wrote the file
  std::string origin;  ///< who measured it: "swept by Kernelscape", "Kernel Tuner cache gemm.json.gz"
  std::string task_json;
  std::string target_name;    ///< what was measured: "cpu", "cuda:0"
  std::string target_json;    ///< the description's every field; device and compiler among them
  std::string template_name;  ///< empty: generic
  int template_version = 0;
  std::string options_json;    ///< measuring
  std::string vendor_json;     ///< what the trials were compared with; may be empty
  std::uint64_t seed = 0;      ///< of the sweep
  int builders = 1;            ///< workers that built at the same time
  bool pipelined = false;      ///< building and running overlap (GPU targets)
  std::string project_json{};  ///< of a user's own kernel: what it was made from; else empty

  bool operator==(const RecordingHeader&) const = default;
};

/** A number per configuration that a foreign file carried beside its timings: "GFLOP/s", "nvml_energy". */
struct RecordedColumn {
  std::string name;
  std::vector<double> values;  ///< by row; NaN: none

  bool operator==(const RecordedColumn&) const = default;
};

/**
 * A recorded space: measurements of many or all members of a space, in the order of their indices. Immutable;
 * any thread may read it. Its bytes are the file: opened from a file, they are mapped, and columns are read
 * in place.
 *
 * File, little-endian: "KSREC\0\0", a byte with the version, u64 bytes of the header, u64 count of rows, u64
 * CRC-32 of all that follows, the header as JSON, then columns that each begin at a multiple of 8.
 * recording_data.h has their order; those that are all zero are left out. Version 2 has resources and build
 * logs of GPU kernels; what has none is written as version 1, which older programs read.
 */
class Recording {
 public:
  /** Maps the file. Every error names the path. */
  static Result<std::shared_ptr<const Recording>> open(const std::filesystem::path& path);
  /** @param name what errors call it */
  static Result<std::shared_ptr<const Recording>> from_bytes(std::string bytes, std::string_view name);

  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const RecordingHeader& header() const;  ///< what the space was made from, and how it was measured
  /**
   * The recorded configurations as a space: the template's own where every member was recorded, else exactly
   * those that were.
   */
  const SearchSpace& space() const;
  /** Whether every member of the space it was swept from was recorded, so that its best is the optimum. */
  bool complete() const;
  /** The knobs and constraints of the space that was swept; equal to space() where it is complete. */
  const SearchSpace& whole_space() const;

  std::uint32_t size() const;              ///< rows: configurations that were measured, failed ones included
  uint128 index(std::uint32_t row) const;  ///< mixed radix; ascending
  /** Of whole_space() as of space(): value indices, in the order of the knobs. */
  Configuration configuration(std::uint32_t row) const;
  /** The row of a configuration; none: it was not recorded, or does not fit the knobs. */
  std::optional<std::uint32_t> find(const Configuration& configuration) const;

  ErrorCategory category(std::uint32_t row) const;  ///< NoError, or why the row has no time
  /** What the row is ranked by; 0 on errors. */
  double seconds(std::uint32_t row) const;
  /** Whether that is an imported file's own objective, not the median of the samples. */
  bool has_own_objective(std::uint32_t row) const;
  /** Whether a row's objective differs from the median of its samples, see objective_kind(). */
  bool has_own_objectives() const;
  double build_seconds(std::uint32_t row) const;  ///< work seconds of its own build; 0: not known
  /** Work seconds of its own run, checks and warm-up included; 0: not known. */
  double run_seconds(std::uint32_t row) const;
  /** Seconds per call, one per repeat, in place; empty on errors or where the file has none. */
  std::span<const double> samples(std::uint32_t row) const;
  /** Position of the row's text in messages(); none without a message. */
  std::optional<std::uint32_t> message(std::uint32_t row) const;
  /** The same of its build log. */
  std::optional<std::uint32_t> build_log(std::uint32_t row) const;
  const std::vector<std::string>& messages() const;  ///< texts of messages and build logs, each once
  /** Of the GPU kernel that was built. */
  std::optional<KernelResources> resources(std::uint32_t row) const;
  /** Whether a row has some. */
  bool has_resources() const;
  Measurement measurement(std::uint32_t row) const;  ///< all that the row holds, its texts copied
  /**
   * The row of a trial table, without numbers and times of the session.
   * @param first_message id of the first text of messages()
   */
  TrialRow trial_row(std::uint32_t row, std::int64_t first_message) const;
  /** Further numbers of a foreign file, by row; empty: it had none. */
  const std::vector<RecordedColumn>& columns() const;

  /** The row with the smallest seconds; none without a valid one. */
  std::optional<std::uint32_t> best() const;

  /** The whole file. */
  std::string_view bytes() const;
  /** Of the bytes: tells recordings apart. */
  std::uint64_t hash() const;

 private:
  struct Data;
  explicit Recording(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/** By row: when it was known, were they measured one after the other. A recorded space as a session has them.
 */
std::vector<double> recorded_finished_seconds(const Recording& recording);

/** Whether the row's trial was over with its build. A kernel that a device's loader refused has cost a run as
 * well.
 */
bool ended_with_build(const Recording& recording, std::uint32_t row);

/** Collects rows in any order and makes a recording of them. */
class RecordingBuilder {
 public:
  /** @param swept the space that was swept; an imported file's knobs without constraints */
  RecordingBuilder(RecordingHeader header, SearchSpace swept);

  /**
   * A configuration that was added before is replaced, its columns too. Samples and objective of an error are
   * left out. Errors: it is no member of the swept space; a time that is negative or not finite; resources
   * that no kernel can have.
   */
  Status add(const Configuration& configuration, const Measurement& measurement);
  /**
   * A value for a configuration that was added; names in order of their first use. One that was not added is
   * a programming error and throws std::invalid_argument.
   */
  void set_column(std::string_view name, const Configuration& configuration, double value);
  std::size_t size() const;  ///< configurations added so far, each counted once

  /** Errors: nothing was added; over 2^31 rows. */
  Result<std::shared_ptr<const Recording>> build() const;

 private:
  struct Row {
    Configuration configuration;
    Measurement measurement;
    std::vector<std::pair<std::uint32_t, double>> columns;
  };
  RecordingHeader header_;
  SearchSpace swept_;
  std::vector<Row> rows_;
  std::unordered_map<Configuration, std::size_t> positions_;  ///< in rows_
  std::vector<std::string> column_names_;
};

}  // namespace kernelscape
