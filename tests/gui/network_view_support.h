#pragma once

#include <QSaveFile>
#include <QTemporaryDir>

#include "core/study/network_run.h"
#include "core/task/network.h"
#include "tests/gui/gui_support.h"
#include "tests/onnx/model_builder.h"

namespace kernelscape::gui_tests {

/** A network of three layers, and an operator that is none. */
inline task::WholeNetwork tiny_network() {
  task::WholeNetwork network;
  network.name = "tiny";
  network.description = "a test's network";
  network.layers.push_back(
      {*task::parse_task("conv2d 1x32x14x14 32x32x3x3 pad=1"), 3, {"first (Conv)", "second (Conv)"}});
  network.layers.push_back(
      {*task::parse_task("conv2d 1x64x15x15 64x64x3x3 stride=2 pad=0:1"), 1, {"third (Conv)"}});
  network.layers.push_back({*task::parse_task("matmul 8x64 64x32"), 4, {"fourth (MatMul)"}});
  network.others.push_back({.name = "Relu", .count = 3, .bytes = 4096});
  network.notices = {"its weights are not looked at"};
  return network;
}

/** As if a command line had stored a study of it. */
inline study::Definition tiny_study(std::int64_t trials, const std::string& scheduler = "round-robin") {
  study::NetworkRequest request;
  request.tuner = "random";
  request.scheduler = scheduler;
  request.budget.trials = trials;
  request.seed = 5;
  const Result<schedule::TargetDescription> target =
      measure::describe_cpu_target(measure::CompilerNeed::Optional);
  Result<study::NetworkPlan> plan =
      study::plan_network(request, tiny_network(), *task::Catalogue::load_default(), *target);
  if (!plan) qFatal("%s", describe(plan.error()).c_str());
  return std::move(plan->study);
}

/** Two equal layers and another one, whose first input has an open dimension "batch". */
inline testing::ModelBuilder open_model() {
  testing::ModelBuilder builder;
  builder.input("x", {std::string("batch"), 8, 6, 6}).weight("w", {8, 8, 1, 1}).weight("v", {8, 8, 1, 1});
  builder.node("Conv", {"x", "w"}, {"y"}, {}, "first").node("Relu", {"y"}, {"r"});
  builder.node("Conv", {"r", "v"}, {"z"}, {}, "second").weight("u", {8, 8, 3, 3});
  builder.node("Conv", {"z", "u"}, {"o"}, {}, "third");
  return builder;
}

/** A folder of models. */
class ModelFolder {
 public:
  QString write(const QString& name, const std::string& bytes) const {
    QSaveFile file(folder_.filePath(name));
    const bool written = file.open(QIODevice::WriteOnly) &&
                         file.write(bytes.data(), static_cast<qint64>(bytes.size())) >= 0 && file.commit();
    if (!written) qFatal("%s can't be written", qPrintable(name));
    return folder_.filePath(name);
  }

 private:
  QTemporaryDir folder_;
};

/** Runs rounds in virtual time, and measures the best again where the session does not go on. */
inline Result<session::Outcome> run_rounds(store::Store& store, const session::PreparedTuning& tuning,
                                           std::optional<store::SessionId> resumed,
                                           session::Observer& observer, const session::StopRequest& stop) {
  ScriptedMeasurer measurer(make_script());
  session::Confirmer confirmer;
  if (!tuning.setup.continues) confirmer = session_tests::confirm_by_script;
  const session::Tools tools{measurer, observer, stop, [&measurer] { return measurer.clock()->seconds; },
                             std::move(confirmer)};
  return resumed ? session::resume_session(store, *resumed, tuning.setup, tools)
                 : session::run_session(store, tuning.setup, tools);
}

}  // namespace kernelscape::gui_tests
