#pragma once

#include <string>

namespace kernelscape {

/** A line for a Redis's users.acl: a user who can do what members of a fleet do, with a fleet's keys, and
 * nothing else. PASSWORD stands for its password. */
std::string acl_line(const std::string& user);

}  // namespace kernelscape
