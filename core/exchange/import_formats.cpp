#include <algorithm>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {

/** One line per format, in the order in which files are compared with them; each is a function in its
 * reader's file. */
#define KERNELSCAPE_IMPORT_FORMATS(ENTRY) \
  ENTRY(kernelscape_import)               \
  ENTRY(cutlass_import)                   \
  ENTRY(clblast_import)                   \
  ENTRY(google_benchmark_import)          \
  ENTRY(hyperfine_import)                 \
  ENTRY(helion_import)                    \
  ENTRY(kernel_tuner_import)              \
  ENTRY(t4_import)                        \
  ENTRY(ktt_import)                       \
  ENTRY(triton_import)                    \
  ENTRY(ansor_import)                     \
  ENTRY(metaschedule_import)              \
  ENTRY(autotvm_import)                   \
  ENTRY(table_import)

#define KERNELSCAPE_DECLARE(function) ImportFormat function();
KERNELSCAPE_IMPORT_FORMATS(KERNELSCAPE_DECLARE)
#undef KERNELSCAPE_DECLARE

const std::vector<ImportFormat>& import_formats() {
#define KERNELSCAPE_CALL(function) function(),
  static const std::vector<ImportFormat> formats{KERNELSCAPE_IMPORT_FORMATS(KERNELSCAPE_CALL)};
#undef KERNELSCAPE_CALL
  return formats;
}

std::string_view import_head(ImportText& text) {
  constexpr std::size_t head_bytes = 64 << 10;
  return text.head().substr(0, head_bytes);
}

const ImportFormat* recognised_format(std::string_view head) {
  const auto found = std::ranges::find_if(import_formats(),
                                          [&](const ImportFormat& known) { return known.recognises(head); });
  return found == import_formats().end() ? nullptr : &*found;
}

const ImportFormat* table_format(std::string_view head) {
  // The last: its files have no marks of their own.
  const ImportFormat& table = import_formats().back();
  return table.recognises(head) ? &table : nullptr;
}

std::vector<std::string> importable_files() {
  std::vector<std::string> files;
  for (const ImportFormat& format : import_formats()) files.push_back(format.files);
  files.emplace_back("recorded spaces");
  return files;
}

std::vector<std::string> importable_endings() {
  std::vector<std::string> endings;
  for (const ImportFormat& format : import_formats()) {
    for (const std::string& ending : format.endings) {
      if (std::ranges::find(endings, ending) != endings.end()) continue;
      endings.push_back(ending);
      endings.push_back(ending + ".gz");
    }
  }
  endings.emplace_back(".ksrec");
  return endings;
}

}  // namespace kernelscape::exchange
