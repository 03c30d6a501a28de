#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/codegen/kernel_text.h"
#include "core/codegen/source_map.h"
#include "core/project/program_data.h"
#include "core/schedule/template.h"
#include "core/space/search_space.h"
#include "core/task/task.h"

namespace kernelscape::kernel {

/**
 * Makes the kernel of a configuration. Kinds of families: the schedules of a template, a user's own source,
 * and the misbehaving kernels of tests. Thread-safe.
 */
class Family {
 public:
  virtual ~Family() = default;
  /** Returns the task that all kernels of the family compute; references and inputs are made from it. */
  virtual const task::Task& task() const = 0;
  /** Returns all configurations that a tuner may ask for. source() defines what the knobs mean. */
  virtual const space::SearchSpace& space() const = 0;
  /**
   * Returns the source of a configuration, or the reason why it can't be instantiated (INSTANTIATION_ERROR).
   */
  virtual Result<codegen::KernelSource> source(const space::Configuration& configuration) const = 0;
  /**
   * Returns the arguments of the kernels and their reference; null means the tensors of the task's operator.
   */
  virtual const project::ProgramData* data() const { return nullptr; }
  /** Returns the applied template, or null if the kernels do not come from a template. */
  virtual const schedule::ScheduledKernel* scheduled() const { return nullptr; }
};

/** Returns the language of kernels for this kind of target. */
codegen::Dialect dialect_of(schedule::TargetKind target);

/** Returns the source of a lowered kernel in the dialect of this kind of target. */
codegen::KernelSource emit_kernel(schedule::TargetKind target, const loop_nest::LoopNest& nest,
                                  const codegen::KernelDescription& description);

/**
 * Kernels of a template: limits, lowering, emission. They are built with the flags of the target, as far as
 * these flags are known.
 */
class ScheduleFamily final : public Family {
 public:
  explicit ScheduleFamily(schedule::ScheduledKernel kernel);
  const task::Task& task() const override { return kernel_.task(); }
  const space::SearchSpace& space() const override { return kernel_.space(); }
  Result<codegen::KernelSource> source(const space::Configuration& configuration) const override;
  /**
   * Returns the source of a configuration, the text of its loop nest, and the line of the loop nest from
   * which each source line was written.
   */
  Result<codegen::MappedSource> mapped_source(const space::Configuration& configuration) const;
  const schedule::ScheduledKernel* scheduled() const override { return &kernel_; }
  /** Returns the applied template: schedule, limits, target. */
  const schedule::ScheduledKernel& kernel() const { return kernel_; }

 private:
  codegen::KernelDescription description_of(const space::Configuration& configuration) const;

  schedule::ScheduledKernel kernel_;
  codegen::KnownFlags flags_;  ///< the known flags of the target's description, which may come from a file
};

}  // namespace kernelscape::kernel
