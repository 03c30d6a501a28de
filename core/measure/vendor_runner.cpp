#include "core/measure/vendor_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <ranges>
#include <utility>

#include "core/base/numbers.h"
#include "core/base/quantile.h"
#include "core/measure/one_sample.h"
#include "core/measure/runner.h"

namespace kernelscape::measure {
namespace {

constexpr double max_answer_seconds = 3600;  // enough for a large reference on a slow machine, but finite
constexpr double max_choice_seconds = 20;
constexpr int choice_rounds = 3;
/** A candidate whose first sample takes this many times that of the fastest is not timed again. */
constexpr double hopeless_factor = 2;

double median_of(const trial::VendorCandidate& candidate) {
  return base::quantile(candidate.samples_seconds, 0.5);
}

/** Returns true if a library is not installed, or not made for the task. */
bool is_missing(const trial::VendorResult& result) {
  return result.reason.empty() && result.samples_seconds.empty();
}

std::unexpected<Error> interrupted() { return fail(ErrorCode::Environment, "interrupted"); }

bool is_over(Deadline deadline) { return std::chrono::steady_clock::now() >= deadline; }

bool is_onednn(VendorLibrary library) {
  return library == VendorLibrary::OfDevice || library == VendorLibrary::OneDnnAlternative;
}

}  // namespace

bool is_preferred(const trial::VendorCandidate& candidate, const trial::VendorCandidate& other) {
  if (!candidate.available() || !other.available()) return candidate.available() && !other.available();
  return median_of(candidate) < median_of(other);
}

/** Adds the sample of one request. */
void VendorRunner::Contender::take(trial::VendorResult sample) {
  if (!sample.name.empty()) timing.name = std::move(sample.name);
  if (timing.name.empty()) timing.name = std::string(to_string(library));
  if (!sample.algorithm.empty()) timing.algorithm = std::move(sample.algorithm);
  if (!sample.implementation.empty()) timing.implementation = std::move(sample.implementation);
  timing.reason = std::move(sample.reason);
  std::ranges::move(sample.samples_seconds, std::back_inserter(timing.samples_seconds));
}

VendorRunner::VendorRunner(const task::Task& task, const schedule::TargetDescription& target,
                           const trial::MeasureOptions& options)
    : task_json_(task::task_to_json(task)),
      device_(device_of(target)),
      threads_(options.kernel_threads(schedule::host_cores(target))),
      cores_(schedule::host_cores(target)) {}

VendorRunner::VendorRunner(const BaselineRequest& request, const schedule::TargetDescription& target)
    : task_json_(request.task_json),
      device_(device_of(target)),
      threads_(request.threads),
      cores_(schedule::host_cores(target)) {}

Result<trial::VendorResult> VendorRunner::run(const trial::MeasureOptions& options,
                                              const Interruption& interruption) {
  TRY(choose(options, interruption));
  const TimingMark::Scope timing(timing_mark_);
  trial::VendorResult result = TRY(ask(contenders_.front(), options, interruption));
  while (!timed_ && !result.available() && choose_next(result))
    result = TRY(ask(contenders_.front(), options, interruption));
  timed_ = timed_ || result.available();
  if (contenders_.size() > 1)
    for (const Contender& contender : contenders_) result.candidates.push_back(contender.timing);
  return result;
}

void VendorRunner::release() {
  for (Contender& contender : contenders_) contender.worker.reset();
}

Status VendorRunner::choose(const trial::MeasureOptions& options, const Interruption& interruption) {
  if (!contenders_.empty()) return {};
  const TimingMark::Scope timing(timing_mark_);
  const trial::MeasureOptions once = options_of_one_sample(options);
  const Deadline deadline = deadline_after(max_choice_seconds);
  std::vector<Contender> contenders = installed_others(once, interruption, deadline);
  if (interruption.now()) return interrupted();
  Contender own{.library = VendorLibrary::OfDevice};
  if (contenders.empty()) {
    contenders_.push_back(std::move(own));
    return {};
  }
  own.take(TRY(ask(own, once, interruption)));
  contenders.insert(contenders.begin(), std::move(own));
  TRY(time_in_turns(contenders, once, interruption, deadline));
  contenders_ = std::move(contenders);
  put_chosen_first();
  for (Contender& contender : std::views::drop(contenders_, 1)) contender.worker.reset();
  return {};
}

void VendorRunner::put_chosen_first() {
  std::ranges::stable_sort(contenders_, is_preferred, &Contender::timing);
  if (contenders_.front().timing.available()) return;
  // Without any result it is the device's own library that has to give the reason.
  const auto own = std::ranges::find(contenders_, VendorLibrary::OfDevice, &Contender::library);
  std::ranges::rotate(contenders_.begin(), own, std::next(own));
}

/** Chooses the next library after the chosen one failed; returns false if there is none. */
bool VendorRunner::choose_next(const trial::VendorResult& failed) {
  if (contenders_.size() < 2) return false;
  Contender& chosen = contenders_.front();
  chosen.timing.reason = failed.reason.empty() ? "it was not found again" : failed.reason;
  chosen.worker.reset();
  put_chosen_first();
  return contenders_.front().timing.available();
}

/** Returns the other libraries that are installed, each with its first sample or the reason for none. */
std::vector<VendorRunner::Contender> VendorRunner::installed_others(const trial::MeasureOptions& options,
                                                                    const Interruption& interruption,
                                                                    Deadline deadline) {
  std::vector<Contender> contenders;
  const Result<task::Task> task = task::task_from_json(task_json_);
  if (!task) return contenders;  // the worker of the device's own library reports it
  const Interruption limited{
      .descriptor = interruption.descriptor,
      .requested = [&] { return is_over(deadline) || (interruption.requested && interruption.requested()); }};
  std::optional<WorkerProcess> spare;  // that looked for a library in vain
  for (const VendorLibrary library : other_vendor_libraries(*task, device_)) {
    Contender contender{.library = library};
    if (is_over(deadline)) {
      trial::VendorResult none;
      none.reason = fmt::format("it was not looked for, because the choice took longer than {}",
                                base::duration_text(max_choice_seconds));
      contender.take(std::move(none));
      contenders.push_back(std::move(contender));
      continue;
    }
    std::swap(contender.worker, spare);
    Result<trial::VendorResult> sample = ask(contender, options, limited);
    if (interruption.now()) break;
    if (sample && is_missing(*sample)) {
      std::swap(contender.worker, spare);
      continue;
    }
    if (!sample && !is_over(deadline)) continue;  // no worker can be started, which the next one reports
    if (!sample) {
      sample = trial::VendorResult();
      sample->reason = fmt::format("it was not ready within {}", base::duration_text(max_choice_seconds));
    }
    contender.take(std::move(*sample));
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

Status VendorRunner::time_in_turns(std::vector<Contender>& contenders, const trial::MeasureOptions& options,
                                   const Interruption& interruption, Deadline deadline) {
  const trial::VendorCandidate& fastest =
      std::ranges::min_element(contenders, is_preferred, &Contender::timing)->timing;
  const double hopeless_seconds = hopeless_factor * median_of(fastest);
  for (Contender& contender : contenders)
    if (median_of(contender.timing) > hopeless_seconds) contender.worker.reset();
  for (int round = 0; round < choice_rounds; ++round) {
    for (Contender& contender : contenders) {
      if (!contender.worker || !contender.timing.available()) continue;
      if (is_over(deadline)) return {};
      contender.take(TRY(ask(contender, options, interruption)));
    }
  }
  return {};
}

Result<trial::VendorResult> VendorRunner::ask(Contender& contender, const trial::MeasureOptions& options,
                                              const Interruption& interruption) {
  const BaselineRequest request{.task_json = task_json_,
                                .options = options,
                                .threads = threads_,
                                .device = device_,
                                .library = contender.library};
  const Deadline deadline = deadline_after(max_answer_seconds);
  std::optional<WorkerProcess>& worker = contender.worker;
  for (int attempt = 1;; ++attempt) {
    if (!worker) worker.emplace(TRY(start(contender.library, interruption)));
    const auto sent = worker->channel().send(request, deadline, interruption);
    if (!sent && sent.error().problem == ChannelProblem::Closed && attempt < max_worker_attempts) {
      worker.reset();  // it ended between two requests
      continue;
    }
    auto reply = std::expected<BaselineReply, ChannelError>();
    reply = sent ? worker->channel().receive<BaselineReply>(deadline, interruption)
                 : std::unexpected(sent.error());
    if (reply) return std::move(reply->result);
    const std::string end = worker->describe_end();
    worker.reset();
    if (reply.error().problem == ChannelProblem::Interrupted) return interrupted();
    trial::VendorResult none;
    none.reason = "the vendor library's process was lost: " + end;
    return none;
  }
}

Result<WorkerProcess> VendorRunner::start(VendorLibrary library, const Interruption& interruption) const {
  // Libraries read these when they are loaded, so they are set before the process starts.
  std::vector<std::string> environment{fmt::format("OMP_NUM_THREADS={}", threads_), "OMP_DYNAMIC=false"};
  if (!is_onednn(library)) {
    // OpenMP would bind the first thread, whose only processor other threads would inherit; the worker pins
    // them. OpenBLAS's threads spin for 2^26 cycles behind a call, on processors that the next library needs.
    for (const char* variable : {"OMP_PROC_BIND=false", "OPENBLAS_THREAD_TIMEOUT=20"})
      environment.emplace_back(variable);
    for (const char* variable : {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"})
      environment.push_back(fmt::format("{}={}", variable, threads_));
  } else if (threads_ <= cores_) {
    environment.emplace_back("OMP_PROC_BIND=true");
  }
  auto worker = TRY(WorkerProcess::start(WorkerRole::Baseline, environment));
  TRY(worker.await_ready(interruption));
  return worker;
}

}  // namespace kernelscape::measure
