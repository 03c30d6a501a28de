#include <algorithm>
#include <map>
#include <optional>

#include "core/base/open_database.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {
namespace {

/**
 * The kind of a file according to its beginning; none if no format recognises it, or if it cannot be read.
 */
struct KnownFile {
  const ImportFormat* format = nullptr;
  bool accompanies = false;
};

KnownFile known_file(const std::filesystem::path& path) {
  // Reading a database would release SQLite's locks.
  if (base::database_use(path) != base::DatabaseUse::None) return {};
  const Result<std::unique_ptr<ImportText>> text = ImportText::open(path);
  if (!text) return {};
  const std::string_view head = import_head(**text);
  const ImportFormat* format = recognised_format(head);
  if (format == nullptr || (*text)->error()) return {};
  return {format, format->accompanies != nullptr && format->accompanies(head)};
}

}  // namespace

std::vector<ImportSource> import_sources(const std::vector<std::filesystem::path>& files) {
  std::vector<KnownFile> known(files.size());
  // A single file has no companions.
  if (files.size() > 1) std::ranges::transform(files, known.begin(), known_file);
  std::map<const ImportFormat*, std::vector<std::filesystem::path>> companions;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (known[i].accompanies) companions[known[i].format].push_back(files[i]);
  const auto has_trials = [&](const ImportFormat* format) {
    return std::ranges::any_of(
        known, [&](const KnownFile& file) { return file.format == format && !file.accompanies; });
  };
  std::vector<ImportSource> sources;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (known[i].accompanies && has_trials(known[i].format)) continue;
    ImportSource source{.path = files[i]};
    if (known[i].format != nullptr && !known[i].accompanies) source.companions = companions[known[i].format];
    sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace kernelscape::exchange
