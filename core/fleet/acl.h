#pragma once

#include <string>

namespace kernelscape::fleet {

/**
 * Returns a line for the users.acl file of Redis: a user who can execute the commands of fleet controllers
 * and workers on the keys of a fleet, and nothing else. PASSWORD is a placeholder for the user's password.
 */
std::string acl_line(const std::string& user);

}  // namespace kernelscape::fleet
