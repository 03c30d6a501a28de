#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "core/base/media/offered_command.h"
#include "core/base/result.h"

namespace kernelscape::command_line {

/** Parses the program's arguments: its options and commands. */
class CommandLine {
 public:
  /**
   * @param write_report called by the commands `report` and `fleet simulate`
   * @param serve_pages called by the command `serve`
   */
  CommandLine(ReportWriter write_report, PageServer serve_pages);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /**
   * Parses the arguments without running a command; call it once. Writes the help or the version to `output`.
   * @param argv the program's name, then its arguments
   * @return the exit code if nothing is left to do, else nullopt; an error that explains wrong arguments
   */
  Result<std::optional<int>> parse(int argc, const char* const* argv, std::ostream& output);

  /** Returns the command to run; null: open the window. */
  const Command* command() const;
  /** Returns the window's database; empty: none is named. */
  const std::string& database() const { return database_; }
  /** Returns true if the program only has to check that a window can be opened. */
  bool only_looks_for_display() const { return only_looks_for_display_; }

 private:
  base::ProgramCall call_of(std::string program) const;

  CLI::App program_;
  std::string database_;
  bool only_looks_for_display_ = false;
  std::vector<Command> commands_;
};

}  // namespace kernelscape::command_line
