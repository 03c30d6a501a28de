#include "core/measure/cpu/compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>

#include "core/base/text.h"
#include "core/measure/worker/child_process.h"
#include "core/measure/worker/confinement.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape {
namespace {

constexpr std::uint64_t compiler_memory_bytes = 4ULL << 30;
constexpr const char* source_name = "kernel.c";
constexpr const char* object_name = "kernel.so";

/** Texts as exec wants them: made before the fork, since a child may not allocate. */
class TextArray {
 public:
  explicit TextArray(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  TextArray(const TextArray&) = delete;
  TextArray& operator=(const TextArray&) = delete;
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/** Ours, with messages in English, no compiler cache, and temporary files in the private folder. */
std::vector<std::string> compiler_environment(const std::string& folder) {
  std::vector<std::string> result{"LC_ALL=C", "CCACHE_DISABLE=1", "TMPDIR=" + folder};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("LC_ALL=") && !text.starts_with("CCACHE_DISABLE=") &&
        !text.starts_with("TMPDIR=")) {
      result.emplace_back(text);
    }
  }
  return result;
}

struct Command {
  const TextArray& arguments;
  const TextArray& environment;
  const std::string& folder;
  ProcessLimits limits;
  Confinement* confinement = nullptr;  ///< or none, of a compiler that gets no source
};

/** In the forked child: system calls only. */
[[noreturn]] void execute(const Command& command, pid_t parent, int output, int failure) {
  join_own_group(parent);
  apply_limits(command.limits);
  if (command.confinement != nullptr) command.confinement->apply();
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  int reason = 0;
  if (chdir(command.folder.c_str()) == 0) {
    execvpe(command.arguments.data()[0], command.arguments.data(), command.environment.data());
  }
  reason = errno;
  if (write(failure, &reason, sizeof reason) < 0) _exit(126);
  _exit(127);
}

struct CommandOutcome {
  ChildOutcome child;
  int start_error = 0;  ///< errno of what kept it from starting; 0: it ran
};

CommandOutcome run_command(const Command& command, double timeout_seconds, int hang_up) {
  CommandOutcome outcome;
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) return outcome.start_error = errno, outcome;
  const UniqueFd output_read(output[0]);
  UniqueFd output_write(output[1]);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return outcome.start_error = errno, outcome;
  const UniqueFd failure_read(failure[0]);
  UniqueFd failure_write(failure[1]);
  const Deadline deadline = deadline_after(timeout_seconds);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) return outcome.start_error = errno, outcome;
  if (child == 0) execute(command, self, output_write.get(), failure_write.get());
  output_write.reset();
  failure_write.reset();
  outcome.child = wait_for_child(child, output_read.get(), deadline, hang_up);
  int reason = 0;
  if (read(failure_read.get(), &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason)) {
    outcome.start_error = reason;
  }
  return outcome;
}

/** 0, or errno of why the bytes can't be written. */
int write_file(const std::string& path, std::string_view bytes) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.valid()) return errno;
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

/** The bytes of a file of at most `limit` bytes; empty where there is none. */
std::string read_file(const std::string& path, std::size_t limit) {
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

BuildReply machine_fault(std::string message, std::string hint) {
  return {.status = BuildStatus::MachineFault,
          .artefact = {},
          .message = std::move(message),
          .hint = std::move(hint)};
}

BuildReply disk_fault(const std::string& folder, int error) {
  return machine_fault(fmt::format("builds can't write into {}: {}", folder, std::strerror(error)),
                       "free space there, or let TMPDIR name another folder");
}

/** 0, or errno of why the folder takes no more: a compiler's own message about a full disk is not proof
 * enough. */
int probe_disk(const std::string& folder) {
  const std::string path = folder + "/probe";
  const int error = write_file(path, std::string(1 << 20, 'x'));
  unlink(path.c_str());
  return error;
}

BuildReply start_fault(const std::string& compiler, int error) {
  const bool absent = error == ENOENT || error == EACCES || error == ENOTDIR || error == ENOEXEC;
  return machine_fault(
      fmt::format("the C compiler `{}` can't be started: {}", compiler, std::strerror(error)),
      absent ? "install a C compiler (apt-get install gcc), or let CC name one"
             : "end other programs, or raise the limit on processes and memory");
}

std::vector<std::string> compile_arguments(const BuildRequest& request) {
  std::vector<std::string> arguments = command_words(request.compiler);
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  for (const char* argument : {"-shared", "-fPIC", "-pipe", "-o", object_name, source_name}) {
    arguments.emplace_back(argument);
  }
  return arguments;
}

BuildReply judge(const BuildRequest& request, const CommandOutcome& outcome, const TemporaryFolder& folder) {
  if (outcome.start_error != 0) return start_fault(request.compiler, outcome.start_error);
  const ChildOutcome& child = outcome.child;
  BuildReply reply{
      .status = BuildStatus::Failed, .artefact = {}, .message = clean_message(child.output), .hint = {}};
  if (child.end == ChildEnd::TimedOut) {
    reply.status = BuildStatus::TimedOut;
    reply.message = fmt::format("the compiler was stopped after {} s", request.timeout_seconds);
    return reply;
  }
  if (child.end == ChildEnd::Lost) return machine_fault("the compiler's process can't be watched", {});
  if (child.end == ChildEnd::Exited && child.code == 0) {
    reply.artefact = read_file(folder.path() + "/" + object_name, max_artefact_bytes);
    reply.status = reply.artefact.empty() ? BuildStatus::Failed : BuildStatus::Built;
    reply.message = reply.artefact.empty() ? "the compiler made no shared object, or one over 64 MiB" : "";
    return reply;
  }
  if (const int error = probe_disk(folder.path()); error != 0) return disk_fault(folder.path(), error);
  if (child.end == ChildEnd::Signalled) {
    reply.message = clean_message(
        fmt::format("the compiler was ended by {}\n{}", describe_signal(child.code), child.output));
  } else if (reply.message.empty()) {
    reply.message = fmt::format("the compiler failed with exit code {} and no message", child.code);
  }
  return reply;
}

}  // namespace

std::vector<std::string> command_words(const std::string& command) {
  std::error_code ignored;
  if (std::filesystem::exists(command, ignored)) return {command};
  std::vector<std::string> words = split_text(command, ' ');
  std::erase(words, "");
  return words.empty() ? std::vector<std::string>{command} : words;
}

BuildReply compile_shared_object(const BuildRequest& request, const TemporaryFolder& folder, int hang_up) {
  const auto start = std::chrono::steady_clock::now();
  BuildReply reply;
  const int error = write_file(folder.path() + "/" + source_name, request.text);
  if (error != 0) {
    reply = disk_fault(folder.path(), error);
  } else {
    const TextArray arguments(compile_arguments(request));
    const TextArray environment(compiler_environment(folder.path()));
    Confinement confinement = Confinement::of_compiler(folder.path());
    const Command command{.arguments = arguments,
                          .environment = environment,
                          .folder = folder.path(),
                          .limits = {.cpu_seconds = request.timeout_seconds,
                                     .address_space_bytes = compiler_memory_bytes,
                                     .file_bytes = 4 * max_artefact_bytes,
                                     .stack_bytes = 0},
                          .confinement = &confinement};
    reply = judge(request, run_command(command, request.timeout_seconds, hang_up), folder);
  }
  folder.clear();
  reply.seconds = seconds_since(start);
  return reply;
}

Result<std::string> compiler_version(const std::string& compiler) {
  std::vector<std::string> words = command_words(compiler);
  words.emplace_back("--version");
  const TextArray arguments(std::move(words));
  const TextArray environment(compiler_environment("/tmp"));
  const std::string folder = "/";
  const Command command{.arguments = arguments, .environment = environment, .folder = folder, .limits = {}};
  const CommandOutcome outcome = run_command(command, 10, -1);
  if (outcome.start_error != 0) {
    const BuildReply fault = start_fault(compiler, outcome.start_error);
    return fail(ErrorCode::Environment, fault.message, fault.hint);
  }
  const std::string text = clean_message(outcome.child.output);
  return text.substr(0, text.find('\n'));
}

BuildRequest self_test_request(const std::string& compiler, const KnownFlags& flags) {
  return {.compiler = compiler,
          .flags = flags.words(),
          .text =
              "void kernelscape_self_test(int part, int parts, const float* a, const float* b, float* c) {\n"
              "  if (part < parts) *c = *a * *b;\n}\n",
          .timeout_seconds = 10};
}

Status check_self_test(const std::string& compiler, const BuildReply& reply) {
  if (reply.status == BuildStatus::Built) return {};
  if (reply.status == BuildStatus::MachineFault)
    return fail(ErrorCode::Environment, reply.message, reply.hint);
  return fail(ErrorCode::Environment,
              fmt::format("the C compiler `{}` fails on a trivial kernel: {}", compiler, reply.message),
              "repair it, or let CC name another");
}

}  // namespace kernelscape
