#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/fleet/device_class.h"
#include "core/fleet/messages.h"
#include "core/fleet/redis_address.h"
#include "core/fleet/signature.h"
#include "core/fleet/worker_registry.h"

using namespace kernelscape;

namespace {

/** As if who wrote it had the key: what is behind the signature is read, too. */
template <typename Message>
void check_message(std::string_view purpose, std::string_view body) {
  const std::string key = "key";
  const auto message =
      fleet::verify<Message>(body, fleet::hmac_sha256(fleet::hmac_sha256(key, purpose), body), key);
  if (message && fleet::sign(*message, key).body != body) __builtin_trap();
  if (fleet::verify<Message>(body, "not a signature", key)) __builtin_trap();
}

}  // namespace

/** Hostile bytes as all that a fleet's members read of each other, and what users name. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_message<fleet::Task>("task", text);
  check_message<fleet::Answer>("answer", text);
  (void)fleet::only_frame(text);
  if (const auto address = fleet::parse_redis_address(text))
    if (fleet::parse_redis_address(address->text()) != address) __builtin_trap();
  if (const auto identity = fleet::identity_from_json(text))
    if (fleet::identity_to_json(*fleet::identity_from_json(fleet::identity_to_json(*identity))) !=
        fleet::identity_to_json(*identity))
      __builtin_trap();
  (void)fleet::native_flags_in(text);
  return 0;
}
