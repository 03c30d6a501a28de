/**
 * import_benchmark [FILE...]: how long files take to be imported into a new database, and how much memory at
 * most. FILE (default: the recorded files beside the source) is of any import format. Each is imported by a
 * process of its own, so that none pays for the others.
 */
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "core/exchange/importer.h"
#include "tests/benchmarks/benchmark_support.h"

using namespace kernelscape;

namespace {

namespace fs = std::filesystem;

constexpr int turns = 5;

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
  if (files.empty()) fmt::print("import: skipped, there is no file: name some\n");
  std::ranges::sort(files);
  const fs::path database = fs::current_path() / fmt::format("import_benchmark.{}.db", getpid());
  for (const fs::path& file : files) benchmark_file(file, database);
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(database.string() + end);
  return 0;
}
