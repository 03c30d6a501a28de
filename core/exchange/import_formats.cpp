#include "core/exchange/importer.h"

namespace kernelscape {

/** One line per format, in the order in which files are compared with them; each is a function in its
 * reader's file. */
#define KERNELSCAPE_IMPORT_FORMATS(ENTRY) \
  ENTRY(kernelscape_import)               \
  ENTRY(kernel_tuner_import)              \
  ENTRY(t4_import)                        \
  ENTRY(ktt_import)                       \
  ENTRY(autotvm_import)

#define KERNELSCAPE_DECLARE(function) ImportFormat function();
KERNELSCAPE_IMPORT_FORMATS(KERNELSCAPE_DECLARE)
#undef KERNELSCAPE_DECLARE

const std::vector<ImportFormat>& import_formats() {
#define KERNELSCAPE_CALL(function) function(),
  static const std::vector<ImportFormat> formats{KERNELSCAPE_IMPORT_FORMATS(KERNELSCAPE_CALL)};
#undef KERNELSCAPE_CALL
  return formats;
}

}  // namespace kernelscape
