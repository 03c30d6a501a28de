#pragma once

#include <CLI/CLI.hpp>

#include "app/command_line/command.h"

namespace kernelscape::command_line {

/**
 * Adds the command that simulates a fleet of many workers with recorded costs.
 * @param write_report called if a report is requested
 */
Command add_fleet_simulation(CLI::App& fleet, ReportWriter write_report);

}  // namespace kernelscape::command_line
