#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/crc32.h"
#include "core/predictor/training_checkpoint.h"

using namespace kernelscape;

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

/** As if whoever changed it knew the format; what ends before its checksum stays as it is. */
std::string with_right_checksum(std::string bytes) {
  constexpr std::size_t checksum_place = 8;
  constexpr std::size_t content = checksum_place + sizeof(std::uint64_t);
  if (bytes.size() < content) return bytes;
  const std::uint64_t checksum = base::crc32(std::string_view(bytes).substr(content));
  std::memcpy(bytes.data() + checksum_place, &checksum, sizeof checksum);
  return bytes;
}

}  // namespace

/** A checkpoint whose checksum is right is what it would be written as, or an error. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = with_right_checksum(std::string(reinterpret_cast<const char*>(data), size));
  const Result<predictor::TrainingCheckpoint> checkpoint = predictor::checkpoint_from_bytes(bytes);
  if (checkpoint)
    must(predictor::checkpoint_to_bytes(*checkpoint) == bytes);
  else
    must(!checkpoint.error().message.empty() && !checkpoint.error().hint.empty());
  return 0;
}
