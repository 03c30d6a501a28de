#include "tests/gpu/visit.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include "core/session/version.h"
#include "tests/gpu/child.h"
#include "tests/gpu/kept_files.h"
#include "tests/gpu/libraries.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/summary.h"
#include "tests/gpu/tuning_child.h"

namespace kernelscape::gpu_proof {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr double overtime_seconds = 20;  // that a part has to come to its end
constexpr double copy_seconds = 20;
constexpr double clock_seconds = 20;
constexpr std::size_t max_clocks = 120;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/** A visit while it goes on. */
class Visit {
 public:
  explicit Visit(Settings settings) : settings_(std::move(settings)) {
    environment_ = library_environment(settings_);
    for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
    summary_ = {{"format", "kernelscape-gpu-proof"},
                {"format_version", 1},
                {"version", session::program_version},
                {"begun", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
                {"seed", settings_.seed},
                {"fake", settings_.fake},
                {"machine", describe_machine(settings_)},
                {"clocks", json::array()},
                {"parts", json::array()}};
  }

  int run() {
    for (const auto& [name, value] : environment_) summary_["environment"][name] = value;
    write_summary();
    if (settings_.skip_complete) leave_out_complete_parts();
    for (std::size_t i = 0; i < settings_.parts.size() && !stop_asked(); ++i) run_part(i);
    keep_files(settings_);
    write_summary();
    fmt::print("{}", summary_text(summary_));
    return failures() > 0 ? 1 : 0;
  }

 private:
  double seconds_left() const { return 60 * settings_.minutes - seconds_since(start_); }

  /**
   * Leaves out the parts that an earlier call has completed, and gives their time to the others. On another
   * machine, which --continue may mean, the devices are looked at again.
   */
  void leave_out_complete_parts() {
    std::erase_if(settings_.parts, [&](const std::string& name) {
      const bool looked_at_again = name == "devices" && !settings_.continued.empty();
      if (looked_at_again || !is_complete(read_json(settings_.result_file(name)))) return false;
      fmt::print("{}: complete, by an earlier call\n", name);
      return true;
    });
  }

  /**
   * Returns the seconds of a part: its share of the time that is left, among the parts that follow. Parts
   * that would get too little to find anything out have no share, the least valuable first.
   */
  double seconds_of(std::size_t i) const {
    std::vector<const Part*> planned;
    for (std::size_t later = i; later < settings_.parts.size(); ++later)
      planned.push_back(find_part(settings_.parts[later]));
    const Part* const asked = planned.front();
    for (;;) {
      double shares = 0;
      for (const Part* part : planned) shares += part->share;
      const double seconds_of_one = std::max(0.0, seconds_left()) / shares;
      const auto too_short = std::ranges::find_if(planned.rbegin(), planned.rend(), [&](const Part* part) {
        return !settings_.fake && seconds_of_one * part->share < part->useful_seconds;
      });
      if (too_short == planned.rend()) return seconds_of_one * asked->share;
      if (*too_short == asked) return 0;
      planned.erase(std::next(too_short).base());
    }
  }

  void run_part(std::size_t i) {
    const std::string& name = settings_.parts[i];
    const double seconds = seconds_of(i);
    if (seconds <= 0) {
      fmt::print("{}: too little time is left; call again to run it\n", name);
      return;
    }
    fmt::print("{}: up to {:.0f} s\n", name, seconds);
    std::fflush(stdout);
    const fs::path file = settings_.result_file(name);
    std::error_code missing;
    fs::rename(file, file.string() + ".earlier", missing);
    const Clock::time_point start = Clock::now();
    const ChildEnded ended = run_child(text_of_words(name, seconds), options_of(name, seconds));
    take_result(name, ended, seconds_since(start));
  }

  std::vector<std::string> text_of_words(const std::string& part, double seconds) const {
    std::vector<std::string> words{settings_.program("gpu-proof"),
                                   "--part",
                                   part,
                                   "--device",
                                   settings_.device,
                                   "--seed",
                                   std::to_string(settings_.seed),
                                   "--work",
                                   settings_.work.string(),
                                   "--minutes",
                                   minutes_text(seconds)};
    if (settings_.fake) words.emplace_back("--fake");
    return words;
  }

  ChildOptions options_of(const std::string& part, double seconds) {
    ChildOptions options{.seconds = seconds + overtime_seconds,
                         .grace_seconds = 2 * overtime_seconds,
                         .log_file = settings_.kept_file("log.txt").string()};
    const json devices = read_json(settings_.result_file("devices"));
    if (devices.is_object() && devices.contains("environment"))
      for (const auto& [name, value] : devices["environment"].items())
        options.environment[name] = value.get<std::string>();
    options.on_tick = [this, part] { tick(part); };
    return options;
  }

  void tick(const std::string& part) {
    std::error_code missing;
    const fs::file_time_type step = fs::last_write_time(settings_.result_file(part), missing);
    if ((!missing && step != last_step_) || seconds_since(copied_) > copy_seconds) {
      copied_ = Clock::now();
      last_step_ = step;
      keep_files(settings_);
      write_summary();
    }
    if (seconds_since(asked_) > clock_seconds && summary_["clocks"].size() < max_clocks) {
      asked_ = Clock::now();
      json state = gpu_state();
      if (!state.is_null())
        summary_["clocks"].push_back(
            {{"part", part}, {"seconds", std::llround(seconds_since(start_))}, {"GPUs", std::move(state)}});
    }
  }

  /** A part that broke keeps what it had found, and how it ended. */
  void take_result(const std::string& part, const ChildEnded& ended, double seconds) {
    const fs::path file = settings_.result_file(part);
    json result = read_json(file);
    if (!result.is_object()) {
      PartResult nothing(file, part, 0, nullptr);
      nothing.save();
      result = read_json(file);
    }
    if (ended.code != 0) {
      result["failures"].push_back(
          {{"what", "the part itself"},
           {"message", fmt::format("ended with {}{}", ended.code, ended.late ? ", after its time" : "")},
           {"text", ended.output}});
      result["failure_count"] = result["failure_count"].get<int>() + 1;
      write_whole(file, result.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
    }
    keep_files(settings_);
    write_summary();
    fmt::print("{}: {} after {:.0f} s, {} failures\n", part, result.value("state", "?"), seconds,
               result.value("failure_count", 0));
    std::fflush(stdout);
  }

  /** All parts that were ever run, with what they have so far. */
  void write_summary() {
    summary_["parts"] = json::array();
    for (const Part& part : all_parts()) {
      json result = read_json(settings_.result_file(part.name));
      if (!result.is_object()) result = read_json(settings_.result_file(part.name).string() + ".earlier");
      if (result.is_object()) summary_["parts"].push_back(std::move(result));
    }
    write_whole(settings_.out / "failures.txt", failures_text(summary_));
    json without = summary_;
    for (json& part : without["parts"])
      for (json& failure : part["failures"]) failure.erase("text");
    write_whole(settings_.out / "summary.json",
                without.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
    write_whole(settings_.out / "summary.txt", summary_text(summary_));
  }

  int failures() const {
    int count = 0;
    for (const json& part : summary_["parts"]) count += part.value("failure_count", 0);
    return count;
  }

  Settings settings_;
  json summary_;
  std::map<std::string, std::string> environment_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point copied_ = start_;
  fs::file_time_type last_step_;
  Clock::time_point asked_ = start_;
};

}  // namespace

int run_visit(Settings settings) {
  if (settings.fake) settings.work /= "fake";  // nothing real goes on from it
  for (const fs::path& folder : {settings.out, settings.work}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || access(folder.c_str(), W_OK) != 0) {
      fmt::print(stderr, "{} can't be written: name another folder with --out or --work\n", folder.string());
      return 2;
    }
  }
  take_over_files(settings);
  return Visit(std::move(settings)).run();
}

}  // namespace kernelscape::gpu_proof
