#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <filesystem>

#include "core/schedule/template.h"
#include "core/session/preparation.h"
#include "core/trial/baselines.h"
#include "tests/session/session_support.h"
#include "ui/workspace/devices.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::gui_tests {

/** From the configuration alone: three in ten fail, in every category, with messages of one or more lines. */
inline trial::Measurement scripted_measurement(const space::Configuration& configuration) {
  const std::uint64_t hash = session_tests::hash_of(configuration);
  trial::Measurement measurement;
  measurement.build_seconds = 0.04 + static_cast<double>(hash % 50) * 1e-3;
  if (hash % 10 < 3) {
    measurement.category = static_cast<trial::ErrorCategory>(1 + hash / 10 % 8);
    measurement.message = hash % 2 == 0 ? "kernel.c:12:5: error: a scripted failure in " +
                                              std::string(trial::to_string(measurement.category)) +
                                              "\n   12 |     broken line\n      |     ^~~~~~"
                                        : "SIGSEGV (Segmentation fault) in the scripted kernel";
    return measurement;
  }
  const double seconds = session_tests::scripted_seconds(configuration);
  for (int sample = 0; sample < 10; ++sample) {
    const double noise = static_cast<double>((hash >> (4 * sample)) % 16) * 2e-3;
    measurement.samples_seconds.push_back(seconds * (1 + noise));
  }
  measurement.run_seconds = 0.2;
  measurement.preempted_samples = hash % 7 == 0 ? 2 : 0;
  return measurement;
}

inline MeasurementScript make_script() {
  MeasurementScript script;
  script.measure = scripted_measurement;
  script.shuffle_seed = 5;
  return script;
}

/** As a compiler would say it, from the configuration alone. */
inline trial::KernelResources scripted_resources(const space::Configuration& configuration) {
  const std::uint64_t hash = session_tests::hash_of(configuration);
  trial::KernelResources resources;
  resources.registers = static_cast<std::int32_t>(16 + hash % 200);
  resources.spilled_bytes = hash % 3 == 0 ? static_cast<std::int64_t>(8 * (hash % 17)) : 0;
  resources.shared_bytes = static_cast<std::int64_t>(256 * (hash % 100));
  resources.threads = static_cast<std::int32_t>(32 * (1 + hash % 32));
  resources.occupancy = static_cast<double>(1 + hash % 64) / 64;
  resources.limited_by = static_cast<trial::OccupancyLimit>(1 + hash % 4);
  return resources;
}

/** Of a GPU's kernel that is built and not run: what a build-only session sees. */
inline trial::Measurement scripted_build(const space::Configuration& configuration) {
  constexpr std::array failures{trial::ErrorCategory::InstantiationError, trial::ErrorCategory::CompileDevice,
                                trial::ErrorCategory::BuildTimeout};
  const std::uint64_t hash = session_tests::hash_of(configuration);
  trial::Measurement measurement;
  measurement.build_seconds = 0.1;
  if (hash % 10 < 3) {
    measurement.category = failures[hash / 10 % failures.size()];
    measurement.message =
        "the compiler refuses this in a scripted " + std::string(trial::to_string(measurement.category));
    return measurement;
  }
  measurement.resources = scripted_resources(configuration);
  if (hash % 2 == 0)
    measurement.build_log = "ptxas info: scripted, " + std::to_string(hash % 7) + " barriers";
  return measurement;
}

/** The same with timings. */
inline trial::Measurement scripted_gpu_measurement(const space::Configuration& configuration) {
  trial::Measurement measurement = scripted_build(configuration);
  if (!measurement.valid()) return measurement;
  const double seconds = session_tests::scripted_seconds(configuration);
  measurement.samples_seconds = {seconds, seconds * 1.01, seconds * 1.02};
  measurement.run_seconds = 0.2;
  return measurement;
}

/** A GPU that no machine needs to have. */
inline schedule::TargetDescription scripted_gpu(const std::string& name = "cuda:0") {
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.name = name;
  target.device = "Test GPU";
  target.isa = "sm_80";
  target.cores = 108;
  target.registers_per_thread = 255;
  target.memory_bytes = 40LL << 30;
  target.driver_version = "580.1";
  if (name.starts_with("opencl")) {
    target.kind = schedule::TargetKind::OpenCl;
    target.isa = "OpenCL C 1.2";
  }
  return target;
}

/** What a look finds on a machine without GPUs; it starts no worker. */
inline workspace::DeviceSurvey no_gpus() {
  schedule::TargetDescription cpu;
  cpu.device = "Test CPU";
  cpu.compiler = "cc";
  return {
      .devices = {{.target = cpu}},
      .missing = {{schedule::TargetKind::Cuda, "no driver was found", "install one"},
                  {schedule::TargetKind::OpenCl, "no platform has a device", "install a vendor's driver"}}};
}

/** Runs a session in virtual time; for Workspace and RunQueue. */
inline Result<session::Outcome> run_scripted(store::Store& store, const session::PreparedTuning& tuning,
                                             std::optional<store::SessionId> resumed,
                                             session::Observer& observer, const session::StopRequest& stop) {
  ScriptedMeasurer measurer(make_script());
  const session::Tools tools{measurer, observer, stop, [&measurer] { return measurer.clock()->seconds; }, {}};
  return resumed ? session::resume_session(store, *resumed, tuning.setup, tools)
                 : session::run_session(store, tuning.setup, tools);
}

/** A database in a temporary folder. */
class Database {
 public:
  std::filesystem::path path() const { return folder_.filePath(QStringLiteral("test.db")).toStdString(); }

  /** A finished session of a template of this program, so that its kernels have sources. */
  store::SessionId add_session(std::int64_t trials, const std::string& tuner = "random",
                               const std::string& task = "resnet18/C6") const {
    store::Store store = *store::Store::open(path());
    session::TuningRequest request;
    request.task = task;
    request.tuner = tuner;
    request.seed = 7;
    request.budget.trials = trials;
    session::PreparedTuning tuning = *session::prepare_tuning(request, store);
    tuning.setup.real_measurements = false;
    session_tests::RecordingObserver observer;
    return run_scripted(store, tuning, std::nullopt, observer, session::StopRequest()).value().id;
  }

  /** A finished session of any space, in virtual time. */
  store::SessionId add_session(const session::Setup& setup,
                               const MeasurementScript& script = make_script()) const {
    store::Store store = *store::Store::open(path());
    ScriptedMeasurer measurer(script);
    session_tests::RecordingObserver observer;
    const session::Tools tools{
        measurer, observer, session::StopRequest(), [&measurer] { return measurer.clock()->seconds; }, {}};
    return session::run_session(store, setup, tools).value().id;
  }

  /** A finished session of a GPU's template. @param build_only its kernels were built and never run */
  store::SessionId add_gpu_session(std::int64_t trials, bool build_only,
                                   const std::string& target = "cuda:0") const {
    const schedule::ScheduledKernel kernel =
        schedule::apply_template(*task::parse_task("matmul 128x128 128x128 f32"), scripted_gpu(target))
            .value();
    session::Setup setup = session_tests::make_setup("random", 5, trials, 32);
    setup.space = kernel.space();
    setup.task = kernel.task();
    setup.target = kernel.target();
    setup.template_name = kernel.template_name();
    setup.template_version = kernel.template_version();
    setup.options.build_only = build_only;
    MeasurementScript script = make_script();
    script.measure = build_only ? scripted_build : scripted_gpu_measurement;
    return add_session(setup, script);
  }

  /** As if the session had gone on for so many trials, in one batch of random members. */
  void append_trials(store::SessionId id, std::int64_t count) const {
    store::Store store = *store::Store::open(path());
    const store::SessionSummary session = *store.sessions().get(id);
    store::SessionStatus status = session.status;
    const space::SearchSpace space = *space::space_from_json(session.record.space_json);
    base::Random random(static_cast<std::uint64_t>(status.trial_count));
    const std::int32_t batch = store.trials().get(id, status.trial_count - 1)->batch + 1;
    std::vector<trial::Trial> trials;
    for (std::int32_t position = 0; position < count; ++position) {
      trial::Trial trial{status.trial_count++,         batch, position,
                         *space.random_member(random), {},    status.session_seconds};
      trial.measurement = scripted_measurement(trial.configuration);
      const double seconds = trial.measurement.median_seconds();
      if (trial.measurement.valid() && (status.best_trial < 0 || seconds < status.best_seconds)) {
        status.best_trial = trial.number;
        status.best_seconds = seconds;
      }
      trials.push_back(std::move(trial));
    }
    if (!store.trials().append(id, trials, status)) qFatal("trials can't be appended");
  }

  /** As if the best trial had been measured again, beside a vendor's library `vendor_speed` times as fast. */
  void confirm(store::SessionId id, double vendor_speed = 0.95, const std::string& vendor = "oneDNN 2.6.3",
               const std::string& algorithm = {}) const {
    store::Store store = *store::Store::open(path());
    store::SessionStatus status = store.sessions().get(id)->status;
    const double best = status.best_seconds;
    const std::string now = "2026-01-02T03:04:05Z";
    const std::vector<trial::Confirmation> confirmations{
        {status.best_trial, now, {best * 1.01, best, best * 1.02}}, {-1, now, {best / vendor_speed}}};
    trial::Baselines baselines;
    baselines.vendor.name = vendor;
    baselines.vendor.algorithm = algorithm;
    baselines.vendor.samples_seconds = {best / vendor_speed};
    status.vendor_json = trial::baselines_to_json(baselines);
    if (!store.confirmations().append(id, confirmations) || !store.sessions().update_status(id, status))
      qFatal("the session can't be confirmed");
  }

 private:
  QTemporaryDir folder_;
};

/** Opens a session and waits until the workspace has read it. */
inline bool open_and_wait(workspace::Workspace& workspace, store::SessionId session) {
  workspace.open_session(session);
  return QTest::qWaitFor([&] { return workspace.source() != nullptr; }, 20'000);
}

}  // namespace kernelscape::gui_tests
