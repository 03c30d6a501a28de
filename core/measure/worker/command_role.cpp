#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "core/measure/cpu/confined_command.h"
#include "core/measure/worker/command_messages.h"
#include "core/measure/worker/speed_probe.h"
#include "core/measure/worker/worker_main.h"

namespace kernelscape::measure {
namespace {

constexpr std::uint64_t max_written_file_bytes = 16ULL << 30;

/**
 * A pipe that a command has as one of its outputs. Of a file a command could change the mode or the position,
 * as make does, or lose what stands there by opening /dev/stderr.
 */
class OutputPipe {
 public:
  OutputPipe() {
    // With more room the command seldom waits until its output is read. If it is refused, the usual room
    // stays.
    constexpr int room_bytes = 1 << 20;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    read_ = UniqueFd(ends[0]);
    write_ = UniqueFd(ends[1]);
    fcntl(write_.get(), F_SETPIPE_SZ, room_bytes);
  }

  bool usable() const { return read_.valid(); }
  int descriptor() const { return write_.get(); }  ///< what the command writes to
  PrintedPipe read_end() const { return {.descriptor = read_.get(), .max_bytes = max_printed_bytes}; }

 private:
  UniqueFd read_;
  UniqueFd write_;
};

/** Returns a descriptor from which a command reads the text; invalid if memory is short. */
UniqueFd input_of(std::string_view text) {
  UniqueFd file(memfd_create("input", MFD_CLOEXEC));
  while (file.valid() && !text.empty()) {
    const ssize_t count = write(file.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) return {};
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (file.valid()) lseek(file.get(), 0, SEEK_SET);
  return file;
}

/** Returns true if both texts "NAME=value" set the same variable. */
bool same_variable(std::string_view one, std::string_view other) {
  return one.substr(0, one.find('=')) == other.substr(0, other.find('='));
}

std::vector<std::string> environment_of(const CommandRequest& request) {
  std::vector<std::string> variables = confined_environment(request.folder);
  for (const std::string& added : request.environment)
    std::erase_if(variables, [&](const std::string& one) { return same_variable(one, added); });
  variables.insert(variables.end(), request.environment.begin(), request.environment.end());
  return variables;
}

/** Returns the arguments, of which the program is found in the command's folder if its path is relative. */
std::vector<std::string> arguments_of(const CommandRequest& request) {
  std::vector<std::string> arguments = request.arguments;
  std::string& program = arguments.front();
  if (program.contains('/') && !program.starts_with('/')) program = request.folder + "/" + program;
  return arguments;
}

CommandReply not_started(int error) { return {.end = CommandEnd::NotStarted, .code = error}; }

CommandReply reply_of(const ConfinedOutcome& outcome, std::string output, std::string errors) {
  if (outcome.start_error != 0) return not_started(outcome.start_error);
  CommandReply reply{.end = CommandEnd::Exited,
                     .code = outcome.child.code,
                     .seconds = std::max(outcome.seconds, 0.0),
                     .peak_memory_bytes = outcome.child.peak_memory_bytes,
                     .output = std::move(output),
                     .errors = std::move(errors)};
  if (outcome.child.end == ChildEnd::Lost) return not_started(EAGAIN);
  if (outcome.child.end == ChildEnd::TimedOut) reply.end = CommandEnd::TimedOut;
  if (outcome.child.end == ChildEnd::Signalled) reply.end = CommandEnd::Signalled;
  return reply;
}

CommandReply run_command(const CommandRequest& request, int hang_up) {
  if (request.arguments.empty()) return not_started(EINVAL);
  const OutputPipe output;
  const OutputPipe errors;
  std::array<PrintedPipe, 2> printed{output.read_end(), errors.read_end()};
  const UniqueFd input = input_of(request.input);
  if (!output.usable() || !errors.usable() || !input.valid()) return not_started(ENOMEM);
  const ExecTexts arguments(arguments_of(request));
  const ExecTexts environment(environment_of(request));
  Confinement confinement = Confinement::of_program(
      request.folder, {.network = request.network, .read = request.readable, .write = request.writable});
  const ConfinedCommand command{.arguments = arguments,
                                .environment = environment,
                                .folder = request.folder,
                                .limits = {.cpu_seconds = 0,
                                           .address_space_bytes = request.memory_bytes,
                                           .file_bytes = max_written_file_bytes,
                                           .stack_bytes = 0},
                                .confinement = &confinement,
                                .input = input.get(),
                                .output = output.descriptor(),
                                .error_output = errors.descriptor(),
                                .printed = printed};
  const ConfinedOutcome outcome = run_confined(command, request.timeout_seconds, hang_up);
  // What the command started belongs to the session that this worker leads, whatever its group is.
  kill_session(getpid());
  return reply_of(outcome, std::move(printed[0].text), std::move(printed[1].text));
}

}  // namespace

void serve_commands(Channel& channel) {
  const Deadline never = deadline_after(1e12);
  SpeedProbe probe;
  while (auto frame = channel.receive_frame(never, {})) {
    if (auto request = decode_message<CommandRequest>(*frame)) {
      if (!channel.send(run_command(*request, channel.descriptor()), never)) return;
    } else if (auto reading = decode_message<SpeedProbeRequest>(*frame); reading && reading->threads >= 1) {
      if (!channel.send(SpeedProbeReply{probe.measure(reading->threads)}, never)) return;
    } else {
      return;
    }
  }
}

}  // namespace kernelscape::measure
