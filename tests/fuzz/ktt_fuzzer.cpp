#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/exchange/importer.h"

/** Any bytes give an error that names the file, or trials that are members of their space. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const auto file = read_ktt_results({"fuzzed", std::string(reinterpret_cast<const char*>(data), size)});
  if (!file) {
    if (!file.error().message.contains("fuzzed")) std::abort();
    return 0;
  }
  for (const ImportedTrials& part : file->parts) {
    for (const ImportedTrial& trial : part.trials) {
      if (!part.space.contains(trial.configuration)) std::abort();
      if (!trial.measurement.valid() && trial.measurement.ranking_seconds() > 0) std::abort();
      if (!(trial.finished_seconds >= 0)) std::abort();
    }
  }
  return 0;
}
