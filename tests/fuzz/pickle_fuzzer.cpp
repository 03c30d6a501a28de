#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/exchange/formats/pickled_dict.h"

using namespace kernelscape;

/** A pickle of any bytes, as OpenTuner's databases have them: a value without invalid texts, or a reason. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<space::Json> read = exchange::read_pickle(bytes);
  if (read)
    // Throws if a text is not UTF-8.
    static_cast<void>(read->dump());
  else if (!read.error().message.contains("pickle"))
    std::abort();
  static_cast<void>(exchange::pickled_class_name(bytes));
  return 0;
}
