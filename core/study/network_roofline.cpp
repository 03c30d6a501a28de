#include "core/study/network_roofline.h"

#include <fmt/format.h>

#include "core/session/machine_roofs.h"
#include "core/session/trial_roofline.h"

namespace kernelscape::study {
namespace {

/** Returns the best kernel of a layer, with counted bytes if they were counted. */
Result<LayerRoofline> layer_kernel(const store::Store& store, const NetworkLayerOutcome& outcome,
                                   const session::RooflineSession& session) {
  LayerRoofline layer;
  layer.session = *outcome.session;
  layer.trial = outcome.trial;
  const trial::Trial trial = TRY(store.trials().get(layer.session, layer.trial));
  layer.kernel = TRY(session::roofline_kernel(session, trial.configuration, outcome.seconds));
  const Result<std::optional<std::string>> json =
      store.trials().insight(layer.session, layer.trial, session::counters_kind);
  if (!json || !*json) return layer;
  if (const Result<trial::CounterReading> reading = trial::counter_reading_from_json(**json))
    layer.kernel.traffic = analysis::with_counted_traffic(layer.kernel.traffic, *reading);
  return layer;
}

Result<trial::MachineCeilings> ceilings_of(const store::Store& store,
                                           const session::RooflineSession& session) {
  const schedule::TargetDescription& target = session.kernel.target();
  std::optional<trial::MachineCeilings> ceilings =
      TRY(session::stored_ceilings(store, target, session.threads));
  if (ceilings) return std::move(*ceilings);
  return fail(
      ErrorCode::NotFound,
      fmt::format("the ceilings of {} with {} threads were not measured", target.device, session.threads),
      fmt::format("measure them with `kernelscape devices --ceilings --threads {}`", session.threads));
}

Result<LayerRoofline> place_layer(const store::Store& store, const NetworkLayerOutcome& outcome,
                                  std::optional<trial::MachineCeilings>& roofs) {
  if (outcome.trial < 0 || !outcome.session) return fail(ErrorCode::NotFound, outcome.missing);
  const store::SessionSummary summary = TRY(store.sessions().get(*outcome.session));
  const session::RooflineSession session = TRY(session::roofline_session(summary.record));
  trial::MachineCeilings own = TRY(ceilings_of(store, session));
  if (!roofs)
    roofs = std::move(own);
  else if (!(own == *roofs))
    return fail(ErrorCode::Refused,
                "it was measured under other ceilings, on another machine or with other threads");
  LayerRoofline layer = TRY(layer_kernel(store, outcome, session));
  layer.place = TRY(analysis::roofline_place(*roofs, layer.kernel));
  return layer;
}

}  // namespace

NetworkRoofline network_roofline(const store::Store& store, const NetworkOutcome& outcome) {
  NetworkRoofline roofline;
  for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
    Result<LayerRoofline> layer = place_layer(store, outcome.layers[i], roofline.ceilings);
    if (layer) {
      layer->layer = i;
      roofline.layers.push_back(std::move(*layer));
      continue;
    }
    roofline.left_out.push_back({i, layer.error().message});
    if (outcome.layers[i].trial >= 0 && roofline.obstacle.empty())
      roofline.obstacle = describe(layer.error());
  }
  if (roofline.layers.empty() && roofline.obstacle.empty()) roofline.obstacle = "no layer has a kernel yet";
  if (!roofline.layers.empty()) roofline.obstacle.clear();
  return roofline;
}

}  // namespace kernelscape::study
