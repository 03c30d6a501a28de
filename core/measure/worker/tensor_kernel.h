#pragma once

#include <functional>
#include <optional>

#include "core/measure/worker/page_buffer.h"
#include "core/measure/worker/prepared_task.h"
#include "core/measure/worker/trial_kernel.h"

namespace kernelscape::measure {

/** A template's kernel: two inputs and the operands of an epilogue on read-only pages, one output. */
class TensorKernel final : public TrialKernel {
 public:
  /** @param tensors must outlive this object */
  explicit TensorKernel(const TrialTensors& tensors) : tensors_(tensors) {}

  bool make_ready(void* entry, int parts) override;
  void clear_outputs() override;
  const std::function<void(int part)>& work() const override { return work_; }
  std::function<void()> restore() override { return {}; }
  OutputCheck check() override;
  void flush_caches() override;

 private:
  const TrialTensors& tensors_;
  std::optional<PageBuffer> output_;
  std::function<void(int part)> work_;
};

}  // namespace kernelscape::measure
