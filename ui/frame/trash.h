#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace kernelscape::frame {

/**
 * Permanently deletes the sessions in the trash: undo ends when the window closes. Runs in a background job.
 */
Status empty_trash(const std::filesystem::path& database);

}  // namespace kernelscape::frame
