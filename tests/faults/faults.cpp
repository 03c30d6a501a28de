// Rounds of faults against the built program, drawn from a seed: faults SECONDS [SEED] [ROUND]
// What a user relies on is held against each: nothing is lost, nothing is there twice, nobody stays behind,
// and a file that is refused has changed nothing.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "core/base/random.h"
#include "core/tuner/tuner.h"
#include "tests/exchange/gzipped.h"
#include "tests/faults/database.h"
#include "tests/faults/hostile_import.h"
#include "tests/faults/killed_network.h"
#include "tests/faults/mutation.h"
#include "tests/faults/program.h"

namespace kernelscape::faults {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int hostile_files_per_round = 200;
constexpr int max_faults = 40;  // in one session: then it may go on in peace
constexpr int exit_interrupted = 130;

/** What a round has: random numbers, an empty folder, and which session it is about. */
struct Scene {
  base::Random random;
  fs::path folder;
  std::vector<std::string> tune{};  ///< without --db
  bool replayed = true;

  fs::path database(const char* name) const { return folder / name; }
  milliseconds moment(std::uint64_t most) { return milliseconds(random.below(most)); }
  std::vector<std::string> begin(const fs::path& path) const {
    std::vector<std::string> command = tune;
    command.insert(command.end(), {"--db", path.string()});
    return command;
  }
  std::vector<std::string> resume(const fs::path& path) const {
    return {"resume", "1", "--db", path.string()};
  }
  /** The command that goes on with it, or begins it where nothing of it was kept. */
  Result<std::vector<std::string>> keep_going(const fs::path& path) const {
    const Kept kept = TRY(read_kept(path, replayed));
    return kept.session_count == 0 ? begin(path) : resume(path);
  }
};

/** A session on a recorded space, of any tuner: it goes the same way every time. */
void choose_replay(Scene& scene) {
  const std::vector<fs::path> files = recorded_spaces();
  std::vector<std::string> tuners;
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    if (!tuner.uses_predictor) tuners.push_back(tuner.name);
  scene.tune = {"tune",
                "--target",
                "recorded:" + files[scene.random.below(files.size())].string(),
                "--tuner",
                tuners[scene.random.below(tuners.size())],
                "--seed",
                std::to_string(scene.random.below(1000)),
                "--trials",
                std::to_string(40 + scene.random.below(160)),
                "--search-time",
                "none"};
}

/** A session of real kernels, small ones. */
void choose_kernels(Scene& scene) {
  scene.replayed = false;
  const std::uint64_t extent = 8 + 4 * scene.random.below(4);
  scene.tune = {"tune",
                fmt::format("conv2d 1x16x{0}x{0} 16x16x3x3 pad=1 f32", extent),
                "--tuner",
                "random",
                "--seed",
                std::to_string(scene.random.below(1000)),
                "--trials",
                "24",
                "--repeats",
                "1",
                "--min-repeat-ms",
                "0.1"};
}

/** The session that nobody disturbs; nothing where the tuner does not take the space. */
Result<std::optional<Kept>> undisturbed(const Scene& scene) {
  const Ended ended = run(scene.folder, scene.begin(scene.database("whole.db")));
  constexpr int wrong_usage = 2;
  if (ended.code == wrong_usage) return std::nullopt;
  if (ended.code != 0) return wrong_end("an undisturbed session", ended);
  return TRY(read_kept(scene.database("whole.db"), scene.replayed));
}

Status same(const Kept& kept, const Kept& whole) {
  if (kept.session_count != 1) return broken(fmt::format("there are {} sessions", kept.session_count));
  if (!kept.done) return broken("the session is not done");
  if (kept.trials != whole.trials) return broken("its trials are not those of an undisturbed session");
  return {};
}

/** Lets it run to its end and compares. */
Status ends_as(const Scene& scene, const Kept& whole) {
  const fs::path path = scene.database("kept.db");
  const std::vector<std::string> command = TRY(scene.keep_going(path));
  const Ended ended = run(scene.folder, command);
  if (ended.code != 0) return wrong_end("the last command", ended);
  return same(TRY(read_kept(path, scene.replayed)), whole);
}

/** Kills the program again and again, and holds what is left against what was there before. */
Status kill_and_resume(Scene& scene, std::uint64_t longest_moment) {
  const fs::path path = scene.database("kept.db");
  std::size_t kept_trials = 0;
  for (int kills = 0; kills < max_faults; ++kills) {
    const std::vector<std::string> command = TRY(scene.keep_going(path));
    Program program(scene.folder, command);
    if (program.ended_within(scene.moment(longest_moment))) break;
    const std::vector<pid_t> workers = program.workers();
    program.send(SIGKILL);
    program.wait(longest_run);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::ranges::any_of(workers, is_worker))
      if (std::chrono::steady_clock::now() > end) return broken("workers of a killed session live on");
    const Kept kept = TRY(read_kept(path, scene.replayed));
    if (kept.trials.size() < kept_trials) return broken("trials that were there are gone");
    kept_trials = kept.trials.size();
  }
  return {};
}

Status killed_replay(Scene& scene) {
  choose_replay(scene);
  const std::optional<Kept> whole = TRY(undisturbed(scene));
  if (!whole) return {};
  TRY(kill_and_resume(scene, 150));
  return ends_as(scene, *whole);
}

Status killed_kernels(Scene& scene) {
  choose_kernels(scene);
  const std::optional<Kept> whole = TRY(undisturbed(scene));
  if (!whole) return broken("the task has no space");
  TRY(kill_and_resume(scene, 1500));
  return ends_as(scene, *whole);
}

Status killed_network(Scene& scene) { return kill_network(scene.random, scene.folder); }

Status killed_workers(Scene& scene) {
  choose_kernels(scene);
  const fs::path path = scene.database("kept.db");
  Program program(scene.folder, scene.begin(path));
  for (int kills = 0; kills < max_faults && !program.ended_within(scene.moment(200)); ++kills) {
    const std::vector<pid_t> workers = program.workers();
    if (!workers.empty()) kill(workers[scene.random.below(workers.size())], SIGKILL);
  }
  const Ended ended = program.wait(longest_run);
  if (ended.code != 0) return wrong_end("a session whose workers die", ended);
  const Kept kept = TRY(read_kept(path, false));
  if (!kept.done || kept.trials.size() != 24) return broken("a session whose workers die is not done");
  return program.others().empty() ? Status{} : broken("workers live on after the end");
}

/** A signal ends a session gracefully, once or twice. */
Status stopped(Scene& scene) {
  choose_replay(scene);
  const std::optional<Kept> whole = TRY(undisturbed(scene));
  if (!whole) return {};
  constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  const fs::path path = scene.database("kept.db");
  for (int stops = 0; stops < 10; ++stops) {
    const std::vector<std::string> command = TRY(scene.keep_going(path));
    Program program(scene.folder, command);
    if (program.ended_within(scene.moment(200))) break;
    program.send(signals[scene.random.below(signals.size())]);
    if (scene.random.chance(0.3)) program.send(SIGTERM);
    const Ended ended = program.wait(longest_run);
    // A signal that comes before it is listened to ends the program, as any.
    const bool early = ended.signal != 0 && ended.output.empty();
    if (!early && ended.code != 0 && ended.code != exit_interrupted)
      return wrong_end("a stopped session", ended);
  }
  return ends_as(scene, *whole);
}

/** Somebody else writes for a while, and somebody else tunes into the same database. */
Status locked(Scene& scene) {
  choose_replay(scene);
  const std::optional<Kept> whole = TRY(undisturbed(scene));
  if (!whole) return {};
  const fs::path path = scene.database("kept.db");
  const fs::path elsewhere = scene.folder / "other";
  fs::create_directory(elsewhere);
  Program program(scene.folder, scene.begin(path));
  program.ended_within(scene.moment(100));
  Program other(elsewhere, scene.begin(path));
  for (int locks = 0; locks < 4 && !program.ended_within(scene.moment(100)); ++locks) {
    const WriteLock lock(path);
    program.ended_within(scene.moment(800));
  }
  for (Program* const each : {&program, &other}) {
    const Ended ended = each->wait(longest_run);
    if (ended.code != 0) return wrong_end("a session beside a lock", ended);
  }
  Kept kept = TRY(read_kept(path, true));
  if (kept.session_count != 2) return broken("one of two sessions is missing");
  kept.session_count = 1;
  return same(kept, *whole);
}

/** Files may not grow beyond a limit, as on a full disk. */
Status full_disk(Scene& scene) {
  choose_replay(scene);
  const std::optional<Kept> whole = TRY(undisturbed(scene));
  if (!whole) return {};
  const fs::path path = scene.database("kept.db");
  const std::uint64_t max_bytes = 4096 * (1 + scene.random.below(200));
  const Ended ended = run(scene.folder, scene.begin(path), max_bytes);
  if (ended.signal != 0 || ended.late) return wrong_end("a session on a full disk", ended);
  if (ended.code != 0 && ended.error.empty()) return broken("a session on a full disk ended without a word");
  const Kept kept = TRY(read_kept(path, true));
  if (kept.trials.size() > whole->trials.size() ||
      !std::equal(kept.trials.begin(), kept.trials.end(), whole->trials.begin()))
    return broken("what a full disk kept are not the first trials");
  return ends_as(scene, *whole);
}

/** An import that is killed stored all of the file or nothing. */
Status killed_import(Scene& scene) {
  choose_replay(scene);
  const std::optional<Kept> whole = TRY(undisturbed(scene));
  if (!whole) return {};
  const fs::path file = scene.folder / "session.json";
  const Ended written = run(scene.folder, {"export", "1", "--format", "json", "--out", file.string(), "--db",
                                           scene.database("whole.db").string()});
  if (written.code != 0) return wrong_end("an export", written);
  const fs::path path = scene.database("kept.db");
  for (int kills = 0; kills < 8; ++kills) {
    Program program(scene.folder, {"import", file.string(), "--db", path.string()});
    program.ended_within(scene.moment(60));
    program.send(SIGKILL);
    program.wait(longest_run);
    const Kept kept = TRY(read_kept(path, true));
    if (kept.session_count > 0 && kept.trials.size() != whole->trials.size())
      return broken(
          fmt::format("{} of {} trials of a file are there", kept.trials.size(), whole->trials.size()));
  }
  return {};
}

/** A format of imports: where small files of it lie, and which of our own exports is one. */
struct HostileFormat {
  std::string_view corpus;         ///< in tests/fuzz/corpus; empty: it has none
  std::string_view export_format;  ///< empty: we write none
};
constexpr HostileFormat autotvm{"autotvm", "autotvm"};
constexpr HostileFormat kernel_tuner{"kernel_tuner", "kernel-tuner"};
constexpr HostileFormat own_sessions{"kernelscape_json", "json"};
constexpr HostileFormat ktt{"ktt", ""};
constexpr HostileFormat t4{"t4", "t4"};
constexpr HostileFormat triton{"triton", ""};
constexpr HostileFormat ansor{"ansor", ""};
constexpr HostileFormat metaschedule{"metaschedule", ""};

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/** A session that was exported; an empty text where it is none of the format. */
Result<std::string> exported(const Scene& scene, std::string_view format) {
  const fs::path file = scene.folder / "exported";
  const Ended written = run(scene.folder, {"export", "1", "--format", std::string(format), "--out",
                                           file.string(), "--db", scene.database("whole.db").string()});
  if (written.signal != 0 || written.late) return wrong_end("an export", written);
  return written.code == 0 ? bytes_of(file) : std::string();
}

template <const HostileFormat& format>
Status hostile_texts(Scene& scene) {
  choose_replay(scene);
  std::vector<std::string> sound;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(KERNELSCAPE_SOURCE_DIR "/tests/fuzz/corpus") / format.corpus))
    sound.push_back(bytes_of(entry.path()));
  std::ranges::sort(sound);  // so that a seed makes the same files everywhere
  if (!format.export_format.empty() && TRY(undisturbed(scene)))
    sound.push_back(TRY(exported(scene, format.export_format)));
  return import_hostile_files(scene.folder, hostile_files_per_round, [&] {
    std::string text = mutated_text(scene.random, sound[scene.random.below(sound.size())]);
    if (scene.random.chance(0.9)) return text;
    std::string packed = exchange_tests::gzipped(text);
    if (scene.random.chance(0.5)) packed[scene.random.below(packed.size())] ^= 1;
    return packed;
  });
}

Status hostile_recordings(Scene& scene) {
  choose_replay(scene);
  if (!TRY(undisturbed(scene))) return {};
  const std::string file = TRY(exported(scene, "recorded"));
  if (file.empty()) return broken("a replay cannot be exported as a recorded space");
  const std::shared_ptr<const trial::Recording> recording =
      TRY(trial::Recording::from_bytes(file, "the export"));
  return import_hostile_files(scene.folder, hostile_files_per_round,
                              [&] { return mutated_recording(scene.random, *recording); });
}

struct Round {
  std::string_view name;
  Status (*run)(Scene& scene);
  int weight;  ///< how often, compared with the others
};

constexpr std::array rounds{Round{"killed_replay", killed_replay, 6},
                            Round{"killed_kernels", killed_kernels, 1},
                            Round{"killed_network", killed_network, 2},
                            Round{"killed_workers", killed_workers, 1},
                            Round{"stopped", stopped, 2},
                            Round{"locked", locked, 1},
                            Round{"full_disk", full_disk, 2},
                            Round{"killed_import", killed_import, 1},
                            Round{"hostile_autotvm", hostile_texts<autotvm>, 1},
                            Round{"hostile_kernel_tuner", hostile_texts<kernel_tuner>, 1},
                            Round{"hostile_sessions", hostile_texts<own_sessions>, 1},
                            Round{"hostile_ktt", hostile_texts<ktt>, 1},
                            Round{"hostile_t4", hostile_texts<t4>, 1},
                            Round{"hostile_triton", hostile_texts<triton>, 1},
                            Round{"hostile_ansor", hostile_texts<ansor>, 1},
                            Round{"hostile_metaschedule", hostile_texts<metaschedule>, 1},
                            Round{"hostile_recordings", hostile_recordings, 1}};

std::uint64_t seed_of_now() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) % 1'000'000;
}

const Round& choose_round(base::Random random) {
  std::vector<double> weights;
  for (const Round& round : rounds) weights.push_back(round.weight);
  return rounds[random.weighted(weights)];
}

int run_rounds(double seconds, std::uint64_t seed, std::string_view only) {
  fmt::print("seed {}\n", seed);
  std::map<std::string_view, int> passed;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (std::uint64_t number = 0; std::chrono::steady_clock::now() < end; ++number) {
    const base::Random random = base::Random(seed).fork(std::to_string(number));
    const Round* round = &choose_round(random.fork("round"));
    if (!only.empty()) round = std::ranges::find(rounds, only, &Round::name);
    if (round == rounds.end()) {
      fmt::print(stderr, "there is no round {}\n", only);
      return 2;
    }
    std::string name = (fs::temp_directory_path() / "kernelscape-faults-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      fmt::print(stderr, "no folder can be made in {}\n", fs::temp_directory_path().string());
      return 2;
    }
    Scene scene{random.fork("scene"), name};
    if (const Status held = round->run(scene); !held) {
      fmt::print(stderr, "{}, round {} of seed {}: {}\nwhat is left: {}\n", round->name, number, seed,
                 describe(held.error()), name);
      return 1;
    }
    fs::remove_all(name);
    ++passed[round->name];
  }
  for (const auto& [name, count] : passed) fmt::print("{} x {}\n", count, name);
  return 0;
}

}  // namespace
}  // namespace kernelscape::faults

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 60;
  const std::uint64_t seed =
      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : kernelscape::faults::seed_of_now();
  return kernelscape::faults::run_rounds(seconds, seed, argc > 3 ? argv[3] : "");
}
