#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/accounting.h"
#include "core/session/batches.h"

namespace kernelscape::session {

/** The first valid configuration of a space in index order. */
struct FoundFirstValid {
  std::optional<space::Configuration> configuration;
  std::string reason;  ///< why none was found, or it may not be the first; empty: it is the first
};

/**
 * Searches the first valid configuration of a session's space, a baseline for the best kernel. Configurations
 * that are not known from the session's trials are measured, within a share of the session's time.
 */
class FirstValidSearch {
 public:
  /** @param session, measurer, accounting must outlive this object */
  FirstValidSearch(RunningSession& session, measure::Measurer& measurer, Accounting& accounting)
      : session_(session), measurer_(measurer), accounting_(accounting) {}

  /** Searches once. Errors: those of the store and of the measurer; Refused if the user stopped the run. */
  Result<FoundFirstValid> find();

 private:
  /**
   * Measures configurations that are no trials, until the first valid one is found and all before it are
   * known, or until `end_seconds` of the session.
   * @return their categories; nullopt for configurations that were not measured
   */
  Result<std::vector<std::optional<trial::ErrorCategory>>> probe(
      std::span<const space::Configuration> configurations, double end_seconds);

  RunningSession& session_;
  measure::Measurer& measurer_;
  Accounting& accounting_;
};

}  // namespace kernelscape::session
