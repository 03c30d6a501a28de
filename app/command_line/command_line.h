#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "core/base/media/offered_command.h"
#include "core/base/result.h"

namespace kernelscape {

/** The program's arguments: its options and commands, and what they ask for. */
class CommandLine {
 public:
  /** @param write_report called where the command `report` is run */
  explicit CommandLine(ReportWriter write_report);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /**
   * To be called once, and nothing is run. The help or the version goes to `output`.
   * @param argv the program's name, then its arguments
   * @return the exit code where nothing else is asked for; what is wrong with the arguments, in our words
   */
  Result<std::optional<int>> parse(int argc, const char* const* argv, std::ostream& output);

  /** The command that is named; null: the window. */
  const Command* command() const;
  /** The window's database; empty: none is named. */
  const std::string& database() const { return database_; }
  /** Whether all that is asked is if a window could be opened. */
  bool only_looks_for_display() const { return only_looks_for_display_; }

 private:
  ProgramCall call_of(std::string program) const;

  CLI::App program_;
  std::string database_;
  bool only_looks_for_display_ = false;
  std::vector<Command> commands_;
};

}  // namespace kernelscape
