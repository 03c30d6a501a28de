#include "core/measure/cpu/confined_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {
namespace {

/** Returns the path, from the current folder if it is relative: commands run in other folders. */
std::string from_current_folder(const std::string& path) {
  return base::absolute_path(path.empty() ? "." : path).value_or(path).string();
}

/**
 * Returns the absolute folders of $PATH, or the usual folders if it is not set: gcc uses them to find its
 * parts.
 */
std::vector<std::string> program_folders() {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return {"/usr/local/bin", "/usr/bin", "/bin"};
  std::vector<std::string> folders = base::split_text(path, ':');
  for (std::string& folder : folders) folder = from_current_folder(folder);
  return folders;
}

/** Returns the path of a program, which is searched in $PATH if its name has no slash. */
std::string find_program(const std::string& name) {
  if (name.contains('/')) return from_current_folder(name);
  for (const std::string& folder : program_folders()) {
    const std::string path = folder + "/" + name;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0) return path;
  }
  return name;
}

/** Runs the command in the forked child; makes system calls only. */
[[noreturn]] void execute_confined(const ConfinedCommand& command, const char* program,
                                   char* const* arguments, pid_t parent, int output, int failure) {
  join_own_group(parent);
  apply_limits(command.limits);
  if (command.confinement != nullptr) command.confinement->apply();
  const int input = command.input >= 0 ? command.input : open("/dev/null", O_RDONLY);
  if (input >= 0) dup2(input, STDIN_FILENO);
  dup2(command.output >= 0 ? command.output : output, STDOUT_FILENO);
  dup2(command.error_output >= 0 ? command.error_output : output, STDERR_FILENO);
  int reason = 0;
  if (chdir(command.folder.c_str()) == 0) {
    if (command.output_file != nullptr) {
      const int file = open(command.output_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (file >= 0) dup2(file, STDOUT_FILENO);
    }
    execvpe(program, arguments, command.environment.data());
  }
  reason = errno;
  if (write(failure, &reason, sizeof reason) < 0) _exit(126);
  _exit(127);
}

}  // namespace

ExecTexts::ExecTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (std::string& text : texts_) pointers_.push_back(text.data());
  pointers_.push_back(nullptr);
}

bool is_inherited(std::string_view variable) { return !variable.starts_with("KERNELSCAPE_FLEET_"); }

std::vector<std::string> confined_environment(const std::string& folder) {
  std::vector<std::string> result{"LC_ALL=C", "CCACHE_DISABLE=1", "TMPDIR=" + folder,
                                  "PATH=" + base::join(program_folders(), ":")};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (is_inherited(text) && !text.starts_with("LC_ALL=") && !text.starts_with("CCACHE_DISABLE=") &&
        !text.starts_with("TMPDIR=") && !text.starts_with("PATH=")) {
      result.emplace_back(text);
    }
  }
  return result;
}

ConfinedOutcome run_confined(const ConfinedCommand& command, double timeout_seconds, int hang_up) {
  ConfinedOutcome outcome;
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) return outcome.start_error = errno, outcome;
  const UniqueFd output_read(output[0]);
  UniqueFd output_write(output[1]);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return outcome.start_error = errno, outcome;
  const UniqueFd failure_read(failure[0]);
  UniqueFd failure_write(failure[1]);
  const Deadline deadline = deadline_after(timeout_seconds);
  const std::string_view name = command.arguments.data()[0];
  std::string program = find_program(std::string(name));
  std::vector<char*> arguments;
  for (char* const* argument = command.arguments.data(); *argument != nullptr; ++argument)
    arguments.push_back(*argument);
  arguments.push_back(nullptr);
  // gcc finds its parts relative to its own path.
  if (name.contains('/')) arguments.front() = program.data();
  const pid_t self = getpid();
  const double start = steady_seconds();
  const pid_t child = fork();
  if (child < 0) return outcome.start_error = errno, outcome;
  if (child == 0)
    execute_confined(command, program.c_str(), arguments.data(), self, output_write.get(),
                     failure_write.get());
  output_write.reset();
  failure_write.reset();
  outcome.child = wait_for_child(child, output_read.get(), deadline, hang_up, command.printed);
  outcome.seconds = outcome.child.end_seconds - start;
  int reason = 0;
  if (read(failure_read.get(), &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason)) {
    outcome.start_error = reason;
  }
  return outcome;
}

int write_private_file(const std::string& path, std::string_view bytes) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.valid()) return errno;
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

std::string read_private_file(const std::string& path, std::size_t limit) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (error || size > limit || !file.valid()) return {};
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count <= 0) return {};
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace kernelscape::measure
