#pragma once

#include <string>
#include <vector>

#include "core/kernel/family.h"
#include "core/schedule/target.h"
#include "core/trial/measurement.h"
#include "tests/measure/kernel_sources.h"

namespace kernelscape::gpu_proof {

/** A kernel that does wrong, and what its trial has to become. */
struct Fault {
  std::string name;
  std::string text;
  trial::ErrorCategory category;
  std::string fake_behaviour{};  ///< of the stand-in for the driver; empty: it can't stand in for this
};

/** Of a kind of target; each is the kernel "good" with one thing wrong. */
std::vector<Fault> faults_of(schedule::TargetKind kind);

/** The faults and "good" as kernels of one small task. */
class FaultFamily final : public kernel::Family {
 public:
  FaultFamily(schedule::TargetKind kind, const std::vector<Fault>& faults);

  const task::Task& task() const override { return family_.task(); }
  const space::SearchSpace& space() const override { return family_.space(); }
  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override;
  space::Configuration named(const std::string& name) const { return family_.named(name); }

 private:
  schedule::TargetKind kind_;
  SourceFamily family_;
};

}  // namespace kernelscape::gpu_proof
