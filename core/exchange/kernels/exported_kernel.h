#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/best_result.h"
#include "core/base/media/shell_script.h"
#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/schedule/target.h"
#include "core/space/search_space.h"
#include "core/store/store.h"
#include "core/task/task.h"
#include "core/trial/measure_options.h"
#include "core/trial/measurement.h"
#include "core/trial/vendor_result.h"

namespace kernelscape::exchange {

/** The origin of a measured configuration. */
struct Provenance {
  store::SessionId session = 0;
  std::string session_name;
  std::int64_t trial = 0;
  std::string tuner;
  std::string settings_json;  ///< settings of the tuner
  std::uint64_t seed = 0;
  std::int64_t trial_count = 0;  ///< number of trials of the session
  std::string created_utc;
  std::string program_version;  ///< version that created the session
  std::string origin{};         ///< origin of numbers that were not measured here; else empty
};

/** A configuration with all its data: a value that is independent of the database. */
struct MeasuredConfiguration {
  space::SearchSpace space;  ///< as stored
  space::Configuration configuration{};
  task::Task task{};
  schedule::TargetDescription target{};
  std::string template_name{};
  int template_version = 0;
  trial::MeasureOptions options{};
  trial::ErrorCategory category = trial::ErrorCategory::NoError;
  std::string message{};                    ///< message of an error
  std::vector<double> samples_seconds{};    ///< samples of the trial; empty on errors
  std::vector<double> confirmed_seconds{};  ///< samples of the confirmation that counts; empty: unconfirmed
  std::string confirmed_utc{};
  analysis::BestResult result{};  ///< see read_result(): the number that every list and report shows
  Provenance provenance{};
  std::vector<std::string> disturbances{};  ///< disturbances of the session that qualify its numbers, see
                                            ///< disturbs()
  /** The vendor's result, measured interleaved with `confirmed_seconds`; else without samples. */
  trial::VendorResult vendor{};

  int threads() const;  ///< number of threads of the kernel: from the options, else the target's cores
  /** Returns the confirmed samples, or else the trial's samples. */
  const std::vector<double>& best_known_seconds() const;
};

/** The decision whether a library uses the vendor's kernel for a layer. */
struct VendorChoice {
  bool taken = false;  ///< the vendor's kernel is used
  std::string why;     ///< "oneDNN's is faster: ...", "ours stays: not decided, ..."
};

/** A kernel to export: its source with a unique name. */
struct ExportedKernel {
  std::string name;  ///< name of the function and its file
  MeasuredConfiguration measured;
  codegen::KernelSource source;             ///< its entry is `name`
  std::vector<std::string> unused_flags{};  ///< flags of its target's description that the build does not use
  std::int64_t multiplicity = 0;            ///< how often a network contains the layer; 0: not a layer of a
                                            ///< network
  std::vector<std::string> nodes{};         ///< nodes of the model that have this layer
  std::optional<VendorChoice> vendor{};     ///< nullopt: the user did not ask for the vendor's kernels

  /**
   * Returns true if the vendor's library computes the layer: only the name and the arguments with their
   * layouts in `source` are then used.
   */
  bool is_vendors() const { return vendor && vendor->taken; }
};

/** Returns the largest number of threads with which one of these kernels was measured; 1 without kernels. */
int max_threads(const std::vector<ExportedKernel>& kernels);

/** Reads a trial and the confirmation that counts. Returns NotFound if the session or the trial does not
 * exist. */
Result<MeasuredConfiguration> read_measured_configuration(const store::Store& store, store::SessionId session,
                                                          std::int64_t trial);

/**
 * Generates the kernel's source again for the target on which it was measured: C, CUDA C++ or OpenCL C. The
 * build uses only the known flags of the session, because a session may come from a file. Returns Refused for
 * a generic task, a trial that is not a valid kernel, or a template that was removed or changed. @param name
 * an identifier of C; empty: derived from the task's name
 */
Result<ExportedKernel> make_exported_kernel(MeasuredConfiguration measured, std::string name = {});

/** Returns true if each index has a value: the content of a database can be damaged. */
bool fits_knobs(const space::SearchSpace& space, const space::Configuration& configuration);

/** Returns the notices about an exported kernel as text: flags of its session that it does not use. */
std::vector<std::string> export_notices(const ExportedKernel& kernel);

/**
 * Returns an identifier of C derived from any text, such as "resnet18_C6", of at most 120 characters, which
 * is not a name of the C library.
 */
std::string kernel_name(std::string_view text);

/**
 * Returns distinct names for the kernels of one library, with numbers if several texts result in the same
 * name.
 */
std::vector<std::string> kernel_names(std::span<const std::string> texts);

/** Returns the command that runs a session with the same settings. */
base::ShellText reproduce_command(const MeasuredConfiguration& measured);

/**
 * Returns "239.5 GFLOPS [235.2, 240.4], 965.3 us, confirmed", or only the time if the FLOPs are unknown. The
 * last words are those of best_mark().
 */
std::string result_text(const MeasuredConfiguration& measured);

/**
 * Returns the result of a kernel, or that of the vendor if it computes the layer: "oneDNN 2.6.3, ...,
 * confirmed".
 */
std::string result_text(const ExportedKernel& kernel);

}  // namespace kernelscape::exchange
