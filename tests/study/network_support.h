#pragma once

#include <memory>

#include "core/study/layer_scheduler.h"
#include "core/study/network_run.h"
#include "core/task/network.h"
#include "tests/schedule/random_tasks.h"
#include "tests/session/session_support.h"
#include "tests/study/study_support.h"

/** Networks as tests need them: small ones, measured by a script. */
namespace kernelscape::study_tests {

using ScriptOf = std::function<MeasurementScript(const session::Setup&)>;

/** Runs a session with this measurer, and measures by the script again at the end where it does not go on. */
inline Result<session::Outcome> run_by_script(session_tests::TestMeasurer& measurer, store::Store& store,
                                              const session::PreparedTuning& tuning,
                                              std::optional<store::SessionId> resumed,
                                              session::Observer& observer, const session::StopRequest& stop) {
  session::Confirmer confirmer;
  if (!tuning.setup.continues) confirmer = session_tests::confirm_by_script;
  const session::Tools tools{
      measurer, observer, stop,       [&] { return measurer.clock().seconds; }, std::move(confirmer),
      {},       {},       tuning.kept};
  return resumed ? session::resume_session(store, *resumed, tuning.setup, tools)
                 : session::run_session(store, tuning.setup, tools);
}

/** Measures by a script, and again at the end where the session does not go on. Stops it with the
 * `stop_after`th batch of this call; 0: never. */
inline session::Runner rounds_runner(
    session::StopRequest* stops = nullptr, int stop_after = 0,
    const ScriptOf& script = [](const session::Setup&) { return session_tests::make_script(); }) {
  auto left = std::make_shared<int>(stop_after);
  return
      [=](store::Store& own, const session::PreparedTuning& tuning, std::optional<store::SessionId> resumed,
          session::Observer& observer, const session::StopRequest& stop) -> Result<session::Outcome> {
        session_tests::TestMeasurer measurer(script(tuning.setup));
        if (stops != nullptr) {
          measurer.on_submit = [=] {
            if (--*left == 0) stops->stop_gracefully();
          };
        }
        return run_by_script(measurer, own, tuning, resumed, observer, stop);
      };
}

inline task::WholeNetwork small_network() {
  task::WholeNetwork network{"my model", "a test's", {}};
  for (const auto& [text, times] :
       std::vector<std::pair<const char*, std::int64_t>>{{"conv2d 1x32x14x14 32x32x3x3 pad=1", 3},
                                                         {"conv2d 1x32x14x14 64x16x1x1 groups=2", 2},
                                                         {"conv2d 1x64x15x15 64x64x3x3 stride=2 pad=0:1", 1},
                                                         {"matmul 8x64 64x32", 4}})
    network.layers.push_back({*task::parse_task(text), times, {"a node"}});
  network.others.push_back({"Relu", 3, 1000});
  return network;
}

inline study::Definition planned_network(study::LayerScheduler scheduler, std::int64_t trials,
                                         const std::string& tuner = "ga",
                                         const task::WholeNetwork& network = small_network()) {
  study::NetworkRequest request;
  request.tuner = tuner;
  request.scheduler = study::to_string(scheduler);
  request.budget.trials = trials;
  request.seed = 5;
  return study::plan_network(request, network, *task::Catalogue::load_default(), testing::cpu_with_lanes(16))
      ->study;
}

inline store::StudyId created_network(store::Store& store, const study::Definition& study) {
  const Result<store::StudyId> id = study::create_study(store, study);
  if (!id) qFatal("%s", describe(id.error()).c_str());
  return *id;
}

inline study::Outcome ran_network(store::Store& store, store::StudyId id, const session::Runner& runner,
                                  study::Observer& observer,
                                  const session::StopRequest& stop = session::StopRequest()) {
  study::Options options;
  options.runner = runner;
  const Result<study::Outcome> outcome = study::run_study(store.path(), id, options, observer, stop);
  if (!outcome) qFatal("%s", describe(outcome.error()).c_str());
  return *outcome;
}

}  // namespace kernelscape::study_tests
