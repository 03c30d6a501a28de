#include "tests/faults/hostile_import.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

#include "core/base/memory.h"
#include "core/exchange/importer.h"
#include "tests/exchange/database_dump.h"

namespace kernelscape::faults {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t max_memory_bytes = rlim_t{1} << 30;
constexpr std::chrono::seconds longest_import{10};
constexpr std::chrono::milliseconds between_progress{5};
constexpr std::size_t max_reason_bytes = 1000;

/** What the importing process tells the one that watches it. */
struct Progress {
  std::atomic<int> file{0};  ///< which it is at, from 1
  char reason[max_reason_bytes + 1] = {};
};

/** Memory that a child shares. */
class SharedProgress {
 public:
  SharedProgress()
      : place_(mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        progress_(place_ == MAP_FAILED ? nullptr : new(place_) Progress) {}
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  ~SharedProgress() {
    if (progress_ != nullptr) munmap(place_, sizeof(Progress));
  }
  Progress* get() const { return progress_; }

 private:
  void* place_;
  Progress* progress_;
};

Status import_one(store::Store& store, const fs::path& database, const fs::path& file) {
  const std::string before = exchange_tests::database_dump(database);
  const Result<exchange::ImportOutcome> outcome =
      base::guarded("importing " + file.string(), [&] { return exchange::import_file(store, file); });
  if (outcome) {
    if (outcome->sessions.empty()) return fail(ErrorCode::Corrupt, "it was taken and is not there");
    for (const exchange::ImportedSession& session : outcome->sessions)
      if (!session.existed) TRY(store.sessions().remove(session.session));
    return {};
  }
  const Error& error = outcome.error();
  if (error.code == ErrorCode::Internal)
    return fail(ErrorCode::Corrupt, "an exception ended its import: " + describe(error));
  if (!error.message.contains(file.string()))
    return fail(ErrorCode::Corrupt, "the error does not name the file: " + describe(error));
  if (exchange_tests::database_dump(database) != before)
    return fail(ErrorCode::Corrupt, "it was refused and has changed the database: " + describe(error));
  return {};
}

Status import_all(const fs::path& folder, int count, const std::function<std::string()>& next_file,
                  Progress& progress) {
  const fs::path database = folder / "imports.db";
  store::Store store = TRY(store::Store::open(database));
  for (int number = 1; number <= count; ++number) {
    const fs::path file = folder / "hostile";
    std::ofstream(file, std::ios::binary | std::ios::trunc) << next_file();
    progress.file = number;
    TRY(import_one(store, database, file));
  }
  return {};
}

[[noreturn]] void become_importer(const fs::path& folder, int count,
                                  const std::function<std::string()>& next_file, Progress& progress) {
  const rlimit limit{max_memory_bytes, max_memory_bytes};
  setrlimit(RLIMIT_AS, &limit);
  const Status done = import_all(folder, count, next_file, progress);
  if (!done) std::strncpy(progress.reason, describe(done.error()).c_str(), max_reason_bytes);
  _exit(done ? 0 : 1);
}

}  // namespace

Status import_hostile_files(const fs::path& folder, int count,
                            const std::function<std::string()>& next_file) {
  const SharedProgress shared;
  Progress* const progress = shared.get();
  if (progress == nullptr) return fail(ErrorCode::Environment, "no memory can be shared");
  const pid_t importer = fork();
  if (importer < 0) return fail(ErrorCode::Environment, "no process");
  if (importer == 0) become_importer(folder, count, next_file, *progress);
  int status = 0;
  int seen = 0;
  bool late = false;
  auto since = std::chrono::steady_clock::now();
  while (waitpid(importer, &status, WNOHANG) == 0) {
    const auto now = std::chrono::steady_clock::now();
    if (progress->file != seen) {
      seen = progress->file;
      since = now;
    } else if (now - since > longest_import && !late) {
      late = true;
      kill(importer, SIGKILL);
    }
    std::this_thread::sleep_for(between_progress);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = late ? fmt::format("takes over {} s", longest_import.count())
                          : WIFSIGNALED(status)
                              ? fmt::format("ends the program by signal {}", WTERMSIG(status))
                              : std::string(progress->reason);
  return fail(ErrorCode::Corrupt, fmt::format("file {} of {}: {}", progress->file.load(), count, how));
}

}  // namespace kernelscape::faults
