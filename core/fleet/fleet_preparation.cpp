#include "core/fleet/fleet_preparation.h"

#include <fmt/format.h>

#include <string_view>
#include <tuple>
#include <utility>

#include "core/fleet/fleet_keys.h"
#include "core/fleet/fleet_request.h"
#include "core/measure/builder_pool.h"
#include "core/measure/program_reference.h"
#include "core/measure/runner.h"
#include "core/space/member_search.h"

namespace kernelscape {
namespace {

constexpr int max_attempts = 3;  // attempts after Redis lost data

/** Determines the reference outputs of a user's kernels with one synchronous request after the other. */
class FleetReference {
 public:
  FleetReference(const KernelFamily& family, const FleetMeasuring& measuring, const MeasureOptions& options,
                 const std::function<bool()>& stop, FleetRequest question)
      : family_(family),
        data_(*family.data()),
        measuring_(measuring),
        target_(measuring.device.target),
        options_(options),
        stop_(stop),
        question_(std::move(question)) {}

  /** Returns the frame of the PrepareRequest; nullopt: it was stopped. */
  Result<std::optional<std::string>> make() {
    switch (data_.answer.kind) {
      case AnswerKind::Bytes:
        return frame_with({.bytes = data_.answer.bytes});
      case AnswerKind::Kernel:
      case AnswerKind::Function:
        return build_reference();
      case AnswerKind::FirstValid:
        break;
    }
    return find_first_valid();
  }

 private:
  /** The result of a build; the message of a failed build says why. */
  using Built = std::optional<BuildOutcome>;

  std::string frame_with(PreparedAnswer answer) const {
    PrepareRequest request = prepare_request_of(family_.task(), target_, options_);
    request.program.push_back({.arguments = data_.arguments, .answer = std::move(answer)});
    return frame_of(request);
  }

  Result<Built> build(const KernelSource& source) {
    const std::string stream = fleet_keys::build_stream(measuring_.device.tool_chain);
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      const auto answer = TRY(question_.ask(
          build_task_of(source, measuring_.device, options_.build_timeout_seconds), stream, stop_));
      if (!answer) return std::nullopt;
      if (answer->kind != TaskEnding::Answer) return failed(answer->message);
      BuildReply reply = TRY(message_of<BuildReply>(answer->frame));
      if (answer->artefact_sha256.empty()) return build_outcome_of(std::move(reply), source.dialect);
      auto artefact =
          TRY(read_blob(question_.poster().connection(), measuring_.access.times, answer->artefact_sha256));
      if (!artefact) continue;
      reply.artefact = std::move(*artefact);
      return build_outcome_of(std::move(reply), source.dialect);
    }
    return std::unexpected(lost_blobs("built artefacts"));
  }

  static Built failed(std::string message) {
    return BuildOutcome{.category = ErrorCategory::UnknownError, .message = std::move(message)};
  }

  /** Returns the error for blobs that Redis lost, which is not the fault of a kernel. */
  static Error lost_blobs(std::string_view what) {
    return {ErrorCode::Corrupt, fmt::format("the fleet's Redis has lost {}, {} times", what, max_attempts),
            "give it more memory (maxmemory), or let it evict less"};
  }

  Result<std::optional<std::string>> build_reference() {
    const KernelSource& source = data_.answer.reference;
    Built built = TRY(build(source));
    if (!built) return std::nullopt;
    if (built->category != ErrorCategory::NoError)
      return std::unexpected(reference_not_built(built->category, built->message));
    return frame_with(answer_of_kernel(source, std::move(*built), target_, options_));
  }

  Result<std::optional<std::string>> find_first_valid() {
    std::string first_problem;
    const FirstMembers first = first_members(family_.space(), max_first_members, stop_);
    if (stop_ && stop_()) return std::nullopt;
    for (const Configuration& configuration : first.members) {
      auto source = family_.source(configuration);
      std::string problem = source ? std::string() : source.error().message;
      if (source) {
        Built built = TRY(build(*source));
        if (!built) return std::nullopt;
        problem = built->message;
        if (built->category == ErrorCategory::NoError) {
          if (!built->entry.empty()) source->entry = built->entry;
          const std::string artefact = built->artefact;
          std::string frame = frame_with(answer_of_kernel(*source, std::move(*built), target_, options_));
          const std::optional<std::string> ran = TRY(problem_of_run(*source, artefact, frame));
          if (!ran) return std::nullopt;
          if (ran->empty()) return frame;
          problem = *ran;
        }
      }
      if (first_problem.empty())
        first_problem = fmt::format("{}: {}", family_.space().describe(configuration), problem);
    }
    return std::unexpected(no_member_runs(family_.space(), first, first_problem));
  }

  /**
   * Returns why a kernel gives no outputs. A worker that ran a second kernel against these outputs has them.
   * nullopt: it was stopped.
   */
  Result<std::optional<std::string>> problem_of_run(const KernelSource& source, const std::string& artefact,
                                                    const std::string& prepare) {
    MeasureOptions once = options_;
    once.repeats = 1;
    once.give_up_factor = 0;
    once.adaptive_batch = 0;
    TaskPoster& poster = question_.poster();
    FleetTask task{.kind = TaskKind::Run};
    task.frame = frame_of(run_request_of(source, {}, once, options_.kernel_threads(host_cores(target_))));
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      task.artefact_sha256 = TRY(poster.put_blob(artefact));
      task.prepare_sha256 = TRY(poster.put_blob(prepare));
      const auto answer = TRY(question_.ask(task, fleet_keys::run_stream(measuring_.device.id), stop_));
      if (!answer) return std::nullopt;
      if (answer->kind == TaskEnding::Answer) return std::string();
      if (answer->kind != TaskEnding::Missing)
        return answer->message.empty() ? "no worker executed it" : answer->message;
    }
    return std::unexpected(lost_blobs("the blobs to run"));
  }

  const KernelFamily& family_;
  const ProgramData& data_;
  const FleetMeasuring& measuring_;
  const TargetDescription& target_;
  const MeasureOptions& options_;
  const std::function<bool()>& stop_;
  FleetRequest question_;
};

}  // namespace

std::vector<std::string> flags_for(const DeviceClass& device, const std::vector<std::string>& flags) {
  std::vector<std::string> here;
  for (const std::string& flag : flags) {
    if (flag == "-march=native" && !device.native_flags.empty()) {
      here.insert(here.end(), device.native_flags.begin(), device.native_flags.end());
    } else {
      here.push_back(flag);
    }
  }
  return here;
}

FleetTask build_task_of(KernelSource source, const DeviceClass& device, double timeout_seconds) {
  const bool reference_of_gpu = source.dialect == Dialect::C && device.target.kind != TargetKind::Cpu;
  BuildRequest request = build_request_of(std::move(source), device.target, timeout_seconds);
  // The builder and the worker that runs the reference may have different processors, and the runner's is
  // unknown.
  if (reference_of_gpu) std::erase(request.flags, "-march=native");
  request.flags = flags_for(device, request.flags);
  return {.kind = TaskKind::Build, .frame = frame_of(request)};
}

Result<std::optional<std::string>> prepare_on_fleet(const KernelFamily& family,
                                                    const FleetMeasuring& measuring,
                                                    const MeasureOptions& options,
                                                    const std::function<bool()>& stop) {
  if (family.data() == nullptr)
    return frame_of(prepare_request_of(family.task(), measuring.device.target, options));
  return FleetReference(family, measuring, options, stop, TRY(FleetRequest::open(measuring, stop))).make();
}

}  // namespace kernelscape
