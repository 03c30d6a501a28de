#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

namespace kernelscape {

/** Where a measured configuration comes from. */
struct Provenance {
  SessionId session = 0;
  std::string session_name;
  std::int64_t trial = 0;
  std::string tuner;
  std::string settings_json;  ///< the tuner's
  std::uint64_t seed = 0;
  std::int64_t trial_count = 0;  ///< of the session
  std::string created_utc;
  std::string program_version;  ///< that made the session
  std::string origin{};         ///< where the numbers come from that were not measured here; else empty
};

/** A configuration with all that is known of it: a value that needs no database any more. */
struct MeasuredConfiguration {
  SearchSpace space;  ///< as it was stored
  Configuration configuration{};
  Task task{};
  TargetDescription target{};
  std::string template_name{};
  int template_version = 0;
  MeasureOptions options{};
  ErrorCategory category = ErrorCategory::NoError;
  std::string message{};                    ///< of an error
  std::vector<double> samples_seconds{};    ///< of the trial; empty on errors
  std::vector<double> confirmed_seconds{};  ///< of its last confirmation; empty: unconfirmed
  std::string confirmed_utc{};
  Provenance provenance{};
  std::vector<std::string> disturbances{};  ///< of its session, see disturbs(): what qualifies its numbers
  /** The vendor's, as it was measured in turns with `confirmed_seconds`; else without samples. */
  VendorResult vendor{};

  int threads() const;  ///< that the kernel ran with: the options' number, else the target's cores
  /** The confirmed samples, else the trial's. */
  const std::vector<double>& best_known_seconds() const;
};

/** Whose kernel a library takes for a layer, where it may be the vendor's. */
struct VendorChoice {
  bool taken = false;  ///< the vendor's is
  std::string why;     ///< "oneDNN's is faster: ...", "ours stays: not decided, ..."
};

/** A kernel to take home: its source with a name of its own. */
struct ExportedKernel {
  std::string name;  ///< of the function and its file
  MeasuredConfiguration measured;
  KernelSource source;                      ///< its entry is `name`
  std::vector<std::string> unused_flags{};  ///< of its target's description: the build does without them
  std::int64_t multiplicity = 0;            ///< of a network's layer, how often it has it; 0: it is none
  std::vector<std::string> nodes{};         ///< of the model that are this layer
  std::optional<VendorChoice> vendor{};     ///< none: the user did not ask for the vendor's

  /** The vendor's library computes it: of `source` the name and the arguments, with its layouts, count. */
  bool is_vendors() const { return vendor && vendor->taken; }
};

/** Reads a trial and its last confirmation. NotFound where the session or the trial is not there. */
Result<MeasuredConfiguration> read_measured_configuration(const Store& store, SessionId session,
                                                          std::int64_t trial);

/**
 * Generates the kernel's source again for the target it was measured on: C, CUDA C++ or OpenCL C. Of the
 * flags that its session names, which may come from a file, it is built with the known ones. Refused: a
 * generic task, a trial that is no valid kernel, a template that is gone or has changed.
 * @param name an identifier of C; empty: made from the task's name
 */
Result<ExportedKernel> make_exported_kernel(MeasuredConfiguration measured, std::string name = {});

/** Whether there is a value for each index: what a database holds can be damaged. */
bool fits_knobs(const SearchSpace& space, const Configuration& configuration);

/** What an export of the kernel has to say, in words: flags of its session that it does not use. */
std::vector<std::string> export_notices(const ExportedKernel& kernel);

/** "resnet18_C6": an identifier of C made of any text, of at most 120 letters, which no library of C has. */
std::string kernel_name(std::string_view text);

/** The same for kernels of one library: each once, numbered where texts come to the same name. */
std::vector<std::string> kernel_names(std::span<const std::string> texts);

/** The command that runs a session like this one. */
ShellText reproduce_command(const MeasuredConfiguration& measured);

/** "239.5 GFLOPS [235.2, 240.4], 965.3 us, confirmed", or the time alone where no FLOP count is known. */
std::string result_text(const MeasuredConfiguration& measured);

/** The same of the vendor's where it computes the layer: "oneDNN 2.6.3, ..., confirmed". */
std::string result_text(const ExportedKernel& kernel);

}  // namespace kernelscape
