#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/int128.h"
#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/trial/table.h"
#include "core/trial/trial.h"

namespace kernelscape::trial {

/**
 * The origin of a recorded space: texts as stored in a session's row, interpreted by the code that writes
 * them.
 */
struct RecordingHeader {
  std::string name;             ///< "resnet18/C12 conv2d-packed"
  std::string created_utc;      ///< ISO 8601: when it was measured
  std::string program_version;  ///< version of the program that wrote the file
  std::string origin;  ///< who measured it: "swept by Kernelscape", "Kernel Tuner cache gemm.json.gz"
  std::string task_json;
  std::string target_name;    ///< the measured target: "cpu", "cuda:0"
  std::string target_json;    ///< all fields of the description, including device and compiler
  std::string template_name;  ///< empty: generic
  int template_version = 0;
  std::string options_json;    ///< measurement options
  std::string vendor_json;     ///< baselines of the trials; may be empty
  std::uint64_t seed = 0;      ///< seed of the sweep
  int builders = 1;            ///< number of parallel build workers
  bool pipelined = false;      ///< building and running overlap (GPU targets)
  std::string project_json{};  ///< project of a user's own kernel; otherwise empty
  /// usual times of the speed probe on the machine that measured; unknown: the trials have no probes
  ProbeSeconds usual_probe{};
  std::int32_t probe_version = 0;  ///< version of the probe that measured them; 0: none

  bool operator==(const RecordingHeader&) const = default;
};

/**
 * A metric by row: a number per configuration besides its times, such as "energy", or "GFLOP/s" of an
 * imported file.
 */
struct RecordedColumn {
  std::string name;
  std::vector<double> values;  ///< by row; NaN: no value
  std::string unit = {};       ///< empty: none

  bool operator==(const RecordedColumn&) const = default;
};

/**
 * A recorded space: measurements of many or all members of a space, in the order of their indices. Immutable;
 * readable from any thread. Its bytes are the file: a file is mapped when it is opened, and columns are read
 * in place.
 *
 * File, little-endian: "KSREC\0\0", a byte with the version, u64 bytes of the header, u64 count of rows, u64
 * CRC-32 of all that follows, the header as JSON, then columns that each begin at a multiple of 8.
 * recording_preamble.h defines their order; all-zero columns are omitted. Version 2 has resources and build
 * logs of GPU kernels, version 3 times of the speed probe. A recording has the smallest version that its
 * columns need, so that older programs can read one without them.
 */
class Recording {
 public:
  /** Opens a recording by mapping the file. Every error names the path. */
  static Result<std::shared_ptr<const Recording>> open(const std::filesystem::path& path);
  /** Reads a recording from bytes. @param name its name in errors */
  static Result<std::shared_ptr<const Recording>> from_bytes(std::string bytes, std::string_view name);

  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const RecordingHeader& header() const;  ///< the origin of the space, and how it was measured
  /**
   * Returns the recorded configurations as a space: the template's own space if every member was recorded,
   * otherwise exactly the recorded members.
   */
  const space::SearchSpace& space() const;
  /**
   * Returns true if every member of the swept space was recorded, so that the best recorded member is the
   * optimum.
   */
  bool complete() const;
  /**
   * Returns the swept space with its knobs and constraints; equal to space() if the recording is complete.
   */
  const space::SearchSpace& whole_space() const;

  std::uint32_t size() const;  ///< number of rows: measured configurations, including failed ones
  base::uint128 index(std::uint32_t row) const;  ///< mixed radix; ascending
  /**
   * Returns the configuration of a row, which is valid in whole_space() and in space(): value indices in the
   * order of the knobs.
   */
  space::Configuration configuration(std::uint32_t row) const;
  /** Returns the row of a configuration; nullopt if it was not recorded or does not fit the knobs. */
  std::optional<std::uint32_t> find(const space::Configuration& configuration) const;

  ErrorCategory category(std::uint32_t row) const;  ///< NoError, or the reason why the row has no time
  /** Returns the time by which the row is ranked, in seconds; 0 on errors. */
  double seconds(std::uint32_t row) const;
  /** Returns true if seconds() is an imported file's own objective, not the median of the samples. */
  bool has_own_objective(std::uint32_t row) const;
  /**
   * Returns true if the objective of any row differs from the median of its samples, see objective_kind().
   */
  bool has_own_objectives() const;
  double build_seconds(std::uint32_t row) const;  ///< time that its own build took; 0: not known
  /** Returns the time that its own run took, including checks and warm-up; 0: not known. */
  double run_seconds(std::uint32_t row) const;
  /**
   * Returns the samples in place: seconds per call, one per repeat; empty on errors or if the file has none.
   */
  std::span<const double> samples(std::uint32_t row) const;
  /** Returns the position of the row's message in messages(); nullopt if it has none. */
  std::optional<std::uint32_t> message(std::uint32_t row) const;
  /** Returns the position of the row's build log in messages(); nullopt if it has none. */
  std::optional<std::uint32_t> build_log(std::uint32_t row) const;
  const std::vector<std::string>& messages() const;  ///< messages and build logs, each text once
  /** Returns the resources of the row's GPU kernel, if they are known. */
  std::optional<KernelResources> resources(std::uint32_t row) const;
  /** Returns true if any row has resources. */
  bool has_resources() const;
  /** Returns true if the file has times of the speed probe. */
  bool has_probes() const;
  Measurement measurement(std::uint32_t row) const;  ///< the whole row, with copies of its texts
  /**
   * Returns the row of a trial table, without numbers and times of the session.
   * @param first_message id of the first text of messages()
   */
  Row trial_row(std::uint32_t row, std::int64_t first_message) const;
  /** Returns the metrics by row; empty if the recording has none. */
  const std::vector<RecordedColumn>& columns() const;
  /** Returns the names and the units of columns(). */
  std::vector<MetricName> metric_names() const;
  /** Sets the values of a row in the order of metric_names(); NaN: none. */
  void read_metrics(std::uint32_t row, std::vector<double>& values) const;

  /** Returns the row with the smallest time; nullopt if there is no valid row. */
  std::optional<std::uint32_t> best() const;

  /** Returns the bytes of the whole file. */
  std::string_view bytes() const;
  /** Returns a hash of the bytes that identifies the recording. */
  std::uint64_t hash() const;

 private:
  struct Data;
  explicit Recording(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/**
 * Returns, by row, the time in seconds at which its result would be known if the rows were measured one after
 * the other.
 */
std::vector<double> recorded_finished_seconds(const Recording& recording);

/**
 * Returns true if the row's trial ended with its build. A kernel that a device's loader rejected also cost a
 * run.
 */
bool ended_with_build(const Recording& recording, std::uint32_t row);

}  // namespace kernelscape::trial
