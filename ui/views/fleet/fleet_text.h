#pragma once

#include <QString>
#include <cstddef>
#include <string>

#include "ui/figures/headline.h"
#include "ui/workspace/fleet_watch.h"

namespace kernelscape {

/** How many workers serve, what waits, and what should be looked at. @param age "as of now", "12 s old" */
HeadlineText fleet_headline(const FleetState& state, const QString& age);

/** The command that makes a machine a worker of the fleet, for a shell. */
QString join_command(const FleetPlace& place);

/** The target that measures on a class of the fleet: "fleet:redis://host:6379/0#CLASS". */
QString fleet_target(const FleetState& state, const std::string& device_class);

/** How many of a class's workers serve. */
std::ptrdiff_t serving_workers(const FleetState& state, const std::string& device_class);

}  // namespace kernelscape
