#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "core/store/store.h"
#include "tests/store/whole_store.h"

using namespace kernelscape;

namespace {

namespace fs = std::filesystem;

template <typename T>
T value_of(Result<T> result) {
  if (!result) std::abort();
  return *std::move(result);
}

void must(const Status& status) {
  if (!status) std::abort();
}

trial::Trial trial_of(std::int64_t number) {
  trial::Trial trial;
  trial.number = number;
  trial.batch = static_cast<std::int32_t>(number / 4);
  trial.position = static_cast<std::int32_t>(number % 4);
  trial.configuration.indices = {1, 2, static_cast<std::uint32_t>(number)};
  if (number % 3 == 0) {
    trial.measurement.category = trial::ErrorCategory::WrongAnswer;
    trial.measurement.message = "element " + std::to_string(number) + " is wrong";
  } else {
    trial.measurement.samples_seconds = {1e-3, 2e-3, 3e-3};
    trial.measurement.resources = trial::KernelResources{.registers = 32, .threads = 64};
    trial.measurement.build_log = "a note";
  }
  trial.finished_seconds = static_cast<double>(number);
  return trial;
}

/** A small database with something in nearly every table. */
void make_database(const fs::path& path) {
  store::Store store = value_of(store::Store::open(path));
  for (const char* target : {"cpu", "cuda:0"}) {
    store::SessionRecord record;
    record.name = target;
    record.target_name = target;
    record.space_json = std::string(6000, 's');
    record.real_measurements = false;
    const store::Owner owner = store::Owner::this_process();
    const store::SessionId id = value_of(store.sessions().create(record, owner));
    store::SessionStatus status;
    for (std::int64_t number = 0; number < 12; ++number) {
      const trial::Trial trial = trial_of(number);
      status.trial_count = number + 1;
      must(store.trials().append(id, {&trial, 1}, status));
      must(store.series().append(id, std::vector{store::StoredSeries{number, "lambda", 0.5}}));
    }
    const std::vector<space::Configuration> candidates{trial_of(0).configuration, trial_of(1).configuration};
    must(store.batches().append(id, 0, candidates, 0.5));
    must(store.confirmations().append(
        id, std::vector{trial::Confirmation{1, "2026-01-02T03:04:05Z", {1, 2, 3}}}));
    must(store.interruptions().append(id, 3, "pause"));
    must(store.notices().add(id, {"machine", "the machine was loaded", 1}));
    must(store.trials().save_insight(id, 3, "counters", "{}"));
    must(store.sessions().set_tags(id, std::vector<std::string>{"one", "two"}));
    must(store.sessions().release(id, owner));
  }
  store::StudyRecord study;
  study.name = "study";
  study.run_count = 3;
  const store::StudyId id = value_of(store.studies().create(study));
  must(store.studies().set_run_error(id, 1, "no such target"));
  must(store.studies().save_measure(id, "network pass", "{}"));
}

/** The database, made once, and the file in which each input damages it. */
struct Subject {
  fs::path folder = fs::temp_directory_path() / ("database_fuzzer." + std::to_string(getpid()));
  fs::path file = folder / "damaged.db";
  std::string whole;

  Subject() {
    fs::create_directories(folder);
    const fs::path sound = folder / "sound.db";
    make_database(sound);
    std::ifstream stream(sound, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(stream), {});
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

/** The input is a list of changes: where, as three bytes, how many bytes, and these. */
std::string damaged_by(std::string whole, std::span<const std::uint8_t> input) {
  constexpr std::size_t head_bytes = 4;
  while (input.size() > head_bytes) {
    const std::size_t at =
        (std::size_t{input[0]} << 16U | std::size_t{input[1]} << 8U | input[2]) % whole.size();
    const std::size_t most = std::min(input.size() - head_bytes, whole.size() - at);
    const std::size_t bytes = std::min(std::size_t{input[3]} % 64 + 1, most);
    std::memcpy(whole.data() + at, input.data() + head_bytes, bytes);
    input = input.subspan(head_bytes + bytes);
  }
  return whole;
}

}  // namespace

/** A database with changed bytes: reading all of it gives values or errors that name the file. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Subject subject;
  const std::string damaged = damaged_by(subject.whole, {data, size});
  for (const char* suffix : {"-wal", "-shm", "-journal"}) fs::remove(subject.file.string() + suffix);
  std::ofstream(subject.file, std::ios::binary | std::ios::trunc) << damaged;
  const Result<store::Store> store = store::Store::open(subject.file, store::OpenMode::ReadOnly);
  const Status read = store ? store_test::read_everything(*store) : std::unexpected(store.error());
  if (!read && read.error().message.find(subject.file.string()) == std::string::npos) std::abort();
  return 0;
}
