#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/session/client_protocol.h"

/** Any line of a client gives a request within the limits of the protocol, or an error that says why. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const auto request =
      session::parse_client_request(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!request) {
    if (request.error().message.empty()) std::abort();
    return 0;
  }
  if (const auto* ask = std::get_if<session::AskRequest>(&*request); ask != nullptr && ask->count == 0)
    std::abort();
  const auto* tell = std::get_if<session::TellRequest>(&*request);
  if (tell == nullptr) return 0;
  for (const session::ClientResult& result : tell->results) {
    const bool timed = !result.measurement.samples_seconds.empty();
    if (result.trial < 0 || timed != result.measurement.valid()) std::abort();
  }
  return 0;
}
