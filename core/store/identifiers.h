#pragma once

#include <cstdint>

namespace kernelscape::store {

// Row ids of the database.
using SessionId = std::int64_t;
using RecordingId = std::int64_t;
using StudyId = std::int64_t;
using PredictorId = std::int64_t;

}  // namespace kernelscape::store
