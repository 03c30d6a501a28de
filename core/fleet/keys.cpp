#include "core/fleet/keys.h"

#include <fmt/format.h>

#include "core/fleet/messages.h"

namespace kernelscape::fleet::keys {
namespace {

std::string key(std::string_view kind, const std::string& name) {
  return fmt::format("{}{}:{}", prefix, kind, name);
}

}  // namespace

std::string build_stream(const std::string& tool_chain) {
  return fmt::format("{}build:{}:{}", prefix, fleet::fleet_protocol, tool_chain);
}
std::string run_stream(const std::string& device_class) {
  return fmt::format("{}run:{}:{}", prefix, fleet::fleet_protocol, device_class);
}
std::string results(const std::string& controller) { return key("results", controller); }
std::string controller(const std::string& controller) { return key("controller", controller); }
std::string blob(const std::string& sha256) { return key("blob", sha256); }
std::string nonce(const std::string& nonce) { return key("nonce", nonce); }
std::string worker(const std::string& worker) { return key("worker", worker); }
std::string reference(const std::string& device_class) { return key("reference", device_class); }

}  // namespace kernelscape::fleet::keys
