#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/worker/child_process.h"
#include "core/measure/worker/confinement.h"

namespace kernelscape {

/** Texts as exec wants them: made before the fork, since a child may not allocate. */
class ExecTexts {
 public:
  explicit ExecTexts(std::vector<std::string> texts);
  ExecTexts(const ExecTexts&) = delete;
  ExecTexts& operator=(const ExecTexts&) = delete;
  char* const* data() const { return pointers_.data(); }  ///< ended by a null pointer

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/** Whether compilers and kernels get a variable of our environment, "NAME=VALUE": not a fleet's secrets. */
bool is_inherited(std::string_view variable);

/** Returns the program's environment, with messages in English, no compiler cache, temporary files in the
 * private folder, and a PATH of absolute folders. */
std::vector<std::string> confined_environment(const std::string& folder);

/** A program that is started without a shell, with limits. */
struct ConfinedCommand {
  const ExecTexts& arguments;  ///< the program first: a path, or a name to look for in $PATH
  const ExecTexts& environment;
  const std::string& folder;  ///< that it works in
  ProcessLimits limits;
  Confinement* confinement = nullptr;  ///< or none, of a program that gets nothing of others
  const char* output_file = nullptr;  ///< in the folder, for what it prints; null: the outcome keeps the head
};

/** How it ended. */
struct ConfinedOutcome {
  ChildOutcome child;
  int start_error = 0;  ///< errno of what kept it from starting; 0: it ran
};

/** Runs it to its end or the time-out. @param hang_up socket whose peer's end ends it; -1: none */
ConfinedOutcome run_confined(const ConfinedCommand& command, double timeout_seconds, int hang_up);

/** 0, or errno of why the bytes can't be written. */
int write_private_file(const std::string& path, std::string_view bytes);

/** The bytes of a file of at most `limit` bytes; empty where there is none. */
std::string read_private_file(const std::string& path, std::size_t limit);

}  // namespace kernelscape
