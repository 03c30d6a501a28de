#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/gpu/child.h"
#include "tests/gpu/parts.h"
#include "tests/gpu/tuning_child.h"

namespace kernelscape::gpu_proof {
namespace {

constexpr std::array tuners{"gp", "xgb", "nose", "opevo", "random"};
constexpr const char* searched_task = "resnet18/C2";  // 90,316,800 configurations
constexpr const char* fake_task = "conv2d 1x4x16x16 16x4x1x1 stride=1 pad=0 f32";
constexpr double around_seconds = 15;
constexpr double turn_seconds = 300;  // of a tuner; a longer visit repeats them all with another seed
constexpr double min_seconds = 10;
constexpr double fake_seconds = 20;

void search_once(const Settings& settings, const std::string& tuner, std::uint64_t seed, double seconds,
                 PartResult& result) {
  std::vector<std::string> words{"tune",     settings.fake ? fake_task : searched_task,
                                 "--target", settings.device,
                                 "--tuner",  tuner,
                                 "--seed",   std::to_string(seed),
                                 "--name",   fmt::format("search {} {}", tuner, seed),
                                 "--db",     settings.kept_file("search.db").string(),
                                 "--trials", settings.fake ? "8" : "0"};
  if (!settings.fake) words.insert(words.end(), {"--minutes", minutes_text(seconds - around_seconds)});
  const TuningEnded ended = run_tuning(settings, words, seconds + 2 * around_seconds);
  result.add_row("searches", {{"tuner", tuner},
                              {"seed", seed},
                              {"best GFLOP/s", ended.best_gflops()},
                              {"vendor GFLOP/s", ended.vendor_gflops()},
                              {"trials", ended.trials()},
                              {"categories", ended.categories()},
                              {"session seconds", ended.session_seconds()}});
  if (!ended.problem.empty()) result.fail(fmt::format("{}, seed {}", tuner, seed), ended.problem);
}

}  // namespace

void run_search(const Settings& settings, PartResult& result) {
  std::uint64_t seed = settings.seed;
  for (const nlohmann::json& row : result.earlier_rows("searches")) {
    result.add_row("searches", row);
    seed = std::max(seed, row.value("seed", std::uint64_t{0}) + 1);
  }
  // As many rounds as have turns of some length: tuners are compared seed by seed.
  const double round_seconds = turn_seconds * static_cast<double>(tuners.size());
  const int rounds = settings.fake ? 1 : std::max(1, static_cast<int>(result.seconds_left() / round_seconds));
  const double turns = static_cast<double>(rounds) * static_cast<double>(tuners.size());
  const double seconds = settings.fake ? fake_seconds : result.seconds_left() / turns;
  for (int round = 0; round < rounds; ++round, ++seed) {
    for (const char* tuner : tuners) {
      const bool too_short = !settings.fake && seconds < around_seconds + min_seconds;
      if (too_short || result.seconds_left() < seconds / 2 || stop_asked())
        return result.pause("not all tuners: out of time");
      search_once(settings, tuner, seed, seconds, result);
      result.save();
    }
  }
  result.done();
}

}  // namespace kernelscape::gpu_proof
