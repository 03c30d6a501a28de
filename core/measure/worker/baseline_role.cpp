#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>

#include "core/base/thread_cpu_time.h"
#include "core/measure/gpu/gpu_limits.h"
#include "core/measure/vendor_kernel.h"
#include "core/measure/worker/interruptions.h"
#include "core/measure/worker/message_text.h"
#include "core/measure/worker/output_check.h"
#include "core/measure/worker/timing.h"
#include "core/measure/worker/worker_main.h"
#include "core/task/task.h"

namespace kernelscape::measure {
namespace {

trial::VendorResult without_number(const std::string& reason) {
  trial::VendorResult result;
  result.reason = clean_message(reason);
  return result;
}

/** The vendor library on one task, checked before and after it is timed. */
class Baseline {
 public:
  Baseline(task::Task task, const BaselineRequest& request)
      : task_(std::move(task)), on_host_(request.device == "cpu") {
    const task::ReferenceInputs inputs = task::make_reference_inputs(*task_.op, request.options.input_seed);
    auto kernel = make_vendor_kernel(task_, inputs, request.device);
    if (!kernel) {
      problem_ = describe(kernel.error());
      return;
    }
    kernel_ = std::move(*kernel);
    kernel_->run(1);
    reference_ = task::cached_reference(*task_.op, request.options.input_seed, request.threads);
    check();
  }

  trial::VendorResult time(const trial::MeasureOptions& options) {
    if (!problem_.empty()) return without_number(problem_);
    TimedKernel timed{.run = [this](std::int64_t calls) { return kernel_->run(calls); },
                      .watch = {},
                      .lost = {},
                      .flush_caches = [this] { kernel_->flush_caches(); }};
    // GPU events are not affected by disturbances of this process.
    if (on_host_) {
      timed.watch = [this] { watch_.begin(); };
      timed.lost = [this] { return watch_.lost(); };
      timed.region_seconds = watched_region_seconds;
      timed.processor_seconds = base::process_cpu_seconds;
    }
    std::vector<double> samples_seconds = time_kernel(timed, options, 0).samples_seconds;
    trial::VendorResult result =
        kernel_->description();  // only after timing it is known what limits the calls
    result.samples_seconds = std::move(samples_seconds);
    check();
    if (!problem_.empty()) return without_number(problem_);
    result.worst_error = worst_error_;
    return result;
  }

 private:
  /** Checks the output, with the library's rounding. */
  void check() {
    task::TensorOperator op = *task_.op;
    op.output.type = kernel_->output_type();
    const OutputCheck checked = check_values(op, *reference_, kernel_->output());
    worst_error_ = checked.worst_error;
    if (!checked.problem.empty())
      problem_ = kernel_->description().name + " gives a wrong answer: " + checked.problem;
  }

  task::Task task_;
  bool on_host_;
  ProcessWatch watch_;  ///< watches the library's threads
  std::unique_ptr<VendorKernel> kernel_;
  std::shared_ptr<const task::Reference> reference_;
  std::string problem_;
  double worst_error_ = 0;
};

trial::VendorResult answer(const BaselineRequest& request, std::optional<Baseline>& baseline,
                           std::string& task_json) {
  if (baseline && task_json == request.task_json) return baseline->time(request.options);
  baseline.reset();
  auto task = task::task_from_json(request.task_json);
  if (!task) return without_number(describe(task.error()));
  if (!task->op) return without_number("the task is known by name only");
  if (const Status fits = task::check_reference_memory(*task->op); !fits)
    return without_number(fits.error().message);
  baseline.emplace(std::move(*task), request);
  task_json = request.task_json;
  return baseline->time(request.options);
}

trial::VendorResult answer_or_reason(const BaselineRequest& request, std::optional<Baseline>& baseline,
                                     std::string& task_json) {
  try {
    return answer(request, baseline, task_json);
  } catch (const std::exception& problem) {
    return without_number(fmt::format("the vendor library failed: {}", problem.what()));
  }
}

}  // namespace

void serve_baselines(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  std::optional<Baseline> baseline;
  std::string task_json;
  while (auto frame = channel.receive_frame(never, {})) {
    if (auto request = decode_message<BaselineRequest>(*frame)) {
      if (!channel.send(BaselineReply{answer_or_reason(*request, baseline, task_json)}, never)) return;
    } else if (auto limits = decode_message<LimitsRequest>(*frame)) {
      if (!channel.send(measure_gpu_limits(*limits), never)) return;
    } else {
      return;
    }
  }
}

}  // namespace kernelscape::measure
