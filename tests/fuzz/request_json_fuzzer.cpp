#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/session/request_json.h"

/** Any bytes give a request or an error; a request comes back the same from its own text. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const auto request =
      session::request_from_json(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!request) {
    if (request.error().message.empty()) std::abort();
    return 0;
  }
  const std::string text = session::request_to_json(*request);
  const auto again = session::request_from_json(text);
  if (!again || session::request_to_json(*again) != text) std::abort();
  if (session::command_line_of(*again) != session::command_line_of(*request)) std::abort();
  return 0;
}
