#pragma once

#include <QString>
#include <cstddef>
#include <string>

#include "ui/figures/headline.h"
#include "ui/workspace/fleet_watch.h"

namespace kernelscape::views {

/**
 * Returns how many workers are active, how many tasks wait, and what needs attention.
 * @param age "as of now", "12 s old"
 */
figures::HeadlineText fleet_headline(const fleet::State& state, const QString& age);

/** Returns the shell command that makes a machine a worker of the fleet. */
QString join_command(const workspace::FleetPlace& place);

/** Returns the target that measures on a class of the fleet: "fleet:redis://host:6379/0#CLASS". */
QString fleet_target(const fleet::State& state, const std::string& device_class);

/** Returns how many workers of a class are active. */
std::ptrdiff_t serving_workers(const fleet::State& state, const std::string& device_class);

}  // namespace kernelscape::views
