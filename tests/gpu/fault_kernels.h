#pragma once

#include <string>
#include <vector>

#include "core/kernel/kernel_family.h"
#include "core/schedule/target.h"
#include "core/trial/measurement.h"
#include "tests/measure/kernel_sources.h"

namespace kernelscape::gpu_proof {

/** A kernel that does wrong, and what its trial has to become. */
struct Fault {
  std::string name;
  std::string text;
  ErrorCategory category;
  std::string fake_behaviour{};  ///< of the stand-in for the driver; empty: it can't stand in for this
};

/** Of a kind of target; each is the kernel "good" with one thing wrong. */
std::vector<Fault> faults_of(TargetKind kind);

/** The faults and "good" as kernels of one small task. */
class FaultFamily final : public KernelFamily {
 public:
  FaultFamily(TargetKind kind, const std::vector<Fault>& faults);

  const Task& task() const override { return family_.task(); }
  const SearchSpace& space() const override { return family_.space(); }
  Result<KernelSource> source(const Configuration& configuration) const override;
  Configuration named(const std::string& name) const { return family_.named(name); }

 private:
  TargetKind kind_;
  SourceFamily family_;
};

}  // namespace kernelscape::gpu_proof
