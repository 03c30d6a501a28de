#pragma once

#include <QTest>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "tests/exchange/export_support.h"
#include "tests/exchange/gzipped.h"
#include "tests/exchange/named_format.h"
#include "tests/exchange/stored_session.h"

namespace kernelscape::exchange_tests {

/** Files that other tuners wrote, which are not everywhere. */
inline std::filesystem::path recorded_file(const std::string& name) {
  return std::filesystem::path(KERNELSCAPE_SOURCE_DIR) / "../shared/data/recorded" / name;
}

/** What is left of a text, in one. */
inline Result<std::string> whole_text(exchange::ImportText& file) {
  std::string text;
  for (; !file.ended(); file.mark()) {
    text += file.current();
    file.advance();
  }
  if (file.error()) return std::unexpected(*file.error());
  return text;
}

/** The text of a file's bytes. */
inline Result<std::string> text_of_bytes(const std::string& bytes,
                                         const exchange::ReadingBudget& budget = {}) {
  exchange::ImportText file("bytes", bytes, budget);
  return whole_text(file);
}

/** The file's configuration by value, in any order of knobs. */
inline nlohmann::json values_of(const exchange::ImportedTrials& part, std::size_t trial) {
  return nlohmann::json::parse(part.space.configuration_to_json(part.trials.at(trial).configuration));
}

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  return std::move(*result);
}

/** The error of what must fail. */
template <typename T>
std::string error_of(const Result<T>& result) {
  return result ? std::string("it was taken") : describe(result.error());
}

}  // namespace kernelscape::exchange_tests
