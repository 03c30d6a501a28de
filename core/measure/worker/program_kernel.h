#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/measure/worker/page_buffer.h"
#include "core/measure/worker/prepared_program.h"
#include "core/measure/worker/trial_kernel.h"

namespace kernelscape::measure {

/** A user's kernel in C, or a reference function, called through the entry that callable_source() adds. */
class ProgramKernel final : public TrialKernel {
 public:
  /** @param program must outlive this object */
  explicit ProgramKernel(const PreparedProgram& program) : program_(program) {}

  bool make_ready(void* entry, int parts) override;
  void clear_outputs() override;
  const std::function<void(int part)>& work() const override { return work_; }
  std::function<void()> restore() override;
  OutputCheck check() override;
  void flush_caches() override;
  void keep_outputs() override;

 private:
  void restore_read_and_written();

  const PreparedProgram& program_;
  std::vector<std::optional<PageBuffer>> buffers_;  ///< buffers of the arguments that the kernel writes
  std::vector<void*> pointers_;                     ///< pointers to all arguments
  std::function<void(int part)> work_;
};

}  // namespace kernelscape::measure
