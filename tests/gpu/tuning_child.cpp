#include "tests/gpu/tuning_child.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernelscape::gpu_proof {
namespace {

using nlohmann::json;

constexpr double grace_seconds = 20;  // a session that is asked to end lets its kernel come to its end
constexpr std::size_t problem_bytes = 1500;

const json& member(const json& object, const char* name) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

double number(const json& value) { return value.is_number() ? value.get<double>() : 0; }

/** What a line that is no object, or is a message of an error, adds to what went wrong. */
void add_problem(std::string& problem, const std::string& words) {
  if (words.empty() || problem.size() > problem_bytes) return;
  if (!problem.empty()) problem += "; ";
  problem += words;
}

std::string text(const json& value) { return value.is_string() ? value.get<std::string>() : ""; }

}  // namespace

std::int64_t TuningEnded::trials() const {
  return static_cast<std::int64_t>(number(member(summary, "trials")));
}

std::int64_t TuningEnded::valid_trials() const {
  return static_cast<std::int64_t>(number(member(member(member(summary, "errors"), "NO_ERROR"), "trials")));
}

double TuningEnded::best_gflops() const { return number(member(member(summary, "best"), "gflops")); }

double TuningEnded::vendor_gflops() const { return number(member(member(summary, "vendor"), "gflops")); }

std::string TuningEnded::vendor_reason() const { return text(member(member(summary, "vendor"), "reason")); }

double TuningEnded::session_seconds() const {
  return number(member(member(summary, "time"), "session_seconds"));
}

json TuningEnded::categories() const {
  json counts = json::object();
  for (const auto& [name, count] : member(summary, "errors").items()) {
    const double trials = number(member(count, "trials"));
    if (trials > 0) counts[name] = static_cast<std::int64_t>(trials);
  }
  return counts;
}

TuningEnded run_tuning(const Settings& settings, std::vector<std::string> words, double seconds) {
  TuningEnded ended;
  words.insert(words.begin(), settings.program("kernelscape"));
  words.emplace_back("--json");
  // The stand-ins' clocks move so slowly that samples of the usual length would never end.
  if (settings.fake && words[1] != "resume")
    words.insert(words.end(), {"--repeats", "2", "--min-repeat-ms", "0.001"});
  const ChildOptions options{
      .seconds = seconds, .grace_seconds = grace_seconds, .on_line = [&](std::string_view line) {
        json event = json::parse(line, nullptr, false);
        if (!event.is_object()) {
          add_problem(ended.problem, std::string(line));
        } else if (member(event, "event") == "summary") {
          ended.summary = std::move(event);
        } else if (member(event, "event") == "message" && member(event, "level") == "error") {
          add_problem(ended.problem, text(member(event, "text")) + " (" + text(member(event, "hint")) + ")");
        }
      }};
  ended.process = run_child(words, options);
  if (ended.problem.empty() && ended.process.late && ended.summary.is_null())
    ended.problem = fmt::format("no end after {:.0f} s", ended.process.seconds);
  if (ended.problem.empty() && ended.process.code != 0 && !ended.process.late)
    ended.problem = fmt::format("kernelscape ended with {}", ended.process.code);
  return ended;
}

json json_lines_of(const Settings& settings, std::vector<std::string> words, double seconds,
                   std::string& problem) {
  json lines = json::array();
  words.insert(words.begin(), settings.program("kernelscape"));
  words.emplace_back("--json");
  const ChildEnded ended = run_child(words, {.seconds = seconds, .on_line = [&](std::string_view line) {
                                               json one = json::parse(line, nullptr, false);
                                               if (one.is_object()) {
                                                 lines.push_back(std::move(one));
                                               } else {
                                                 add_problem(problem, std::string(line));
                                               }
                                             }});
  if (ended.code != 0 && problem.empty()) problem = fmt::format("{} ended with {}", words[1], ended.code);
  return lines;
}

std::string minutes_text(double seconds) { return fmt::format("{:.3f}", std::max(1.0, seconds) / 60); }

}  // namespace kernelscape::gpu_proof
