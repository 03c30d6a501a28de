#include "core/study/confined_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "core/base/memory.h"
#include "core/measure/cpu/compiler.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::study {
namespace {

constexpr double compile_seconds = 120;
constexpr double run_seconds = 300;
constexpr std::size_t max_text_bytes = 1 << 20;

}  // namespace

std::unexpected<Error> build_stopped() { return fail(ErrorCode::Refused, "it was stopped"); }

std::vector<std::string> ConfinedBuild::compiler_words(std::span<const std::string> more) const {
  std::vector<std::string> words = measure::command_arguments(compiler_);
  words.emplace_back("-std=gnu11");
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Status ConfinedBuild::compile_all(std::span<const ConfinedSource> sources) const {
  const auto compile = [&](const ConfinedSource& source) {
    std::vector<std::string> words = compiler_words(source.flags);
    for (const std::string& word : {std::string("-c"), source.file, std::string("-o"), source.file + ".o"})
      words.push_back(word);
    return run_compiler(std::move(words));
  };
  std::atomic<std::size_t> next = 0;
  std::vector<Status> outcomes(sources.size());
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < std::max(1, threads_); ++i) {
      threads.emplace_back([&] {
        for (std::size_t source = next++; source < sources.size(); source = next++)
          if (stop_.level() == 0)
            outcomes[source] =
                base::guarded("compiling a file of the library", [&] { return compile(sources[source]); });
      });
    }
  }
  for (const Status& outcome : outcomes) TRY(outcome);
  if (stop_.level() > 0) return build_stopped();
  return {};
}

Status ConfinedBuild::run_compiler(std::vector<std::string> words) const {
  return run_command(std::move(words), measure::confined_environment(folder_), compile_seconds, nullptr);
}

Status ConfinedBuild::run_program(std::vector<std::string> words, std::vector<std::string> environment,
                                  const char* output_file) const {
  return run_command(std::move(words), std::move(environment), run_seconds, output_file);
}

std::string ConfinedBuild::text_of(const std::string& file) const {
  return measure::read_private_file(folder_ + "/" + file, max_text_bytes);
}

Status ConfinedBuild::run_command(std::vector<std::string> words, std::vector<std::string> environment_texts,
                                  double timeout_seconds, const char* output_file) const {
  const std::string program = words.front();
  const measure::ExecTexts arguments(std::move(words));
  const measure::ExecTexts environment(std::move(environment_texts));
  measure::Confinement confinement = measure::Confinement::of_compiler(folder_);
  const measure::ConfinedCommand command{.arguments = arguments,
                                         .environment = environment,
                                         .folder = folder_,
                                         .limits = {.cpu_seconds = timeout_seconds * std::max(1, threads_)},
                                         .confinement = &confinement,
                                         .output_file = output_file};
  const measure::ConfinedOutcome outcome = measure::run_confined(command, timeout_seconds, -1);
  const measure::ChildOutcome& child = outcome.child;
  if (outcome.start_error == 0 && child.end == measure::ChildEnd::Exited && child.code == 0) return {};
  std::string said = measure::clean_message(child.output);
  if (child.end == measure::ChildEnd::Signalled) {
    said = fmt::format("it was ended by {}{}{}", measure::describe_signal(child.code),
                       said.empty() ? "" : ": ", said);
  } else if (said.empty()) {
    said = fmt::format("it ended with exit code {} and no message", child.code);
  }
  return fail(ErrorCode::Environment,
              outcome.start_error != 0 ? fmt::format("{} cannot be started", program)
              : child.end == measure::ChildEnd::TimedOut
                  ? fmt::format("{} took over {} s", program, timeout_seconds)
                  : fmt::format("{} failed: {}", program, said),
              "`kernelscape export --network` writes the same library: build it by hand");
}

}  // namespace kernelscape::study
