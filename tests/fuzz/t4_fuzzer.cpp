#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

/** Any bytes, gzip or not, give trials that a recorded space can be made of, or an error with a reason. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  constexpr std::uint64_t most_bytes = 1 << 24;
  auto text = unpack_import_text(std::string(reinterpret_cast<const char*>(data), size), most_bytes);
  if (!text) {
    if (text.error().message.empty()) std::abort();
    return 0;
  }
  const auto file = read_t4_results({"fuzz", std::move(*text)});
  if (!file) {
    if (!file.error().message.contains("fuzz")) std::abort();
    return 0;
  }
  for (const ImportedTrials& part : file->parts) {
    for (const ImportedTrial& trial : part.trials) {
      if (!part.space.contains(trial.configuration)) std::abort();
      if (!trial.measurement.valid() && trial.measurement.ranking_seconds() > 0) std::abort();
      if (!(trial.finished_seconds >= 0)) std::abort();
    }
    const auto recording = recording_of(part);
    if (recording && (*recording)->size() == 0) std::abort();
  }
  return 0;
}
