/**
 * replay_benchmark [FOLDER]: how fast recorded spaces are replayed, with all trials stored, and how fast they
 * are loaded and imported. FOLDER (default: the current one) says where databases and files lie.
 */
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/exchange/importer.h"
#include "core/session/replayed_session.h"
#include "core/trial/recording_builder.h"
#include "tests/benchmarks/benchmark_support.h"

using namespace kernelscape;

namespace {

namespace fs = std::filesystem;

constexpr int knobs = 10;
constexpr std::int64_t values_per_knob = 4;  // 4^10 = 1,048,576 configurations
constexpr std::int64_t trials = 500'000;     // about half of them

/** Ten ordinal knobs, one in eight configurations fails. */
std::shared_ptr<const trial::Recording> make_recording() {
  std::vector<space::KnobValue> values;
  for (std::int64_t value = 0; value < values_per_knob; ++value) values.emplace_back(value);
  std::vector<space::Knob> all;
  for (int knob = 0; knob < knobs; ++knob)
    all.push_back(value_or_stop(space::Knob::ordinal(fmt::format("knob{}", knob), values)));
  const space::SearchSpace space = value_or_stop(space::SearchSpace::make(std::move(all)));
  trial::RecordingHeader header;
  header.name = "synthetic";
  header.task_json = task::task_to_json(value_or_stop(task::parse_task("matmul 512x512 512x512 f32")));
  header.target_name = "cpu";
  header.target_json = schedule::target_to_json({});
  header.builders = 4;
  trial::RecordingBuilder builder(header, space);
  base::Random random(1);
  for (base::uint128 index = 0; index < space.size(); ++index) {
    trial::Measurement measurement;
    measurement.build_seconds = random.uniform();
    if (random.chance(0.125)) {
      measurement.category = trial::ErrorCategory::WrongAnswer;
      measurement.message = "wrong";
    } else {
      measurement.samples_seconds = {random.uniform() + 1e-3};
    }
    measurement.run_seconds = random.uniform();
    check(builder.add(space.at(index), measurement));
  }
  return value_or_stop(builder.build());
}

void replay(const fs::path& database, const std::shared_ptr<const trial::Recording>& recording,
            std::uint64_t seed) {
  store::Store store = value_or_stop(store::Store::open(database));
  session::TuningRequest request;
  request.target = "recorded:synthetic";
  request.tuner = "random";
  request.seed = seed;
  request.budget.trials = trials;
  request.measuring.search_time = {trial::SearchTime::Kind::None, 0};
  const session::PreparedTuning tuning = value_or_stop(session::prepare_replay(request, store, recording));
  session::Observer observer;
  const session::StopRequest stop_request;
  const session::Outcome outcome =
      value_or_stop(session::run_replay(store, tuning, std::nullopt, observer, stop_request));
  if (outcome.status.trial_count != trials) stop("a replay lost trials");
}

void benchmark_replays(const fs::path& folder, const std::shared_ptr<const trial::Recording>& recording) {
  // The recording itself is stored by the first session: before the clock runs.
  value_or_stop(value_or_stop(store::Store::open(folder / "replays.db")).recordings().add(*recording));
  const double alone = seconds_of([&] { replay(folder / "replays.db", recording, 1); });
  fmt::print("replayed trials per second, stored, random tuner, one session:     {:.0f}\n",
             static_cast<double>(trials) / alone);
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  const double together = seconds_of([&] {
    std::vector<std::jthread> sessions;
    for (unsigned i = 0; i < threads; ++i)
      sessions.emplace_back([&, i] { replay(folder / "replays.db", recording, 10 + i); });
  });
  fmt::print("the same, {:2} sessions at once in one process (at least 1,000,000): {:.0f}\n", threads,
             static_cast<double>(trials) * threads / together);
}

void benchmark_loading(const fs::path& folder, const trial::Recording& recording) {
  const fs::path file = folder / "synthetic.ksrec";
  check(base::write_file_atomically(file, recording.bytes()));
  std::uint32_t rows = 0;
  const double seconds = seconds_of([&] { rows = value_or_stop(trial::Recording::open(file))->size(); });
  fmt::print("opening a recorded space of {} rows (at most 0.5 s):          {:.3f} s\n", rows, seconds);
}

void benchmark_import(const fs::path& folder) {
  const fs::path file = fs::path(KERNELSCAPE_SOURCE_DIR) / "../shared/data/recorded/gemm-rtx3090.json.gz";
  if (!fs::exists(file)) {
    fmt::print("import: skipped, {} is not there\n", file.lexically_normal().string());
    return;
  }
  store::Store store = value_or_stop(store::Store::open(folder / "import.db"));
  const double seconds = seconds_of([&] { value_or_stop(exchange::import_file(store, file)); });
  fmt::print("importing {} (at most 1 s):                  {:.3f} s\n", file.filename().string(), seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path parent = argc > 1 ? fs::path(argv[1]) : fs::current_path();
  const fs::path folder = parent / fmt::format("replay_benchmark.{}", getpid());
  fs::create_directories(folder);
  const std::shared_ptr<const trial::Recording> recording = make_recording();
  benchmark_loading(folder, *recording);
  benchmark_replays(folder, recording);
  benchmark_import(folder);
  fs::remove_all(folder);
  return 0;
}
