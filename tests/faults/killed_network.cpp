#include "tests/faults/killed_network.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/tuner/tuner.h"
#include "tests/faults/database.h"
#include "tests/faults/program.h"

namespace kernelscape::faults {
namespace {

namespace fs = std::filesystem;

constexpr int max_kills = 40;  // then it may go on in peace
constexpr std::uint64_t longest_moment_milliseconds = 250;

/** Any tuner, any layers with any multiplicities, any scheduler, as the file of a study. */
void write_study(base::Random& random, const fs::path& file) {
  std::vector<std::string> tuners;
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    if (!tuner.uses_predictor) tuners.push_back(tuner.name);
  std::vector<fs::path> spaces = recorded_spaces();
  random.shuffle<fs::path>(spaces);
  spaces.resize(2 + random.below(5));
  constexpr std::array schedulers{"gradient", "round-robin", "proportional"};
  nlohmann::json study = {{"name", "killed"},
                          {"purpose", "network"},
                          {"network", "made up"},
                          {"scheduler", schedulers[random.below(schedulers.size())]},
                          {"tuners", nlohmann::json::array({tuners[random.below(tuners.size())]})},
                          {"trials", 30 + random.below(200)},
                          {"seed", random.below(1000)},
                          {"search_time", "none"}};
  for (const fs::path& space : spaces)
    study["tasks"].push_back(
        {{"target", "recorded:" + space.string()}, {"multiplicity", 1 + random.below(4)}});
  if (random.chance(0.3)) study["patience"] = 20;
  std::ofstream(file) << study.dump(2);
}

/** The command that goes on with it, or begins it where nothing of it was kept. */
std::vector<std::string> next_command(const KeptStudy& kept, const fs::path& file, const fs::path& database) {
  if (kept.study_count == 0) return {"study", file.string(), "--db", database.string()};
  return {"study", "--resume", "1", "--db", database.string()};
}

Status same(const KeptStudy& kept, const KeptStudy& whole) {
  if (kept.study_count != 1) return broken(fmt::format("there are {} studies", kept.study_count));
  if (!kept.done) return broken("the network is not done");
  if (kept.trials != whole.trials) return broken("its trials are not those of an undisturbed network");
  if (kept.budgets != whole.budgets) return broken("its rounds are not those of an undisturbed network");
  return {};
}

}  // namespace

std::vector<fs::path> recorded_spaces() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(KERNELSCAPE_SOURCE_DIR "/data/recorded"))
    if (entry.path().extension() == ".ksrec") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

Status kill_network(base::Random random, const fs::path& folder) {
  const fs::path file = folder / "network.json";
  write_study(random, file);
  const Ended ended = run(folder, next_command({}, file, folder / "whole.db"));
  constexpr int wrong_usage = 2;  // the tuner does not take one of the spaces
  if (ended.code == wrong_usage) return {};
  if (ended.code != 0) return wrong_end("an undisturbed network", ended);
  const KeptStudy whole = TRY(read_kept_study(folder / "whole.db"));
  if (!whole.done) return broken("an undisturbed network is not done");

  const fs::path path = folder / "kept.db";
  KeptStudy kept;
  for (int kills = 0; kills < max_kills; ++kills) {
    Program program(folder, next_command(kept, file, path));
    if (program.ended_within(std::chrono::milliseconds(random.below(longest_moment_milliseconds)))) break;
    program.send(SIGKILL);
    program.wait(longest_run);
    const std::size_t trials_before = kept.trial_count();
    kept = TRY(read_kept_study(path));
    if (kept.trial_count() < trials_before) return broken("trials that were there are gone");
  }
  const Ended last = run(folder, next_command(TRY(read_kept_study(path)), file, path));
  if (last.code != 0) return wrong_end("the last command", last);
  return same(TRY(read_kept_study(path)), whole);
}

}  // namespace kernelscape::faults
