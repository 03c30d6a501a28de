#pragma once

#include "tests/gpu/settings.h"

namespace kernelscape::gpu_proof {

/** Most bytes of a file that is copied back, and of a database that grows. */
inline constexpr std::uintmax_t max_file_bytes = 16U << 20;

/** Brings databases, recordings and the end of the log to where they are copied back from, each whole: a
 * visit may end at any moment, and a database be written meanwhile. What has not changed is left. */
void keep_files(const Settings& settings);

/** What an earlier visit took home becomes what this one goes on from, where this machine has nothing yet. */
void take_over_files(const Settings& settings);

}  // namespace kernelscape::gpu_proof
