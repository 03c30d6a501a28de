#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/confirmation.h"
#include "core/session/stop_request.h"
#include "core/space/configuration.h"

namespace kernelscape {

/** The first valid configuration in index order: what the template gives without tuning. */
struct FirstValid {
  Configuration configuration;
  std::vector<double> samples_seconds;

  bool operator==(const FirstValid&) const = default;
};

/** What the best trials are compared with, measured interleaved with them at the end; in the session's
 * status. */
struct Baselines {
  VendorResult vendor;
  std::optional<FirstValid> first_valid;
  std::string first_valid_reason;  ///< why there is none

  bool operator==(const Baselines&) const = default;
};

std::string baselines_to_json(const Baselines& baselines);
/** Empty text: none yet. */
Result<Baselines> baselines_from_json(std::string_view json);

/**
 * Measures configurations and the vendor's library again, interleaved: measure_interleaved() for a device,
 * their own function for tests.
 */
using Confirmer = std::function<Result<Confirmations>(std::span<const Configuration>, const StopRequest&)>;

}  // namespace kernelscape
