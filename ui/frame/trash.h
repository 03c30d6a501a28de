#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace kernelscape {

/** Deletes for good what was moved to the trash: when the window closes, undo ends. For a job. */
Status empty_trash(const std::filesystem::path& database);

}  // namespace kernelscape
