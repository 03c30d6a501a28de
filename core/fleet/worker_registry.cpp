#include "core/fleet/worker_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/fleet/device_class.h"
#include "core/fleet/keys.h"

namespace kernelscape::fleet {
namespace {

using nlohmann::json;

json class_object(const DeviceClass& device) {
  return {{"id", device.id},
          {"target", schedule::target_to_json(device.target)},
          {"hardware", device.hardware},
          {"tool_chain", device.tool_chain},
          {"native_flags", device.native_flags}};
}

Result<DeviceClass> class_of(const json& object) {
  DeviceClass device;
  device.id = object.value("id", "");
  device.target = TRY(schedule::target_from_json(object.value("target", "")));
  device.hardware = object.value("hardware", std::vector<std::string>());
  device.tool_chain = object.value("tool_chain", "");
  device.native_flags = object.value("native_flags", std::vector<std::string>());
  // Identities are not signed, and these options are passed to builders in signed tasks.
  if (!std::ranges::all_of(device.native_flags, is_native_flag))
    return fail(ErrorCode::Corrupt, "the options that a worker reports for -march=native are invalid");
  return device;
}

Result<WorkerIdentity> identity_of(const json& object) {
  WorkerIdentity identity;
  identity.id = object.value("id", "");
  identity.host = object.value("host", "");
  identity.process_id = object.value("process_id", std::int64_t{0});
  identity.protocol = object.value("protocol", std::int64_t{0});
  identity.program_version = object.value("program_version", "");
  identity.builders = object.value("builders", 0);
  identity.tool_chains = object.value("tool_chains", std::vector<std::string>());
  identity.reference_seconds = object.value("reference_seconds", 0.0);
  for (const json& device : object.value("devices", json::array()))
    identity.devices.push_back(TRY(class_of(device)));
  return identity;
}

double number_in(const std::vector<RedisValue>& fields, std::string_view name) {
  return std::strtod(std::string(value_after(fields, name)).c_str(), nullptr);
}

std::int64_t count_in(const std::vector<RedisValue>& fields, std::string_view name) {
  return std::strtoll(std::string(value_after(fields, name)).c_str(), nullptr, 10);
}

WorkerState state_of(const std::string& id, const RedisValue& hash, double now_seconds,
                     double silence_seconds) {
  const std::vector<RedisValue>& fields = hash.items;
  WorkerState worker;
  auto identity = identity_from_json(value_after(fields, "identity"));
  if (identity) worker.identity = std::move(*identity);
  worker.identity.id = id;
  worker.state = value_after(fields, "state");
  worker.load = number_in(fields, "load");
  worker.done = count_in(fields, "done");
  worker.deliveries = count_in(fields, "deliveries");
  worker.temperature_celsius = count_in(fields, "temperature");
  worker.message = value_after(fields, "message");
  worker.seen_seconds = std::max(0.0, now_seconds - number_in(fields, "seen"));
  if (worker.state != "left" && worker.seen_seconds > silence_seconds) {
    worker.state = "left";
    worker.message = fmt::format("no heartbeat for {:.0f} s", worker.seen_seconds);
  }
  return worker;
}

}  // namespace

std::string identity_to_json(const WorkerIdentity& identity) {
  json devices = json::array();
  for (const DeviceClass& device : identity.devices) devices.push_back(class_object(device));
  const json object{{"id", identity.id},
                    {"host", identity.host},
                    {"process_id", identity.process_id},
                    {"protocol", identity.protocol},
                    {"program_version", identity.program_version},
                    {"builders", identity.builders},
                    {"tool_chains", identity.tool_chains},
                    {"devices", devices},
                    {"reference_seconds", identity.reference_seconds}};
  return object.dump(-1, ' ', true, json::error_handler_t::replace);
}

Result<WorkerIdentity> identity_from_json(std::string_view text) {
  constexpr const char* damaged = "the registration of a worker is damaged";
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return fail(ErrorCode::Corrupt, damaged);
  try {
    return identity_of(object);
  } catch (const json::exception&) {
    return fail(ErrorCode::Corrupt, damaged);
  }
}

Result<std::vector<WorkerState>> list_workers(RedisConnection& connection, double silence_seconds) {
  const RedisValue ids = TRY(connection.call({"SMEMBERS", keys::workers}));
  const RedisValue time = TRY(connection.call({"TIME"}));
  const double now = time.items.size() < 2 ? 0
                                           : std::strtod(time.items[0].text.c_str(), nullptr) +
                                                 1e-6 * std::strtod(time.items[1].text.c_str(), nullptr);
  std::vector<std::vector<std::string>> questions;
  for (const RedisValue& id : ids.items) questions.push_back({"HGETALL", keys::worker(id.text)});
  std::vector<WorkerState> workers;
  if (questions.empty()) return workers;
  const std::vector<RedisValue> hashes = TRY(connection.ask_all(questions));
  std::vector<std::vector<std::string>> long_gone;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (hashes[i].kind == RedisValue::Kind::List && hashes[i].items.empty()) {
      long_gone.push_back({"SREM", keys::workers, ids.items[i].text});
      continue;
    }
    workers.push_back(state_of(ids.items[i].text, hashes[i], now, silence_seconds));
  }
  if (!long_gone.empty()) std::ignore = TRY(connection.ask_all(long_gone));
  std::ranges::sort(workers, {}, [](const WorkerState& worker) { return worker.identity.id; });
  return workers;
}

Status ask_to_drain(RedisConnection& connection, const std::string& worker) {
  const RedisValue known = TRY(connection.call({"EXISTS", keys::worker(worker)}));
  if (known.integer == 0) {
    return fail(ErrorCode::NotFound, fmt::format("the fleet has no worker {}", worker),
                "`kernelscape fleet status` lists them");
  }
  std::ignore = TRY(connection.call({"HSET", keys::worker(worker), "drain", "1"}));
  return {};
}

}  // namespace kernelscape::fleet
