#pragma once

#include <CLI/CLI.hpp>

#include "app/command_line/command.h"

namespace kernelscape {

/**
 * What a fleet of many workers would do with recorded costs.
 * @param write_report called where a report is asked for
 */
Command add_fleet_simulation(CLI::App& fleet, ReportWriter write_report);

}  // namespace kernelscape
