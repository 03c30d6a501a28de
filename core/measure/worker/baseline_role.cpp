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
    const VendorChoice choice{
        .device = request.device, .library = request.library, .threads = request.threads};
    // Large inputs are not made for a library that is not there.
    if (const Status found = find_vendor_library(choice); !found) {
      fail_with(found.error(), choice);
      return;
    }
    const task::ReferenceInputs inputs = task::make_reference_inputs(*task_.op, request.options.input_seed);
    auto kernel = make_vendor_kernel(task_, inputs, choice);
    if (!kernel) {
      fail_with(kernel.error(), choice);
      return;
    }
    kernel_ = std::move(*kernel);
    kernel_->run(1);
    reference_ = task::cached_reference(*task_.op, request.options.input_seed, request.threads);
    check();
  }

  trial::VendorResult time(const trial::MeasureOptions& options) {
    if (missing_) return {};
    if (!problem_.empty()) return failed();
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
    if (!problem_.empty()) return failed();
    result.worst_error = worst_error_;
    return result;
  }

 private:
  void fail_with(const Error& error, const VendorChoice& choice) {
    missing_ = choice.library != VendorLibrary::OfDevice && error.code == ErrorCode::NotFound;
    problem_ = describe(error);
  }

  /** Checks the output, with the library's rounding. */
  void check() {
    task::TensorOperator op = *task_.op;
    op.output.type = kernel_->output_type();
    const trial::VendorResult description = kernel_->description();
    const task::Tolerance tolerance = description.algorithm == trial::winograd_algorithm
                                          ? library_winograd_tolerance(op, *reference_)
                                          : task::tolerance_of(op);
    const OutputCheck checked = check_values(op, *reference_, kernel_->output(), tolerance);
    worst_error_ = checked.worst_error;
    if (!checked.problem.empty())
      problem_ = trial::vendor_title(description) + " gives a wrong answer: " + checked.problem;
  }

  /** Returns the reason, with the library's name if it was found. */
  trial::VendorResult failed() const {
    trial::VendorResult result = without_number(problem_);
    if (kernel_ == nullptr) return result;
    const trial::VendorResult description = kernel_->description();
    result.name = description.name;
    result.algorithm = description.algorithm;
    return result;
  }

  task::Task task_;
  bool on_host_;
  bool missing_ = false;  ///< the library is not installed, or not made for the task
  ProcessWatch watch_;    ///< watches the library's threads
  std::unique_ptr<VendorKernel> kernel_;
  std::shared_ptr<const task::Reference> reference_;
  std::string problem_;
  double worst_error_ = 0;
};

/** The baseline of the last request. */
struct PreparedBaseline {
  std::optional<Baseline> baseline{};
  std::string task_json{};
  VendorLibrary library = VendorLibrary::OfDevice;

  bool is_of(const BaselineRequest& request) const {
    return baseline && task_json == request.task_json && library == request.library;
  }
};

trial::VendorResult answer(const BaselineRequest& request, PreparedBaseline& prepared) {
  std::optional<Baseline>& baseline = prepared.baseline;
  if (prepared.is_of(request)) return baseline->time(request.options);
  baseline.reset();
  auto task = task::task_from_json(request.task_json);
  if (!task) return without_number(describe(task.error()));
  if (!task->op) return without_number("the task is known by name only");
  if (const Status fits = task::check_reference_memory(*task->op); !fits)
    return without_number(fits.error().message);
  baseline.emplace(std::move(*task), request);
  prepared.task_json = request.task_json;
  prepared.library = request.library;
  return baseline->time(request.options);
}

trial::VendorResult answer_or_reason(const BaselineRequest& request, PreparedBaseline& prepared) {
  try {
    return answer(request, prepared);
  } catch (const std::exception& problem) {
    return without_number(fmt::format("the vendor library failed: {}", problem.what()));
  }
}

}  // namespace

void serve_baselines(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  PreparedBaseline prepared;
  while (auto frame = channel.receive_frame(never, {})) {
    if (auto request = decode_message<BaselineRequest>(*frame)) {
      if (!channel.send(BaselineReply{answer_or_reason(*request, prepared)}, never)) return;
    } else if (auto limits = decode_message<LimitsRequest>(*frame)) {
      if (!channel.send(measure_gpu_limits(*limits), never)) return;
    } else {
      return;
    }
  }
}

}  // namespace kernelscape::measure
