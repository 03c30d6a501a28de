/**
 * store_benchmark [FOLDER]: how fast trials are stored, and how much memory a trial table takes.
 *
 * Durable commits are compared with SQLite alone on the same disk: one row of equal size per commit, WAL and
 * synchronous=FULL in both, in turns, so that a busy disk disturbs both alike. FOLDER (default: the current
 * one) says where the databases lie; a folder in memory would show nothing.
 */
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "core/base/random.h"
#include "core/store/store.h"
#include "core/trial/table.h"
#include "tests/benchmarks/benchmark_support.h"

using namespace kernelscape;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t knobs = 10;
constexpr std::size_t samples = 7;

trial::Trial make_trial(base::Random& random, std::int64_t number) {
  trial::Trial trial;
  trial.number = number;
  trial.batch = static_cast<std::int32_t>(number / 64);
  trial.position = static_cast<std::int32_t>(number % 64);
  for (std::size_t knob = 0; knob < knobs; ++knob) {
    trial.configuration.indices.push_back(static_cast<std::uint32_t>(random.below(500)));
  }
  if (random.chance(0.25)) {
    trial.measurement.category = trial::ErrorCategory::WrongAnswer;
    trial.measurement.message = fmt::format("element {} is wrong", random.below(200));
  } else {
    for (std::size_t i = 0; i < samples; ++i) trial.measurement.samples_seconds.push_back(random.uniform());
  }
  trial.measurement.build_seconds = random.uniform();
  trial.measurement.run_seconds = random.uniform();
  trial.measurement.worst_error = random.uniform();
  trial.finished_seconds = static_cast<double>(number);
  return trial;
}

std::vector<trial::Trial> make_trials(std::int64_t first, std::int64_t count) {
  base::Random random(static_cast<std::uint64_t>(first));
  std::vector<trial::Trial> trials;
  for (std::int64_t i = 0; i < count; ++i) trials.push_back(make_trial(random, first + i));
  return trials;
}

store::SessionId make_session(store::Store& store, bool real_measurements) {
  store::SessionRecord record;
  record.space_json = std::string(100'000, 's');
  record.target_name = "cpu";
  record.real_measurements = real_measurements;
  return value_or_stop(store.sessions().create(record, store::Owner::this_process()));
}

/** SQLite alone: one table, one prepared statement, one row per commit. */
class RawLoop {
 public:
  explicit RawLoop(const fs::path& path) {
    run(sqlite3_open(path.c_str(), &database_));
    execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (id INTEGER PRIMARY KEY, "
        "data BLOB)");
    run(sqlite3_prepare_v2(database_, "INSERT INTO row (data) VALUES (?)", -1, &insert_, nullptr));
  }
  RawLoop(const RawLoop&) = delete;
  RawLoop& operator=(const RawLoop&) = delete;
  ~RawLoop() {
    sqlite3_finalize(insert_);
    sqlite3_close(database_);
  }

  void commit_row() {
    // Knob indices, samples, and ten numbers.
    constexpr std::size_t row_bytes =
        knobs * sizeof(std::uint32_t) + samples * sizeof(double) + 10 * sizeof(double);
    const std::vector<char> data(row_bytes, 'd');
    sqlite3_bind_blob(insert_, 1, data.data(), static_cast<int>(data.size()), SQLITE_STATIC);
    if (sqlite3_step(insert_) != SQLITE_DONE) stop(sqlite3_errmsg(database_));
    sqlite3_reset(insert_);
  }

 private:
  void run(int code) {
    if (code != SQLITE_OK) stop(sqlite3_errmsg(database_));
  }
  void execute(const char* sql) { run(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr)); }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

void benchmark_durable_commits(const fs::path& folder) {
  constexpr int rounds = 400;
  constexpr std::int64_t commits_per_round = 10;
  store::Store store = value_or_stop(store::Store::open(folder / "durable.db"));
  const store::SessionId session = make_session(store, true);
  RawLoop raw(folder / "raw.db");
  double store_seconds = 0;
  double raw_seconds = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<trial::Trial> trials = make_trials(round * commits_per_round, commits_per_round);
    store_seconds += seconds_of([&] {
      store::SessionStatus status;
      for (const trial::Trial& trial : trials) {
        status.trial_count = trial.number + 1;
        check(store.trials().append(session, std::span(&trial, 1), status));
      }
    });
    raw_seconds += seconds_of([&] {
      for (std::int64_t i = 0; i < commits_per_round; ++i) raw.commit_row();
    });
  }
  constexpr double commits = rounds * commits_per_round;
  fmt::print("durable commits per second, one trial each: {:.0f}\n", commits / store_seconds);
  fmt::print("durable commits per second, SQLite alone:   {:.0f}\n", commits / raw_seconds);
  fmt::print("share of SQLite alone (at least 0.9):       {:.2f}\n", raw_seconds / store_seconds);
}

void benchmark_batched_trials(const fs::path& folder) {
  constexpr std::int64_t batches = 300;
  constexpr std::int64_t trials_per_batch = 1000;
  store::Store store = value_or_stop(store::Store::open(folder / "batched.db"));
  const store::SessionId session = make_session(store, false);
  double seconds = 0;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::vector<trial::Trial> trials = make_trials(batch * trials_per_batch, trials_per_batch);
    store::SessionStatus status;
    status.trial_count = (batch + 1) * trials_per_batch;
    seconds += seconds_of([&] { check(store.trials().append(session, trials, status)); });
  }
  constexpr double stored = batches * trials_per_batch;
  fmt::print("batched trials per second (at least 200,000): {:.0f}\n", stored / seconds);
  std::size_t rows = 0;
  const double reading = seconds_of([&] { rows = value_or_stop(store.trials().rows(session)).size(); });
  fmt::print("rows read per second:                         {:.0f}\n", static_cast<double>(rows) / reading);
}

/** Resident memory of this process, from proc(5). */
double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double total_pages = 0;
  double resident_pages = 0;
  file >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

void benchmark_memory() {
  constexpr std::int64_t trials = 1'000'000;
  base::Random random(1);
  trial::Table table(knobs);
  const double seconds = seconds_of([&] {
    for (std::int64_t number = 0; number < trials; ++number) {
      const trial::Trial trial = make_trial(random, number);
      table.append(trial::make_row(trial, 0), trial.configuration);
    }
  });
  const double snapshot_seconds = seconds_of([&] {
    for (int i = 0; i < 1000; ++i) {
      if (table.snapshot().size() != trials) stop("a snapshot lost trials");
    }
  });
  fmt::print("memory with 1,000,000 trials (below 300 MB): {:.0f} MB resident, {:.0f} MB in the table\n",
             resident_megabytes(), static_cast<double>(table.memory_bytes()) / 1e6);
  fmt::print("made and appended in {:.2f} s; a snapshot takes {:.0f} ns\n", seconds, snapshot_seconds * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path parent = argc > 1 ? fs::path(argv[1]) : fs::current_path();
  const fs::path folder = parent / fmt::format("store_benchmark.{}", getpid());
  fs::create_directories(folder);
  benchmark_memory();  // first: nothing else has been in memory
  benchmark_durable_commits(folder);
  benchmark_batched_trials(folder);
  fs::remove_all(folder);
  return 0;
}
