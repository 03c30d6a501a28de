#include "core/measure/program/program_builds.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "core/base/first_exception.h"
#include "core/base/processors.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/program/run_folder.h"

namespace kernelscape::measure {
namespace {

constexpr std::size_t max_kept_builds = 64;
constexpr std::uint64_t max_kept_bytes = 4ULL << 30;
/** Address space that each thread of a program takes for its stack and its share of the heap. */
constexpr std::uint64_t memory_per_thread = 256ULL << 20;

/** Replaces "~" at the beginning of a path by the user's folder. */
std::string with_home(const std::string& path) {
  const char* home = std::getenv("HOME");
  return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path;
}

std::vector<std::string> with_home(std::vector<std::string> paths) {
  for (std::string& path : paths) path = with_home(path);
  return paths;
}

std::uint64_t memory_limit(const project::ProgramPermissions& allowed, const trial::MeasureOptions& options) {
  if (allowed.memory_bytes >= 0) return static_cast<std::uint64_t>(allowed.memory_bytes);
  return options.memory_limit_bytes +
         memory_per_thread * static_cast<std::uint64_t>(std::max(1, base::usable_cores()));
}

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    const bool file = !entry->is_symlink(unknown) && entry->is_regular_file(unknown);
    const std::uintmax_t size = file ? entry->file_size(unknown) : 0;
    if (!unknown) bytes += size;
  }
  return bytes;
}

std::unexpected<Error> cannot_write(const std::string& folder, int error) {
  return fail(
      ErrorCode::Environment,
      fmt::format("the files of the program cannot be written to {}: {}", folder, std::strerror(error)),
      "free space there, or set TMPDIR to another folder");
}

}  // namespace

CommandRequest command_request(const project::KernelProject& project, const project::StepCommands& step,
                               std::size_t command, const std::string& folder,
                               const trial::MeasureOptions& options) {
  const project::ProgramPermissions& allowed = project.program->permissions;
  return {.folder = folder,
          .arguments = step.commands[command],
          .environment = step.environment,
          .memory_bytes = memory_limit(allowed, options),
          .network = allowed.network,
          .readable = with_home(allowed.read),
          .writable = with_home(allowed.write)};
}

ProgramBuilds::ProgramBuilds(const project::KernelProject& project, const trial::MeasureOptions& options)
    : project_(project),
      options_(options),
      workers_(static_cast<std::size_t>(
          std::max(1, options.builders > 0 ? options.builders : base::usable_cores()))) {}

Status ProgramBuilds::write_files(const std::string& folder) const {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return cannot_write(folder, failed.value());
  for (const codegen::IncludedFile& file : project_.includes) {
    const std::filesystem::path path = std::filesystem::path(folder) / file.name;
    std::filesystem::create_directories(path.parent_path(), failed);
    if (failed) return cannot_write(folder, failed.value());
    if (const int error = write_private_file(path.string(), file.text); error != 0)
      return cannot_write(folder, error);
    // A project does not say which of its files are scripts.
    if (chmod(path.c_str(), S_IRWXU) != 0) return cannot_write(folder, errno);
  }
  return {};
}

/** Returns nullopt if the build was interrupted. */
Result<std::optional<ProgramBuilds::Kept>> ProgramBuilds::build(const project::StepCommands& step,
                                                                const std::string& folder,
                                                                CommandWorker& worker,
                                                                const Interruption& interruption) const {
  const auto start = std::chrono::steady_clock::now();
  Kept kept;
  kept.build.folder = folder;
  TRY(write_files(folder));
  const double timeout = project_.program->build.timeout_seconds;
  for (std::size_t command = 0; command < step.commands.size() && !kept.build.failure; ++command) {
    CommandRequest request = command_request(project_, step, command, folder, options_);
    request.timeout_seconds = timeout > 0 ? timeout : options_.build_timeout_seconds;
    request.memory_bytes = 0;  // linkers and compilers of some languages reserve much
    const std::optional<CommandReply> reply = TRY(worker.run(request, interruption));
    if (!reply) return std::nullopt;
    kept.build.failure = failure_of(ProgramStepKind::Build, request, *reply);
  }
  kept.build.seconds = seconds_since(start);
  const auto look_for = [&](const project::ProgramNumber& number) {
    if (number.kind == project::ReadingKind::FileSize && size_of_run_file(folder, number.file))
      kept.build.sized_files.insert(number.file);
  };
  look_for(project_.program->objective);
  std::ranges::for_each(project_.program->metrics, look_for);
  kept.bytes = bytes_below(folder);
  return kept;
}

Result<bool> ProgramBuilds::make(std::span<const project::StepCommands> steps,
                                 const Interruption& interruption) {
  ++calls_;
  if (!root_) root_ = TRY(base::TemporaryFolder::make("program"));
  std::set<project::StepCommands> wanted;
  for (const project::StepCommands& step : steps) {
    if (const auto found = builds_.find(step); found != builds_.end())
      found->second.used = calls_;
    else
      wanted.insert(step);
  }
  const Steps missing = [&] {
    Steps list;
    for (const project::StepCommands& step : wanted) list.push_back(&step);
    return list;
  }();
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < missing.size(); ++i)
    folders.push_back(fmt::format("{}/{}", root_->path(), folders_++));
  std::vector<std::optional<Result<std::optional<Kept>>>> made(missing.size());
  std::atomic<std::size_t> next = 0;
  base::FirstException exceptions;
  const auto serve = [&](CommandWorker& worker) {
    exceptions.run([&] {
      for (std::size_t i = next++; i < missing.size(); i = next++)
        made[i] = build(*missing[i], folders[i], worker, interruption);
    });
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(workers_.size(), missing.size()); ++i)
      threads.emplace_back([&, i] { serve(workers_[i]); });
    serve(workers_.front());
  }
  exceptions.throw_again();
  Result<bool> outcome = true;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (made[i] && *made[i] && **made[i]) {
      Kept kept = std::move(***made[i]);
      kept.used = calls_;
      builds_.insert_or_assign(*missing[i], std::move(kept));
      continue;
    }
    std::error_code ignored;
    std::filesystem::remove_all(folders[i], ignored);
    if (!made[i])
      outcome = fail(ErrorCode::Internal, "a build of the program has no result");
    else if (!*made[i])
      outcome = std::unexpected(made[i]->error());
    else if (outcome)
      outcome = false;
  }
  remove_old();
  return outcome;
}

/** Removes builds that this call of make() did not ask for, those that were not used for longest first. */
void ProgramBuilds::remove_old() {
  std::uint64_t bytes = 0;
  for (const auto& [step, kept] : builds_) bytes += kept.bytes;
  while (builds_.size() > max_kept_builds || bytes > max_kept_bytes) {
    const auto oldest =
        std::ranges::min_element(builds_, {}, [](const auto& entry) { return entry.second.used; });
    if (oldest == builds_.end() || oldest->second.used == calls_) return;
    bytes -= oldest->second.bytes;
    std::error_code ignored;
    std::filesystem::remove_all(oldest->second.build.folder, ignored);
    builds_.erase(oldest);
  }
}

}  // namespace kernelscape::measure
