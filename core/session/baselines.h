#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/confirmation.h"
#include "core/measure/cpu/machine_limits.h"
#include "core/session/stop_request.h"
#include "core/space/configuration.h"

namespace kernelscape {

/**
 * The first valid configuration in index order: what the template gives without tuning. Where looking for it
 * ended early it is the first that is known, and Baselines::first_valid_reason says so.
 */
struct FirstValid {
  Configuration configuration;
  std::vector<double> samples_seconds;

  bool operator==(const FirstValid&) const = default;
};

/**
 * What the best trials are compared with, in the session's status: the vendor's library measured before the
 * first trial, and again interleaved with the best at the end, and the limits of the machine.
 */
struct Baselines {
  VendorResult vendor;
  std::optional<FirstValid> first_valid;
  std::string first_valid_reason;  ///< why there is none, or why it is not surely the first
  MachineLimits limits;

  bool operator==(const Baselines&) const = default;
};

/** Measured before the first trial, so that there is something to compare with from the start. */
struct Survey {
  MachineLimits limits;
  VendorResult vendor;
};
using Surveyor = std::function<Result<Survey>(const StopRequest&)>;

/** The text of SessionStatus::vendor_json; exact, read back by baselines_from_json(). */
std::string baselines_to_json(const Baselines& baselines);
/** Empty text: none yet. */
Result<Baselines> baselines_from_json(std::string_view json);

/**
 * Measures configurations and the vendor's library again, interleaved: measure_interleaved() for a device,
 * their own function for tests. The last argument is how many seconds it may take.
 */
using Confirmer = std::function<Result<Confirmations>(std::span<const Configuration>, const StopRequest&,
                                                      double most_seconds)>;

}  // namespace kernelscape
