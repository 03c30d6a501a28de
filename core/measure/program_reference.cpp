#include "core/measure/program_reference.h"

#include <fmt/format.h>

#include <utility>

#include "core/project/data_file.h"
#include "core/space/feasibility.h"
#include "core/trial/failure_text.h"

namespace kernelscape::measure {
namespace {

constexpr double reference_timeout_seconds = 600;  // plain loops on one thread, as opposed to tuned kernels

class ReferenceMaker {
 public:
  ReferenceMaker(const kernel::Family& family, const schedule::TargetDescription& target,
                 const trial::MeasureOptions& options, BuilderPool& pool, Runner& runner,
                 const Interruption& interruption)
      : family_(family),
        data_(*family.data()),
        target_(target),
        options_(options),
        pool_(pool),
        runner_(runner),
        interruption_(interruption) {}

  Result<bool> make() {
    switch (data_.answer.kind) {
      case project::AnswerKind::Bytes:
        return prepare({.bytes = TRY(project::loaded_answer(data_))});
      case project::AnswerKind::Kernel:
      case project::AnswerKind::Function:
        return run_reference();
      case project::AnswerKind::FirstValid:
        break;
    }
    return run_first_valid();
  }

 private:
  /** Prepares the worker at once, so that errors of a reference are known before anything is measured. */
  Result<bool> prepare(PreparedAnswer answer) {
    runner_.set_program({.arguments = TRY(project::loaded_arguments(data_)), .answer = std::move(answer)});
    const Status ready = runner_.make_ready(interruption_);
    if (interruption_.now()) return false;
    if (!ready) return std::unexpected(ready.error());
    return true;
  }

  Result<bool> run_reference() {
    const codegen::KernelSource& source = data_.answer.reference;
    std::optional<BuildOutcome> built = TRY(pool_.build_one(source, interruption_));
    if (!built) return false;
    if (built->category != trial::ErrorCategory::NoError)
      return std::unexpected(reference_not_built(built->category, built->message));
    return prepare(answer_of_kernel(source, std::move(*built), target_, options_));
  }

  Result<bool> run_first_valid() {
    std::string first_problem;
    const space::FirstMembers first =
        space::first_members(family_.space(), max_first_members, [this] { return interruption_.now(); });
    if (interruption_.now()) return false;
    for (const space::Configuration& configuration : first.members) {
      const auto source = family_.source(configuration);
      std::string problem = source ? std::string() : source.error().message;
      if (source) {
        std::optional<BuildOutcome> built = TRY(pool_.build_one(*source, interruption_));
        if (!built) return false;
        problem = trial::failure_text(built->category, built->message).text;
        if (built->category == trial::ErrorCategory::NoError) {
          auto ready = prepare(answer_of_kernel(*source, std::move(*built), target_, options_));
          if (ready || ready.error().code != ErrorCode::InvalidArgument) return ready;
          problem = ready.error().message;
        }
      }
      if (first_problem.empty())
        first_problem = fmt::format("{}: {}", family_.space().describe(configuration), problem);
    }
    return std::unexpected(no_member_runs(family_.space(), first, first_problem));
  }

  const kernel::Family& family_;
  const project::ProgramData& data_;
  const schedule::TargetDescription& target_;
  const trial::MeasureOptions& options_;
  BuilderPool& pool_;
  Runner& runner_;
  const Interruption& interruption_;
};

}  // namespace

PreparedAnswer answer_of_kernel(const codegen::KernelSource& source, BuildOutcome built,
                                const schedule::TargetDescription& target,
                                const trial::MeasureOptions& options) {
  return {.artefact = std::move(built.artefact),
          .dialect = source.dialect,
          .entry = built.entry.empty() ? source.entry : built.entry,
          .launch = source.launch,
          .threads = source.parts ? options.kernel_threads(schedule::host_cores(target)) : 1,
          .timeout_seconds = reference_timeout_seconds};
}

Error reference_not_built(trial::ErrorCategory category, std::string_view message) {
  // The builder uses one file name for every source; the user's file has another name.
  constexpr std::string_view builders_name = "kernel.c:";
  std::string said = trial::failure_text(category, message).text;
  if (said.starts_with(builders_name)) said.replace(0, builders_name.size(), "line ");
  return {ErrorCode::InvalidArgument, "the reference can't be built: " + said,
          "correct it, or name another reference in kernelscape.Reference"};
}

Error no_member_runs(const space::SearchSpace& space, const space::FirstMembers& tried,
                     const std::string& first_problem) {
  if (tried.members.empty()) return space::no_feasible_configuration(space);
  return {ErrorCode::InvalidArgument,
          fmt::format("none of {}{} configurations runs, and there is no other reference; {}",
                      tried.in_order ? "the first " : "", tried.members.size(), first_problem),
          "correct the kernel, or name a reference in kernelscape.Reference"};
}

Result<bool> prepare_program(const kernel::Family& family, const schedule::TargetDescription& target,
                             const trial::MeasureOptions& options, BuilderPool& pool, Runner& runner,
                             const Interruption& interruption) {
  if (family.data() == nullptr) return true;
  return ReferenceMaker(family, target, options, pool, runner, interruption).make();
}

}  // namespace kernelscape::measure
