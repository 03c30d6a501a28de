#include "core/fleet/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/base/text.h"
#include "core/fleet/keys.h"
#include "core/fleet/messages.h"

namespace kernelscape::fleet {
namespace {

std::int64_t number_after(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  return at == std::string_view::npos
             ? 0
             : std::strtoll(std::string(text.substr(at + name.size(), 24)).c_str(), nullptr, 10);
}

/** Returns the streams from which the workers take tasks. */
std::vector<Queue> queues_of(const std::vector<WorkerState>& workers) {
  std::set<std::pair<std::string, bool>> names;
  for (const WorkerState& worker : workers) {
    if (worker.state == "left") continue;
    for (const DeviceClass& device : worker.identity.devices) names.emplace(device.id, false);
    if (worker.identity.builders == 0) continue;
    for (const std::string& tools : worker.identity.tool_chains) names.emplace(tools, true);
  }
  std::vector<Queue> queues;
  for (const auto& [name, builds] : names) queues.push_back({.name = name, .builds = builds});
  return queues;
}

Status count_tasks(RedisConnection& connection, std::vector<Queue>& queues) {
  std::vector<std::vector<std::string>> questions;
  for (const Queue& queue : queues) {
    const std::string stream = queue.builds ? keys::build_stream(queue.name) : keys::run_stream(queue.name);
    questions.push_back({"XLEN", stream});
    questions.push_back({"XPENDING", stream, keys::group});
  }
  if (questions.empty()) return {};
  const std::vector<RedisValue> answers = TRY(connection.ask_all(questions));
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const RedisValue& pending = answers[2 * i + 1];
    if (!pending.items.empty()) queues[i].in_hand = pending.items.front().integer;
    queues[i].waiting = std::max<std::int64_t>(0, answers[2 * i].integer - queues[i].in_hand);
  }
  return {};
}

Result<std::vector<DeadLetter>> read_dead(RedisConnection& connection) {
  const RedisValue answer = TRY(connection.call({"XREVRANGE", keys::dead, "+", "-", "COUNT", "100"}));
  std::vector<DeadLetter> dead;
  for (const RedisValue& item : answer.items) {
    const StreamEntry entry = stream_entry(item);
    dead.push_back({.task = std::string(entry.field("task")),
                    .worker = std::string(entry.field("worker")),
                    .reason = std::string(entry.field("reason")),
                    .seconds = std::strtoll(entry.id.c_str(), nullptr, 10) / 1000});
  }
  return dead;
}

}  // namespace

std::vector<std::string> State::classes() const {
  std::set<std::string> names;
  for (const WorkerState& worker : workers)
    for (const DeviceClass& device : worker.identity.devices) names.insert(device.id);
  return {names.begin(), names.end()};
}

Result<State> read_fleet_state(RedisConnection& connection, const QueueTimes& times) {
  State state;
  state.address = connection.address().text();
  state.workers = TRY(list_workers(connection, silent_leases * times.lease_seconds));
  state.queues = queues_of(state.workers);
  TRY(count_tasks(connection, state.queues));
  state.dead = TRY(read_dead(connection));
  // The user may lack the permission for this command.
  const RedisValue memory = TRY(connection.ask({"INFO", "memory"}));
  state.used_bytes = number_after(memory.text, "used_memory:");
  state.max_bytes = number_after(memory.text, "maxmemory:");
  return state;
}

std::vector<std::string> notices_of(const State& state, const DeviceClass& device) {
  std::vector<std::string> notices;
  bool builds = false;
  std::set<std::string> other_tools;
  for (const WorkerState& worker : state.workers) {
    if (!worker.serves()) continue;
    const WorkerIdentity& identity = worker.identity;
    if (identity.protocol != fleet_protocol) {
      notices.push_back(
          fmt::format("worker {} uses version {} of the protocol and this program version {}: it gets no "
                      "tasks; install the same kernelscape there",
                      identity.id, identity.protocol, fleet_protocol));
      continue;
    }
    if (identity.builders > 0) {
      const bool fits =
          std::ranges::find(identity.tool_chains, device.tool_chain) != identity.tool_chains.end();
      builds = builds || fits;
      if (!fits) other_tools.insert(identity.tool_chains.begin(), identity.tool_chains.end());
    }
    const bool set_apart = !identity.devices.empty() && identity.devices.front().id != device.id &&
                           identity.devices.front().id.starts_with(device.id + "~");
    if (set_apart)
      notices.push_back(
          fmt::format("worker {} does not belong to this class: {}", identity.id, worker.message));
  }
  if (!builds) {
    const std::vector<std::string> others(other_tools.begin(), other_tools.end());
    notices.push_back(fmt::format(
        "no builder of the fleet has the tool chain {}{}: kernels wait for one", device.tool_chain,
        others.empty() ? "" : fmt::format(", they have {}", base::join(others, ", "))));
  }
  return notices;
}

}  // namespace kernelscape::fleet
