#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tests/gpu/child.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/tuning_child.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr double start_seconds = 60;  // a sanitizer needs some of them before the first kernel runs

/** "ERROR SUMMARY: 3 errors", "RACECHECK SUMMARY: 1 hazard displayed": the line; empty where none came. */
std::string summary_line(const std::string& output) {
  const std::size_t at = output.rfind(" SUMMARY: ");
  if (at == std::string::npos) return {};
  const std::size_t start = output.rfind('\n', at);
  const std::size_t end = output.find('\n', at);
  return output.substr(start == std::string::npos ? 0 : start + 1,
                       end - (start == std::string::npos ? 0 : start + 1));
}

/** The number behind "SUMMARY: "; -1 where there is none. */
int count_in(const std::string& line) {
  constexpr std::string_view label = "SUMMARY: ";
  const std::size_t at = line.find(label);
  if (at == std::string::npos) return -1;
  return std::isdigit(static_cast<unsigned char>(line[at + label.size()])) != 0
             ? std::atoi(line.c_str() + at + label.size())
             : -1;
}

/** The line that the kernels print at their end; empty where they came to none. */
std::string kernels_line(const std::string& output) {
  const std::size_t at = output.rfind("kernels: ");
  return at == std::string::npos ? std::string() : output.substr(at, output.find('\n', at) - at);
}

void run_tool(const Settings& settings, const std::string& sanitizer, const std::string& tool, double seconds,
              PartResult& result) {
  const double kernel_seconds = std::max(5.0, seconds - start_seconds);
  std::vector<std::string> words{sanitizer,
                                 "--tool",
                                 tool,
                                 "--error-exitcode",
                                 "86",
                                 settings.program("gpu-proof"),
                                 "--run-kernels",
                                 "--device",
                                 settings.device,
                                 "--seed",
                                 std::to_string(settings.seed),
                                 "--minutes",
                                 minutes_text(kernel_seconds)};
  if (settings.fake) words.emplace_back("--fake");
  const ChildEnded ended =
      run_child(words, {.seconds = seconds, .log_file = settings.kept_file("log.txt").string()});
  const std::string said = summary_line(ended.output);
  const std::string ran = kernels_line(ended.output);
  result.add_row("tools", {{"tool", tool}, {"said", said}, {"kernels", ran}, {"code", ended.code}});
  if (said.empty()) {
    result.note(fmt::format(
        "{} came to no summary (exit code {}): {}", tool, ended.code,
        ended.output.substr(ended.output.size() - std::min<std::size_t>(800, ended.output.size()))));
  } else if (count_in(said) != 0) {
    result.fail(tool, said, ended.output);
  }
  if (ran.empty() || ran.find(" 0 wrong") == std::string::npos)
    result.fail(tool + ", the kernels", ran.empty() ? "they came to no end" : ran, ended.output);
}

/** The same kernels without a tool: what fails then is none of its finds. */
bool kernels_run_alone(const Settings& settings, PartResult& result) {
  std::vector<std::string> words{
      settings.program("gpu-proof"), "--run-kernels", "--device", settings.device, "--seed",
      std::to_string(settings.seed), "--minutes",     "0.05"};
  if (settings.fake) words.emplace_back("--fake");
  const ChildEnded ended = run_child(words, {.seconds = 120});
  result.set("without a tool", kernels_line(ended.output));
  if (ended.code == 0) return true;
  result.fail("the kernels without a tool", kernels_line(ended.output), ended.output);
  return false;
}

}  // namespace

void run_sanitizers(const Settings& settings, PartResult& result) {
  const std::string sanitizer = find_program(
      "compute-sanitizer", {"/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer", "/opt/cuda/bin"});
  kernels_run_alone(settings, result);
  result.save();
  if (sanitizer.empty())
    return result.skip(
        "compute-sanitizer is not on the PATH, nor in /usr/local/cuda: it is a package of the CUDA toolkit");
  result.set("compute-sanitizer", sanitizer);
  const std::vector<std::string> tools{"memcheck", "racecheck", "initcheck", "synccheck"};
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const double seconds = result.seconds_left() / static_cast<double>(tools.size() - i);
    if (seconds < 10 || stop_asked()) return result.note("not all tools: out of time");
    run_tool(settings, sanitizer, tools[i], seconds, result);
    result.save();
  }
  result.done();
}

}  // namespace kernelscape::gpu_proof
