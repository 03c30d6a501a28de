#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/validation.h"
#include "tests/exchange/named_format.h"

namespace kernelscape {

/** What every reader keeps to: any bytes, gzip or not, give trials that are members of their space and that a
 * recorded space can be made of, or an error with a reason that names the file. */
inline int fuzz_reader(std::string_view format, const std::uint8_t* data, std::size_t size) {
  exchange::ReadingBudget budget;
  budget.max_bytes = 1 << 24;
  budget.max_memory_bytes = 1ULL << 30;
  exchange::ImportText text("fuzzed", std::string(reinterpret_cast<const char*>(data), size), budget);
  auto unchecked = read_as(format, text);
  if (!unchecked) {
    if (!unchecked.error().message.contains("fuzzed")) std::abort();
    return 0;
  }
  const auto file = exchange::validated(*std::move(unchecked));
  if (!file) {
    if (!file.error().message.contains("fuzzed")) std::abort();
    return 0;
  }
  for (const exchange::ImportedTrials& part : file->parts) {
    for (const exchange::ImportedTrial& trial : part.trials) {
      if (!part.space.contains(trial.configuration)) std::abort();
      if (!trial.measurement.valid() && trial.measurement.ranking_seconds() > 0) std::abort();
      if (!(trial.finished_seconds >= 0)) std::abort();
    }
    const auto recording = exchange::recording_of(part);
    if (recording && (*recording)->size() == 0) std::abort();
  }
  return 0;
}

}  // namespace kernelscape
