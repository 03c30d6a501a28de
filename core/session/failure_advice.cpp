#include "core/session/failure_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/visible_text.h"
#include "core/session/ask_tell.h"

namespace kernelscape::session {
namespace {

/** "Correct scale.c:12": a place in one of the user's own files. */
std::string compile_advice(const Report& report, const trial::FailureText& failure) {
  const bool own_file = failure.place && std::ranges::find(report.project_files, failure.place->file) !=
                                             report.project_files.end();
  if (own_file) return fmt::format("Correct {}:{}", base::one_line(failure.place->file), failure.place->line);
  const std::string source =
      report.project_files.empty() ? std::string("the source") : base::one_line(report.project_files.front());
  return fmt::format("Correct {}, or the project's compiler flags and arguments", source);
}

std::string program_advice(const trial::FailureText& failure) {
  constexpr std::string_view again = "then run the command again";
  switch (failure.category) {
    case trial::ErrorCategory::CompileHost:
      return fmt::format("Run the build command by hand, correct what it reports, {}.", again);
    case trial::ErrorCategory::WrongAnswer:
      return fmt::format("Correct the program or its check command, {}.", again);
    case trial::ErrorCategory::BuildTimeout:
      return "Allow a build more time with Build.TimeoutSeconds, or with a higher --build-timeout.";
    case trial::ErrorCategory::RunTimeout:
      return "Allow a run more time with Run.TimeoutSeconds, or with a higher --run-timeout.";
    default:
      return fmt::format("Correct the program, or what the project says of its commands and results, {}.",
                         again);
  }
}

std::string project_advice(const Report& report, const trial::FailureText& failure) {
  constexpr std::string_view again = "then run the command again";
  switch (failure.category) {
    case trial::ErrorCategory::CompileHost:
    case trial::ErrorCategory::CompileDevice:
      return fmt::format("{}, {}.", compile_advice(report, failure), again);
    case trial::ErrorCategory::InstantiationError:
      return fmt::format("Correct the project's launch, or exclude such configurations with a condition, {}.",
                         again);
    case trial::ErrorCategory::WrongAnswer:
      return fmt::format("Correct the kernel or its reference, or give the output a \"Tolerance\", {}.",
                         again);
    case trial::ErrorCategory::BuildTimeout:
      return "Allow a build more time with a higher --build-timeout.";
    case trial::ErrorCategory::RunTimeout:
      return "Allow a run more time with a higher --run-timeout, or give the project a smaller ProblemSize.";
    case trial::ErrorCategory::NoError:
    case trial::ErrorCategory::RuntimeDevice:
    case trial::ErrorCategory::UnknownError:
      break;
  }
  return fmt::format("Correct the kernel, its launch or the sizes of its arguments, {}.", again);
}

}  // namespace

std::string failure_advice(const Report& report) {
  const store::SessionRecord& record = report.session.record;
  if (record.kind == store::SessionKind::Replayed)
    return "The categories of the trials say what failed; another --tuner or --seed may do better.";
  if (is_ask_tell(record))
    return "The client that measures reported these failures: correct what it runs, then begin a new "
           "session.";
  if (record.project_hash.empty())
    return "The categories of the trials say what failed; another --template or --seed may do better.";
  const trial::FailureText failure = report.failure.value_or(trial::FailureText{});
  return report.program_checked ? program_advice(failure) : project_advice(report, failure);
}

}  // namespace kernelscape::session
