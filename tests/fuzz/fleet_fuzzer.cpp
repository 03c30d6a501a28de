#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/fleet/device_class.h"
#include "core/fleet/fleet_messages.h"
#include "core/fleet/redis_address.h"
#include "core/fleet/signature.h"
#include "core/fleet/worker_registry.h"

using namespace kernelscape;

namespace {

/** As if who wrote it had the key: what is behind the signature is read, too. */
template <typename Message>
void check_message(std::string_view purpose, std::string_view body) {
  const std::string key = "key";
  const auto message = verify<Message>(body, hmac_sha256(hmac_sha256(key, purpose), body), key);
  if (message && sign(*message, key).body != body) __builtin_trap();
  if (verify<Message>(body, "not a signature", key)) __builtin_trap();
}

}  // namespace

/** Hostile bytes as all that a fleet's members read of each other, and what users name. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_message<FleetTask>("task", text);
  check_message<FleetAnswer>("answer", text);
  (void)only_frame(text);
  if (const auto address = parse_redis_address(text))
    if (parse_redis_address(address->text()) != address) __builtin_trap();
  if (const auto identity = identity_from_json(text))
    if (identity_to_json(*identity_from_json(identity_to_json(*identity))) != identity_to_json(*identity))
      __builtin_trap();
  (void)native_flags_in(text);
  return 0;
}
