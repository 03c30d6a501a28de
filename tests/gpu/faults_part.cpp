#include <fmt/format.h>

#include <cstdlib>

#include "core/measure/gpu/gpu_target.h"
#include "tests/gpu/child.h"
#include "tests/gpu/fault_kernels.h"
#include "tests/gpu/measuring.h"
#include "tests/gpu/parts.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr const char* stub_behaviour = "KERNELSCAPE_STUB_CUDA";
constexpr const char* stub_launches = "KERNELSCAPE_STUB_CUDA_LAUNCHES";
constexpr double trial_seconds = 60;
constexpr double fault_seconds = 12;  // that one may take: its time-out, and a worker that is made anew

trial::MeasureOptions impatient_options() {
  trial::MeasureOptions options = checking_options();
  options.build_timeout_seconds = 15;
  options.run_timeout_seconds = 3;
  options.builders = 2;
  return options;
}

/** A fault by the stand-in for the driver, once; what it did before is put back in the end. */
class FakeFault {
 public:
  FakeFault(const Settings& settings, const Fault& fault)
      : launches_(settings.kept_file("launches").string()) {
    const char* before = std::getenv(stub_behaviour);
    before_ = before != nullptr ? before : "";
    std::filesystem::remove(launches_);
    setenv(stub_behaviour, (before_ + " " + fault.fake_behaviour).c_str(), 1);
    setenv(stub_launches, launches_.c_str(), 1);
  }
  FakeFault(const FakeFault&) = delete;
  FakeFault& operator=(const FakeFault&) = delete;
  ~FakeFault() {
    setenv(stub_behaviour, before_.c_str(), 1);
    unsetenv(stub_launches);
    std::filesystem::remove(launches_);
  }

 private:
  std::string launches_;
  std::string before_;
};

/** Faults of one device, one after the other in the same measurer. */
class FaultRun {
 public:
  FaultRun(const schedule::TargetDescription& target, PartResult& result)
      : target_(target),
        faults_(faults_of(target.kind)),
        family_(std::make_shared<FaultFamily>(target.kind, faults_)),
        result_(result) {}

  const std::vector<Fault>& faults() const { return faults_; }

  /** Whether the good kernel works at all: without it nothing that follows says anything. */
  bool good_works() {
    const auto good = measure("good");
    if (good && good->valid()) return true;
    result_.fail(target_.name + ", the good kernel", good ? good->message : describe(good.error()));
    return false;
  }

  void try_fault(const Fault& fault) {
    const std::string what = fmt::format("{}, {}", target_.name, fault.name);
    const auto bad = measure(fault.name);
    if (!bad) return result_.fail(what, describe(bad.error()));
    const auto next = measure("good");
    result_.add_row("faults", {{"device", target_.name},
                               {"fault", fault.name},
                               {"category", trial::to_string(bad->category)},
                               {"message", bad->message.substr(0, 300)},
                               {"next trial", next ? trial::to_string(next->category) : "no trial"}});
    if (bad->category != fault.category)
      result_.fail(what, fmt::format("{} instead of {}: {}", trial::to_string(bad->category),
                                     trial::to_string(fault.category), bad->message));
    if (!next) return result_.fail(what + ", the next trial", describe(next.error()));
    if (!next->valid()) result_.fail(what + ", the next trial", next->message);
  }

  void forget_measurer() { measurer_.reset(); }

 private:
  Result<trial::Measurement> measure(const std::string& name) {
    if (!measurer_) measurer_ = TRY(measure::make_kernel_measurer(family_, target_, impatient_options()));
    auto measured = TRY(measure_batch(*measurer_, {family_->named(name)}, trial_seconds));
    if (!measured.front())
      return kernelscape::fail(ErrorCode::Refused, fmt::format("no result after {} s", trial_seconds));
    return std::move(*measured.front());
  }

  schedule::TargetDescription target_;
  std::vector<Fault> faults_;
  std::shared_ptr<FaultFamily> family_;
  PartResult& result_;
  std::unique_ptr<measure::Measurer> measurer_;
};

/** With the stand-in, what it can stand in for; on a GPU, all that the stand-in alone is not for. */
bool is_tried(const Settings& settings, const schedule::TargetDescription& target, const Fault& fault) {
  if (target.kind != schedule::TargetKind::Cuda) return true;
  if (settings.fake) return !fault.fake_behaviour.empty();
  return fault.name != "out of bounds at the third launch";
}

void try_faults(const Settings& settings, const schedule::TargetDescription& target, PartResult& result) {
  FaultRun run(target, result);
  if (!run.good_works()) return;
  for (const Fault& fault : run.faults()) {
    if (!is_tried(settings, target, fault)) continue;
    if (result.seconds_left() < fault_seconds || stop_asked())
      return result.note("not all faults: out of time");
    if (settings.fake && target.kind == schedule::TargetKind::Cuda) {
      run.forget_measurer();
      const FakeFault behaviour(settings, fault);
      run.try_fault(fault);
      run.forget_measurer();
    } else {
      run.try_fault(fault);
    }
    result.save();
  }
}

}  // namespace

void run_faults(const Settings& settings, PartResult& result) {
  bool tried = false;
  for (const std::string& name : {settings.device, std::string("opencl:0")}) {
    const Result<schedule::TargetDescription> target = measure::describe_gpu_target(name);
    if (!target) {
      result.note(fmt::format("{}: {}", name, describe(target.error())));
      continue;
    }
    tried = true;
    try_faults(settings, *target, result);
    result.save();
  }
  if (!tried) return result.skip("no device can be used");
  result.done();
}

}  // namespace kernelscape::gpu_proof
