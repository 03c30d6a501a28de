// What a machine whose speed changes does to real sessions: each is run undisturbed and disturbed, in turns,
// and the kernels that both found are measured again beside each other when all is quiet.
//   drift_benchmark [--seeds N] [--trials N] [--tuner NAME] [--tasks "TASK;TASK"] [--disturbances
//   "NAME;NAME"]
//                   [--phases SEED] [--pairs N] [--results FILE] [--program FILE] [--before FILE] [PART...]
//   effects    what each disturbance does to a fixed amount of work; a minute
//   sessions   each seed and task with one of the disturbances, which take turns; 5 seeds take an hour
//   cost       quiet sessions of random search with this program, in turns with the one of --before if it is
//              given, and the share of the run time in probes
// The task "project" is a user's own kernel. --program is the command line that is tested (default: the one
// built beside the benchmark), --before one of an earlier state, which is disturbed in the same way. With
// --results each pair is appended to a file of JSON lines as soon as it is known, and pairs that the file has
// are not run again.
#include <cstdlib>
#include <fstream>

#include "core/base/processors.h"
#include "core/base/quantile.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/speed_probe.h"
#include "tests/benchmarks/benchmark_parts.h"
#include "tests/benchmarks/drift/effects.h"
#include "tests/benchmarks/drift/quiet_truth.h"
#include "tests/benchmarks/drift/result_table.h"
#include "tests/benchmarks/drift/user_project.h"

namespace {

using namespace kernelscape;
using namespace kernelscape::drift;

constexpr double max_session_seconds = 4 * 3600;  ///< until then phases are drawn

struct Options {
  int seeds = 5;
  int trials = 100;
  int pairs = 5;  ///< of the part `cost`
  std::uint64_t phases = 1;
  std::string tuner = "gp";
  std::string tasks = "resnet18/C6;resnet18/C12;matmul 512x1024 1024x1024 f32;project";
  std::string disturbances;  ///< empty: all
  std::string results;
  std::string program = tuning_runs::program();
  std::string before;
};

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names(1);
  for (const char c : list) {
    if (c == ';')
      names.emplace_back();
    else
      names.back() += c;
  }
  std::erase(names, "");
  return names;
}

/** The disturbances that are wanted and possible on this machine; says why others are not. */
std::vector<std::string> chosen_disturbances(const Options& options) {
  std::vector<std::string> names = names_in(options.disturbances);
  if (names.empty()) names = disturbance_names();
  std::vector<std::string> chosen;
  for (const std::string& name : names) {
    if (!make_disturbance(name, options.program)) stop(fmt::format("\"{}\" is no disturbance", name));
    if (const Status status = possible(name, options.program))
      chosen.push_back(name);
    else
      fmt::print("skipped: {}: {}\n", name, describe(status.error()));
  }
  if (chosen.empty()) stop("no disturbance is possible on this machine");
  return chosen;
}

// --- results ---

/** What lines of the same settings have in common: their numbers may stand in one table. */
Json settings_of(const Options& options, const char* part) {
  return {{"part", part}, {"trials", options.trials}, {"tuner", options.tuner}, {"phases", options.phases}};
}

/** Lines of this and of earlier runs with the same settings. */
class Results {
 public:
  Results(const Options& options, Json settings) : path_(options.results), settings_(std::move(settings)) {
    std::ifstream file(path_);
    for (std::string text; std::getline(file, text);) {
      Json line = Json::parse(text, nullptr, false);  // the last line of a killed run may be incomplete
      if (line.is_object() && line.value("settings", Json()) == settings_) lines_.push_back(std::move(line));
    }
  }
  bool has(const Json& key) const { return std::ranges::find(lines_, key, key_of) != lines_.end(); }
  void add(Json line) {
    line["settings"] = settings_;
    lines_.push_back(std::move(line));
    if (path_.empty()) return;
    std::ofstream file(path_, std::ios::app);
    file << lines_.back().dump() << "\n";
    if (!file.flush()) stop(path_ + " cannot be written");
  }
  const std::vector<Json>& lines() const { return lines_; }

 private:
  static Json key_of(const Json& line) { return line.value("key", Json()); }

  std::string path_;
  Json settings_;
  std::vector<Json> lines_;
};

// --- sessions ---

[[noreturn]] void stop_interrupted() { stop("interrupted; with --results the next run continues"); }

/** Folders and names that all sessions of a run share. */
struct Bench {
  explicit Bench(Options chosen) : options(std::move(chosen)) {}

  Options options;
  tuning_runs::Workspace workspace;
  std::filesystem::path folder = workspace.database().parent_path();
  std::string project = make_user_project(folder);
  int sessions = 0;

  std::string task(const std::string& name) const { return name == "project" ? project : name; }
};

struct Wanted {
  std::string task;
  int seed = 0;
  std::string disturbance;
};

/** The facts of a session with a database of its own; null: it found no kernel, or could not be disturbed. */
Json measure_session(Bench& bench, const std::string& program, const std::string& tuner, const Wanted& wanted,
                     bool disturbed, std::string& problem) {
  const std::string database = (bench.folder / fmt::format("{}.db", ++bench.sessions)).string();
  SessionCommand command{
      program,
      {"tune", bench.task(wanted.task), "--seed", std::to_string(wanted.seed), "--trials",
       std::to_string(bench.options.trials), "--tuner", tuner, "--json", "--db", database}};
  if (wanted.task == "project") command.arguments.emplace_back("--trust");
  const auto disturbance = disturbed ? make_disturbance(wanted.disturbance, program) : nullptr;
  const base::Random random =
      base::Random(bench.options.phases)
          .fork(fmt::format("{} {} {}", wanted.task, wanted.seed, wanted.disturbance));
  const DrivenSession session =
      run_session(command, disturbance.get(), draw_phases(random, max_session_seconds));
  if (interrupted != 0) stop_interrupted();
  problem = session.problem;
  return problem.empty() ? facts_of(session, database) : Json();
}

/** Runs the sessions of a pair, adds their quiet times and appends the line; which is first takes turns. */
void measure_pair(Bench& bench, const Wanted& wanted, const Json& key, Results& results) {
  struct Side {
    const char* name;
    std::string program;
    bool disturbed;
  };
  std::vector<Side> sides{{"undisturbed", bench.options.program, false},
                          {"disturbed", bench.options.program, true}};
  if (!bench.options.before.empty()) sides.push_back({"before", bench.options.before, true});
  std::ranges::rotate(sides,
                      sides.begin() + static_cast<std::ptrdiff_t>(results.lines().size() % sides.size()));
  Json line = {{"key", key}, {"disturbance", wanted.disturbance}};
  std::vector<Json*> sessions;
  for (const Side& side : sides) {
    std::string problem;
    Json facts = measure_session(bench, side.program, bench.options.tuner, wanted, side.disturbed, problem);
    if (facts.is_null()) {
      fmt::print("| {} | {} | {} | {}: {} | | | | |\n", wanted.task, wanted.seed, wanted.disturbance,
                 side.name, problem.empty() ? "no kernel was found" : "skipped, " + problem);
      std::fflush(stdout);
      return;
    }
    line[side.name] = std::move(facts);
  }
  for (const Side& side : sides) sessions.push_back(&line[side.name]);
  line["steady"] = add_quiet_truth(QuietTruth(bench.task(wanted.task), bench.folder), sessions);
  if (interrupted != 0) stop_interrupted();
  results.add(std::move(line));
}

void print_pair(const Json& line) {
  const Json& disturbed = line["disturbed"];
  const double truth = number(disturbed, "truth_seconds");
  fmt::print("| {} | {} | {} | {:.0f}, {:.0f} | {:.3f} | {:+.1f} %{} | {:.0f} of {:.0f} | {:.2f} |\n",
             line["key"]["task"].get<std::string>(), line["key"]["seed"].get<int>(),
             line["disturbance"].get<std::string>(), number(line["undisturbed"], "wall_seconds"),
             number(disturbed, "wall_seconds"), number(line["undisturbed"], "truth_seconds") / truth,
             100 * (number(disturbed, "headline_seconds") / truth - 1),
             disturbed.value("marked", false) ? ", marked" : "", number(disturbed, "phases_found"),
             number(disturbed, "phases_to_find"), number(disturbed, "rate_in_phases"));
  std::fflush(stdout);
}

void run_sessions(const Options& options) {
  Bench bench(options);
  Results results(options, settings_of(options, "sessions"));
  const std::vector<std::string> tasks = names_in(options.tasks);
  const std::vector<std::string> disturbances = chosen_disturbances(options);
  fmt::print("{}, {} trials, seeds 1 to {}, phases of seed {}\n\n", options.tuner, options.trials,
             options.seeds, options.phases);
  fmt::print(
      "| task | seed | disturbance | seconds undisturbed, disturbed | best kernel, disturbed / undisturbed | "
      "headline against its quiet time | phases found | trials per second inside / outside |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const Json& line : results.lines()) print_pair(line);
  for (int seed = 1; seed <= options.seeds; ++seed) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const std::size_t turn = (static_cast<std::size_t>(seed - 1) + i) % disturbances.size();
      const Wanted wanted{tasks[i], seed, disturbances[turn]};
      const Json key = {{"task", wanted.task},
                        {"seed", seed},
                        {"disturbance", wanted.disturbance},
                        {"before", !options.before.empty()}};
      if (results.has(key)) continue;
      const std::size_t known = results.lines().size();
      measure_pair(bench, wanted, key, results);
      if (results.lines().size() > known) print_pair(results.lines().back());
    }
  }
  print_summary(results.lines());
  print_by_disturbance(results.lines());
}

// --- effects ---

void print_effects(const Options& options) {
  fmt::print(
      "| disturbance | allowed share | speed of computing | speed of reading memory |\n|---|---|---|---|\n");
  for (const std::string& name : chosen_disturbances(options)) {
    const auto disturbance = make_disturbance(name, options.program);
    const StandInSession session;
    check(disturbance->attach(session.process()));
    for (const double allowed : {min_speed, max_speed}) {
      constexpr double period_seconds = 0.05;
      session.rates(std::chrono::seconds(1));
      const WorkRates quiet = session.rates(std::chrono::seconds(2));
      disturbance->begin({0, 0, allowed, period_seconds});
      const WorkRates slow = session.rates(std::chrono::seconds(3));
      disturbance->end();
      fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |\n", name, allowed, slow[0] / quiet[0],
                 slow[1] / quiet[1]);
      std::fflush(stdout);
    }
  }
}

// --- cost ---

/** The wall time of a reading, with the start of its threads and its warm-up, relative to its timed parts. */
double overhead_of_readings() {
  constexpr int readings = 20;
  measure::SpeedProbe probe;
  const int threads = static_cast<int>(base::usable_processors().size());
  probe.measure(threads);  // fills its data
  std::vector<double> ratios;
  for (int reading = 0; reading < readings; ++reading) {
    const double begin = measure::steady_seconds();
    const trial::ProbeSeconds parts = probe.measure(threads);
    ratios.push_back((measure::steady_seconds() - begin) / (parts.compute + parts.memory));
  }
  return base::quantile(std::move(ratios), 0.5);
}

/** Prints the share of the workers' run time that the readings around trials took. */
void print_probe_share(const std::vector<Json>& lines) {
  const double overhead = overhead_of_readings();
  double probes = 0;
  double runs = 0;
  for (const Json& line : lines) {
    probes += number(line["with"], "probe_seconds");
    runs += number(line["with"], "run_seconds");
  }
  if (runs <= 0) return;
  fmt::print("| share of the run time in probes, {:.2f} times their timed parts | {:.4f} | 0.03 |\n",
             overhead, overhead * probes / runs);
}

void run_cost(const Options& options) {
  // Without an earlier program only the share of the probes is known.
  const int turns = options.before.empty() ? 1 : 2;
  Bench bench(options);
  Results results(options, settings_of(options, "cost"));
  const std::string task = names_in(options.tasks).at(0);
  for (int seed = 1; seed <= options.pairs; ++seed) {
    const Json key = {{"task", task}, {"seed", seed}};
    if (results.has(key)) continue;
    Json line = {{"key", key}};
    for (int turn = 0; turn < turns; ++turn) {
      const bool with_probe = turns == 1 || (seed + turn) % 2 == 0;
      std::string problem;
      // Random search proposes the same configurations whatever their times are.
      const Json facts = measure_session(bench, with_probe ? options.program : options.before, "random",
                                         {task, seed, {}}, false, problem);
      if (facts.is_null()) stop(fmt::format("{}, seed {}: no kernel was found", task, seed));
      line[with_probe ? "with" : "without"] = facts;
    }
    results.add(std::move(line));
  }
  const auto ratios = [&](const char* name) {
    std::vector<double> all;
    for (const Json& line : results.lines())
      if (line.contains("without")) all.push_back(number(line["with"], name) / number(line["without"], name));
    return all;
  };
  fmt::print("| quiet sessions with / without the probe, {} pairs | geometric mean | goal |\n|---|---|---|\n",
             results.lines().size());
  fmt::print("| run time | {} | 1.03 |\n", mean_text(ratios("run_seconds")));
  fmt::print("| wall time | {} | 1.05 |\n", mean_text(ratios("wall_seconds")));
  print_probe_share(results.lines());
}

constexpr BenchmarkPart<Options> parts[] = {
    {"effects", print_effects}, {"sessions", run_sessions}, {"cost", run_cost}};

bool take_option(Options& options, std::string_view name, const char* value) {
  std::string* text = name == "--tuner"          ? &options.tuner
                      : name == "--tasks"        ? &options.tasks
                      : name == "--disturbances" ? &options.disturbances
                      : name == "--results"      ? &options.results
                      : name == "--program"      ? &options.program
                      : name == "--before"       ? &options.before
                                                 : nullptr;
  int* number = name == "--seeds"    ? &options.seeds
                : name == "--trials" ? &options.trials
                : name == "--pairs"  ? &options.pairs
                                     : nullptr;
  if (text != nullptr)
    *text = value;
  else if (number != nullptr)
    *number = std::max(1, std::atoi(value));
  else if (name == "--phases")
    options.phases = std::strtoull(value, nullptr, 10);
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  drift::watch_for_interruptions();
  return run_parts<Options>(argc, argv, parts, take_option);
}
