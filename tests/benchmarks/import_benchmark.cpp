/**
 * import_benchmark [FILE...]: how long files take to be imported into a new database, and how much memory at
 * most. FILE (default: a generated table of a million rows, and the recorded files beside the source) is of
 * any import format. Each is imported by a process of its own, so that none pays for the others.
 */
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/exchange/importer.h"
#include "tests/benchmarks/benchmark_support.h"

using namespace kernelscape;

namespace {

namespace fs = std::filesystem;

constexpr int turns = 5;
constexpr int table_rows = 1'000'000;

/**
 * Writes a table as a sweep of six parameters gives it: most configurations once, some twice, with failures,
 * two metrics and times of 16 digits.
 */
void write_table(const fs::path& path) {
  base::Random random(1);
  std::ofstream file(path);
  file << "block_x,block_y,tile,stages,vector,mode,status,time_ms,power,registers\n";
  std::string lines;
  for (int row = 0; row < table_rows; ++row) {
    const bool failed = random.below(20) == 0;
    lines +=
        fmt::format("{},{},{},{},{},{},{},{},{:.2f},{}\n", 8 * (1 + random.below(128)), 1 + random.below(16),
                    1 + random.below(32), 1 + random.below(8), 1 << random.below(4),
                    random.below(2) == 0 ? "row" : "column", failed ? "compile error" : "ok",
                    failed ? std::string() : fmt::format("{}", 0.1 + random.uniform()),
                    100 * random.uniform(), random.below(255));
    if (lines.size() < (1U << 20)) continue;
    file << lines;
    lines.clear();
  }
  file << lines;
  if (!file.flush()) stop("the table cannot be written");
}

/** The fastest of some imports, told on standard output; what it took in memory is the parent's to ask. */
void import_alone(const fs::path& file, const fs::path& database) {
  double seconds = 0;
  std::int64_t trials = 0;
  for (int turn = 0; turn < turns; ++turn) {
    fs::remove(database);
    store::Store store = value_or_stop(store::Store::open(database));
    const double taken = seconds_of([&] {
      trials = 0;
      for (const exchange::ImportedSession& session :
           value_or_stop(exchange::import_file(store, file)).sessions)
        trials += session.trials;
    });
    seconds = turn == 0 ? taken : std::min(seconds, taken);
  }
  fmt::print("importing {}: {} trials, {:.3f} s", file.filename().string(), trials, seconds);
}

void benchmark_file(const fs::path& file, const fs::path& database) {
  const pid_t child = fork();
  if (child < 0) stop("no process can be started");
  if (child == 0) {
    import_alone(file, database);
    std::fflush(stdout);
    _exit(0);
  }
  int state = 0;
  rusage used{};
  if (wait4(child, &state, 0, &used) != child || state != 0) stop("the import ended early");
  constexpr double kibibytes_per_megabyte = 1e6 / 1024;
  fmt::print(", at most {:.0f} MB of memory\n", static_cast<double>(used.ru_maxrss) / kibibytes_per_megabyte);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files(argv + 1, argv + argc);
  const fs::path recorded = fs::path(KERNELSCAPE_SOURCE_DIR) / "../shared/data/recorded";
  if (files.empty() && fs::is_directory(recorded))
    for (const fs::directory_entry& entry : fs::directory_iterator(recorded))
      if (entry.path().extension() == ".gz") files.push_back(entry.path());
  std::ranges::sort(files);
  const fs::path database = fs::current_path() / fmt::format("import_benchmark.{}.db", getpid());
  if (argc == 1) {
    const fs::path table = fs::current_path() / fmt::format("import_benchmark.{}.csv", getpid());
    write_table(table);
    fmt::print("a table of 1,000,000 rows (at most 10 s, 500 MB): ");
    std::fflush(stdout);
    benchmark_file(table, database);
    fs::remove(table);
  }
  for (const fs::path& file : files) benchmark_file(file, database);
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(database.string() + end);
  return 0;
}
