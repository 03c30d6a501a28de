#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/target.h"
#include "core/study/network_run.h"
#include "core/task/network.h"
#include "ui/workspace/network_watch.h"

namespace kernelscape::models {

/** A layer of a network, before or after tuning. Sums include all calls. */
struct NetworkLayerRow {
  QString title;  ///< the task's name in lists
  QString text;   ///< the task, written out
  std::int64_t multiplicity = 1;
  double flops = 0;   ///< sum of the FLOPs
  double bytes = 0;   ///< sum of the minimum bytes read and written; 0: not known
  double share = 0;   ///< share of the FLOPs of all layers
  QString maker;      ///< name of the template; empty: none fits, or not known yet
  QString obstacle;   ///< why no template fits; empty: a template fits
  QStringList nodes;  ///< nodes of the model that form this layer

  std::optional<std::size_t> layer = {};                   ///< index of the layer in a study
  std::optional<study::NetworkLayerOutcome> outcome = {};  ///< outcome in a study; nullopt: not tuned
  std::optional<double> share_of_latency = {};  ///< of the measured latency of the whole model, all calls
  double limit_seconds = 0;                     ///< time per call at the machine's limit; 0: not known
  QString limit_name = {};                      ///< "FMA peak"
  bool tuned_now = false;

  /** Returns true if the layer has a kernel. */
  bool has_kernel() const { return outcome && outcome->trial >= 0; }
  /** Returns the session of the layer's kernel; without a kernel, the session that was started last. */
  std::optional<store::SessionId> session() const { return outcome ? outcome->session : std::nullopt; }
  /** Returns the time of all its calls; 0 if it has no kernel. */
  double all_seconds() const;
};

/** Returns the layers of a network before tuning, with the templates that the request chooses for them. */
std::vector<NetworkLayerRow> network_layer_rows(const task::WholeNetwork& network,
                                                const schedule::TargetDescription& target,
                                                const study::NetworkRequest& request);
/** Returns the layers of a study, including those that the study leaves out. */
std::vector<NetworkLayerRow> network_layer_rows(const workspace::NetworkSnapshot& snapshot);

/**
 * Returns "confirmed", "not confirmed", "tuned now", "waiting", or why there is no kernel; empty if the layer
 * was not run yet.
 */
QString layer_state_text(const NetworkLayerRow& row);

}  // namespace kernelscape::models
