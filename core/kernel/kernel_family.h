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

namespace kernelscape {

/** Makes the kernel of a configuration: schedules are one family, a user's own source another, a test's
 * misbehaving kernels a third. Thread-safe. */
class KernelFamily {
 public:
  virtual ~KernelFamily() = default;
  /** What all of its kernels compute: references and inputs are made from it. */
  virtual const Task& task() const = 0;
  /** Every configuration that a tuner may ask for; knobs mean what source() makes of them. */
  virtual const SearchSpace& space() const = 0;
  /** The source, or why the configuration can't be instantiated (INSTANTIATION_ERROR). */
  virtual Result<KernelSource> source(const Configuration& configuration) const = 0;
  /** What its kernels are given and what is right; null: the tensors of the task's operator. */
  virtual const ProgramData* data() const { return nullptr; }
  /** The template as applied; null: its kernels are no template's. */
  virtual const ScheduledKernel* scheduled() const { return nullptr; }
};

/** The language of kernels for this kind of target. */
Dialect dialect_of(TargetKind target);

/** A lowered kernel as source, in the dialect of its kind of target. */
KernelSource emit_kernel(TargetKind target, const LoopNest& nest, const KernelDescription& description);

/** Kernels of a template: limits, lowering, emission. They are built with the target's flags as far as these
 * are known. */
class ScheduleFamily final : public KernelFamily {
 public:
  explicit ScheduleFamily(ScheduledKernel kernel);
  const Task& task() const override { return kernel_.task(); }
  const SearchSpace& space() const override { return kernel_.space(); }
  Result<KernelSource> source(const Configuration& configuration) const override;
  /** The same source with the text of its loop nest and which line of it each line was written from. */
  Result<MappedSource> mapped_source(const Configuration& configuration) const;
  const ScheduledKernel* scheduled() const override { return &kernel_; }
  /** The template as applied: schedule, limits, target. */
  const ScheduledKernel& kernel() const { return kernel_; }

 private:
  KernelDescription description_of(const Configuration& configuration) const;

  ScheduledKernel kernel_;
  KnownFlags flags_;  ///< of the target's description, which may come from a file
};

}  // namespace kernelscape
