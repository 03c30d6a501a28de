#include "core/measure/cpu/machine_code_analyzer.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/temporary_folder.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {
namespace {

constexpr std::uint64_t analyzer_memory_bytes = 2ULL << 30;
constexpr std::size_t max_analysis_bytes = 4 << 20;
/** Program names of Debian's packages, the newest first; the default version of the system comes last. */
constexpr std::array analyzer_names{"llvm-mca-22", "llvm-mca-21", "llvm-mca-20", "llvm-mca-19", "llvm-mca-18",
                                    "llvm-mca-17", "llvm-mca-16", "llvm-mca-15", "llvm-mca-14", "llvm-mca"};

ConfinedOutcome run_analyzer(std::vector<std::string> words, const std::string& folder,
                             double timeout_seconds) {
  const ExecTexts arguments(std::move(words));
  const ExecTexts environment(confined_environment(folder));
  Confinement confinement = Confinement::of_compiler(folder);
  return run_confined({.arguments = arguments,
                       .environment = environment,
                       .folder = folder,
                       .limits = {.cpu_seconds = timeout_seconds,
                                  .address_space_bytes = analyzer_memory_bytes,
                                  .file_bytes = max_analysis_bytes,
                                  .stack_bytes = 0},
                       .confinement = &confinement},
                      timeout_seconds, -1);
}

bool ended_well(const ConfinedOutcome& outcome) {
  return outcome.start_error == 0 && outcome.child.end == ChildEnd::Exited && outcome.child.code == 0;
}

/** An llvm-mca of this machine. */
struct Analyzer {
  std::string command;
  std::string version;  ///< such as "14.0.6"
};

/** Returns the version in a text such as "... LLVM version 14.0.6". */
std::string version_in(const std::string& text) {
  constexpr std::string_view before = "LLVM version ";
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const std::size_t first = at + before.size();
  return text.substr(first, text.find_first_of(" \n\r", first) - first);
}

std::vector<Analyzer> find_analyzers(const std::string& folder, double timeout_seconds) {
  std::vector<Analyzer> found;
  for (const char* name : analyzer_names) {
    const ConfinedOutcome outcome = run_analyzer({name, "--version"}, folder, timeout_seconds);
    if (ended_well(outcome)) found.push_back({name, version_in(outcome.child.output)});
  }
  return found;
}

/** Returns the first line of a program's output. */
std::string first_words(const ConfinedOutcome& outcome) {
  if (outcome.child.end == ChildEnd::TimedOut) return "it was stopped after its time-out";
  const std::string words = clean_message(outcome.child.output);
  return words.empty() ? "it ended without output" : words.substr(0, words.find('\n'));
}

}  // namespace

Result<machine_code::LoopBound> bound_by_llvm_mca(const machine_code::MachineCode& code,
                                                  const machine_code::MachineLoop& loop,
                                                  const machine_code::ChosenPortModel& processor,
                                                  double timeout_seconds) {
  const base::TemporaryFolder folder = TRY(base::TemporaryFolder::make());
  const std::vector<Analyzer> analyzers = find_analyzers(folder.path(), timeout_seconds);
  if (analyzers.empty()) {
    return fail(ErrorCode::Environment, "llvm-mca is not installed",
                "install it (apt-get install llvm): it simulates the hot loop instruction by instruction");
  }
  if (write_private_file(folder.path() + "/loop.s", machine_code::text_for_mca(code, loop)) != 0)
    return fail(ErrorCode::Environment, fmt::format("llvm-mca's input can't be written to {}", folder.path()),
                "free space there, or set TMPDIR to another folder");
  // The processor is passed by name only: if LLVM does not know that name, "native" selects the tables of
  // another processor.
  const std::string name(processor.model->mca_name);
  std::string problem;
  for (const Analyzer& analyzer : analyzers) {
    const ConfinedOutcome outcome =
        run_analyzer({analyzer.command, "-mcpu=" + name, "-iterations=100", "-o", "analysis.txt", "loop.s"},
                     folder.path(), timeout_seconds);
    const std::string output = read_private_file(folder.path() + "/analysis.txt", max_analysis_bytes);
    if (auto bound = ended_well(outcome) ? machine_code::parse_mca_output(output, loop) : std::nullopt) {
      bound->by = "llvm-mca " + analyzer.version;
      bound->processor = name;
      bound->assumed = !processor.own;
      return std::move(*bound);
    }
    if (problem.empty())
      problem =
          fmt::format("llvm-mca {} can't analyse the hot loop: {}", analyzer.version, first_words(outcome));
  }
  return fail(ErrorCode::Environment, problem, "a newer LLVM may know the processor and its instructions");
}

}  // namespace kernelscape::measure
