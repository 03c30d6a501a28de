#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/target.h"
#include "core/task/network.h"
#include "ui/workspace/network_watch.h"

namespace kernelscape {

/** A layer of a network, before it is tuned and after. Sums are of all calls. */
struct NetworkLayerRow {
  QString title;  ///< as lists call the task
  QString text;   ///< of the task, written out
  std::int64_t multiplicity = 1;
  double flops = 0;   ///< sum
  double bytes = 0;   ///< sum, read and written at least; 0: not known
  double share = 0;   ///< of the FLOPs of all layers
  QString maker;      ///< the template; empty: none fits, or not known yet
  QString obstacle;   ///< why no template fits; empty: one does
  QStringList nodes;  ///< of the model that are this layer

  std::optional<std::size_t> layer = {};            ///< its position in a study
  std::optional<NetworkLayerOutcome> outcome = {};  ///< of a study; none: it was not tuned
  double limit_seconds = 0;                         ///< of a call, at the machine's limit; 0: not known
  QString limit_name = {};                          ///< "FMA peak"
  bool tuned_now = false;

  /** Whether it has a kernel. */
  bool has_kernel() const { return outcome && outcome->trial >= 0; }
  /** The session that its kernel is of, or the newest that was begun. */
  std::optional<SessionId> session() const { return outcome ? outcome->session : std::nullopt; }
  /** Of all its calls; 0: it has no kernel. */
  double all_seconds() const;
};

/** @param template_name the one for all layers; empty: of each the first that fits */
std::vector<NetworkLayerRow> network_layer_rows(const WholeNetwork& network, const TargetDescription& target,
                                                const std::string& template_name);
/** What a study has of each; layers that it leaves out stand among them. */
std::vector<NetworkLayerRow> network_layer_rows(const NetworkSnapshot& snapshot);

/** "confirmed", "not confirmed", "tuned now", "waits", or why there is no kernel; empty: it is not run yet.
 */
QString layer_state_text(const NetworkLayerRow& row);

}  // namespace kernelscape
