#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/worker/child_process.h"
#include "core/measure/worker/confinement.h"

namespace kernelscape::measure {

/**
 * Texts in the form that exec needs. They are made before the fork, since a forked child may not allocate.
 */
class ExecTexts {
 public:
  explicit ExecTexts(std::vector<std::string> texts);
  ExecTexts(const ExecTexts&) = delete;
  ExecTexts& operator=(const ExecTexts&) = delete;
  char* const* data() const { return pointers_.data(); }  ///< the texts, ended by a null pointer

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/**
 * Returns true if compilers and kernels inherit this environment variable, given as "NAME=VALUE". Secrets of
 * a fleet are not inherited.
 */
bool is_inherited(std::string_view variable);

/** Returns the program's environment, with messages in English, no compiler cache, temporary files in the
 * private folder, and a PATH of absolute folders. */
std::vector<std::string> confined_environment(const std::string& folder);

/** A program that is started without a shell, with limits. */
struct ConfinedCommand {
  const ExecTexts& arguments;  ///< the program first: a path, or a name to look up in $PATH
  const ExecTexts& environment;
  const std::string& folder;  ///< working folder of the program
  ProcessLimits limits;
  Confinement* confinement = nullptr;  ///< null for a program that gets no foreign input
  const char* output_file = nullptr;   ///< file in the folder that receives the output; null: the outcome
                                       ///< keeps the head of the output
  int input = -1;                      ///< descriptor that becomes its standard input; -1: an empty one
  int output = -1;        ///< descriptor that becomes its standard output; -1: as output_file says
  int error_output = -1;  ///< descriptor that becomes its standard error; -1: the outcome keeps its head
  std::span<PrintedPipe> printed = {};  ///< pipes to read while it runs, see wait_for_child()
};

/** How a command ended. */
struct ConfinedOutcome {
  ChildOutcome child;
  int start_error = 0;  ///< errno of the failed start; 0: the command ran
  double seconds = 0;   ///< wall time from the start of its process to its end
};

/**
 * Runs a command until it ends or times out.
 * @param hang_up socket; the command ends when its peer closes; -1: none
 */
ConfinedOutcome run_confined(const ConfinedCommand& command, double timeout_seconds, int hang_up);

/** Writes a file. Returns 0, or the errno of the failure. */
int write_private_file(const std::string& path, std::string_view bytes);

/** Returns the bytes of a file of at most `limit` bytes, or an empty string if there is no such file. */
std::string read_private_file(const std::string& path, std::size_t limit);

}  // namespace kernelscape::measure
