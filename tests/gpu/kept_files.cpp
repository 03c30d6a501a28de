#include "tests/gpu/kept_files.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "tests/gpu/part_result.h"

namespace kernelscape::gpu_proof {
namespace {

namespace fs = std::filesystem;

constexpr std::array databases{"vendor.db", "record.db", "search.db"};
constexpr const char* recording = "record.ksrec";
constexpr const char* log_name = "log.txt";
constexpr std::streamoff max_log_bytes = 2 << 20;

/** When it was last written, its log included; nothing where there is none. */
std::optional<fs::file_time_type> written_at(const fs::path& file) {
  std::optional<fs::file_time_type> latest;
  for (const char* ending : {"", "-wal"}) {
    std::error_code missing;
    const auto time = fs::last_write_time(file.string() + ending, missing);
    if (!missing) latest = std::max(latest.value_or(time), time);
  }
  return latest;
}

/** Whether it has changed since this was asked before. */
bool has_changed(const fs::path& file) {
  static std::map<fs::path, fs::file_time_type> known;
  const std::optional<fs::file_time_type> time = written_at(file);
  const auto before = known.find(file);
  if (!time || (before != known.end() && before->second == *time)) return false;
  known[file] = *time;
  return true;
}

/** SQLite's own way to copy what others write to. */
bool copy_database(const fs::path& from, const fs::path& to) {
  const fs::path beside = to.string() + ".part";
  fs::remove(beside);
  sqlite3* database = nullptr;
  bool copied = sqlite3_open_v2(from.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK;
  sqlite3_busy_timeout(database, 5000);
  char* sql = sqlite3_mprintf("VACUUM INTO %Q", beside.c_str());
  copied = copied && sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
  if (!copied) fmt::print(stderr, "{}: {}\n", from.string(), sqlite3_errmsg(database));
  sqlite3_free(sql);
  sqlite3_close(database);
  std::error_code error;
  if (copied) fs::rename(beside, to, error);
  return copied && !error;
}

void copy_whole(const fs::path& from, const fs::path& to) {
  std::ifstream stream(from, std::ios::binary);
  write_whole(to, std::string{std::istreambuf_iterator<char>(stream), {}});
}

void copy_log(const fs::path& from, const fs::path& to) {
  std::ifstream stream(from, std::ios::binary | std::ios::ate);
  stream.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(stream.tellg()) - max_log_bytes));
  write_whole(to, std::string{std::istreambuf_iterator<char>(stream), {}});
}

}  // namespace

void keep_files(const Settings& settings) {
  for (const char* name : databases) {
    const fs::path file = settings.kept_file(name);
    if (has_changed(file)) copy_database(file, settings.out / name);
  }
  if (has_changed(settings.kept_file(recording)))
    copy_whole(settings.kept_file(recording), settings.out / recording);
  if (has_changed(settings.kept_file(log_name)))
    copy_log(settings.kept_file(log_name), settings.out / log_name);
}

void take_over_files(const Settings& settings) {
  if (settings.continued.empty()) return;
  for (const char* name : databases) {
    std::error_code error;
    if (fs::exists(settings.continued / name) && !fs::exists(settings.kept_file(name)))
      fs::copy_file(settings.continued / name, settings.kept_file(name), error);
    if (error) fmt::print(stderr, "{} can't be taken over: {}\n", name, error.message());
  }
  const nlohmann::json summary = read_json(settings.continued / "summary.json");
  if (!summary.is_object() || !summary.contains("parts")) return;
  for (const nlohmann::json& part : summary["parts"]) {
    const fs::path file = settings.result_file(part.value("part", "nameless"));
    if (!fs::exists(file)) write_whole(file, part.dump() + "\n");
  }
}

}  // namespace kernelscape::gpu_proof
