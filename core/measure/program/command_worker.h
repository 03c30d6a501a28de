#pragma once

#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/command_messages.h"
#include "core/measure/worker_process.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** A worker process that runs the commands of a user's program, started when it is first needed. */
class CommandWorker {
 public:
  /**
   * Runs a command. Returns nullopt if it was interrupted: then the command and what it started are killed. A
   * worker that is lost is replaced. Errors are machine faults.
   */
  Result<std::optional<CommandReply>> run(const CommandRequest& request, const Interruption& interruption);

  /**
   * Takes a reading of the speed probe, for at most as many threads as the machine has processors. Returns
   * nullopt if it was interrupted or failed. Errors are machine faults.
   */
  Result<std::optional<trial::ProbeSeconds>> probe_speed(int threads, const Interruption& interruption);

 private:
  Result<bool> make_ready(const Interruption& interruption);

  std::optional<WorkerProcess> worker_;
};

/** A step of a program, which decides the category of a failure. */
enum class ProgramStepKind : std::uint8_t { Build, Run, Check };

/** Why a command makes a trial a failure. */
struct CommandFailure {
  trial::ErrorCategory category = trial::ErrorCategory::NoError;
  std::string message;  ///< the failure on the first line, then the end of what the command printed
};

/** Returns the failure of a command; nullopt if it succeeded. */
std::optional<CommandFailure> failure_of(ProgramStepKind step, const CommandRequest& request,
                                         const CommandReply& reply);

/** Returns a sentence and, below it, the end of what a command printed; at most 4 KiB. */
std::string with_log_end(std::string_view sentence, const CommandReply& reply);

}  // namespace kernelscape::measure
