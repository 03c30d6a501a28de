#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>

#include "core/measure/message_text.h"
#include "core/measure/output_check.h"
#include "core/measure/timing.h"
#include "core/measure/vendor_kernel.h"
#include "core/measure/worker_main.h"
#include "core/task/task.h"

namespace kernelscape {
namespace {

std::uint64_t process_preemptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

VendorResult without_number(std::string reason) {
  VendorResult result;
  result.reason = clean_message(reason);
  return result;
}

/** The library on one task, checked before it is timed. */
class Baseline {
 public:
  Baseline(Task task, const BaselineRequest& request) : task_(std::move(task)) {
    const ReferenceInputs inputs = make_reference_inputs(*task_.op, request.options.input_seed);
    auto kernel = make_vendor_kernel(task_, inputs);
    if (!kernel) {
      problem_ = kernel.error().message;
      return;
    }
    kernel_ = std::move(*kernel);
    kernel_->run(1);
    const auto reference = cached_reference(*task_.op, request.options.input_seed, request.threads);
    const OutputCheck check = check_values(*task_.op, *reference, kernel_->output());
    worst_error_ = check.worst_error;
    if (!check.problem.empty())
      problem_ = kernel_->description().name + " gives a wrong answer: " + check.problem;
  }

  VendorResult time(const MeasureOptions& options) {
    if (!problem_.empty()) return without_number(problem_);
    const TimedKernel timed{.run = [this](std::int64_t calls) { return run(calls); },
                            .preemptions = process_preemptions,
                            .flush_caches = [this] { kernel_->flush_caches(); }};
    VendorResult result = kernel_->description();
    result.samples_seconds = time_kernel(timed, options, 0).samples_seconds;
    result.worst_error = worst_error_;
    return result;
  }

 private:
  double run(std::int64_t calls) {
    const auto start = std::chrono::steady_clock::now();
    kernel_->run(calls);
    return seconds_since(start);
  }

  Task task_;
  std::unique_ptr<VendorKernel> kernel_;
  std::string problem_;
  double worst_error_ = 0;
};

VendorResult answer(const BaselineRequest& request, std::optional<Baseline>& baseline,
                    std::string& task_json) {
  if (baseline && task_json == request.task_json) return baseline->time(request.options);
  baseline.reset();
  auto task = task_from_json(request.task_json);
  if (!task) return without_number(describe(task.error()));
  if (!task->op) return without_number("the task is known by name only");
  baseline.emplace(std::move(*task), request);
  task_json = request.task_json;
  return baseline->time(request.options);
}

}  // namespace

void serve_baselines(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  std::optional<Baseline> baseline;
  std::string task_json;
  while (auto request = channel.receive<BaselineRequest>(never)) {
    BaselineReply reply;
    try {
      reply.result = answer(*request, baseline, task_json);
    } catch (const std::exception& problem) {
      reply.result = without_number(fmt::format("the vendor library failed: {}", problem.what()));
    }
    if (!channel.send(reply, never)) return;
  }
}

}  // namespace kernelscape
