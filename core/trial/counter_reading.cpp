#include "core/trial/counter_reading.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace kernelscape::trial {
namespace {

using nlohmann::json;

constexpr double max_of_any_counter = 1e24;

using CountedMember = std::optional<double> CounterReading::*;
constexpr auto counted_members = std::to_array<std::pair<const char*, CountedMember>>({
    {"cycles", &CounterReading::cycles},
    {"instructions", &CounterReading::instructions},
    {"l1_misses", &CounterReading::l1_misses},
    {"l2_misses", &CounterReading::l2_misses},
    {"llc_misses", &CounterReading::llc_misses},
    {"tlb_misses", &CounterReading::tlb_misses},
    {"stalled_cycles", &CounterReading::stalled_cycles},
    {"task_clock_seconds", &CounterReading::task_clock_seconds},
    {"context_switches", &CounterReading::context_switches},
});

std::unexpected<Error> damaged_counters() {
  return fail(ErrorCode::Corrupt, "a trial's stored counters are damaged",
              "count the events of the trial again");
}

bool countable(const json& value) {
  return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= max_of_any_counter;
}

std::string counter_text(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

json samples_json(const CodeSamples& samples) {
  json instructions = json::array();
  for (const InstructionSamples& at : samples.instructions)
    instructions.push_back({at.instruction, at.source_line, at.samples});
  return {{"event", samples.event},
          {"instruction_count", samples.instruction_count},
          {"instructions", std::move(instructions)},
          {"outside", samples.outside},
          {"lost", samples.lost},
          {"code_hash", samples.code_hash}};
}

/** Returns a number of 0 to `most`, or nullopt. */
std::optional<std::int64_t> whole_of(const json& value, std::int64_t most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
    return std::nullopt;
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> whole_of(const json& object, const char* name, std::int64_t most) {
  const auto found = object.find(name);
  return found == object.end() ? std::nullopt : whole_of(*found, most);
}

/** Reads samples; nullopt if they are damaged: a kernel's process may have written anything. */
std::optional<CodeSamples> code_samples_of(const json& object) {
  constexpr std::int64_t max_samples = 1'000'000'000'000;
  constexpr std::int64_t max_lines = 100'000;
  const auto count = whole_of(object, "instruction_count", max_lines);
  const auto outside = whole_of(object, "outside", max_samples);
  const auto lost = whole_of(object, "lost", max_samples);
  const auto instructions = object.find("instructions");
  if (!count || !outside || !lost || instructions == object.end() || !instructions->is_array())
    return std::nullopt;
  CodeSamples samples{.event = counter_text(object, "event"),
                      .instruction_count = static_cast<std::int32_t>(*count),
                      .instructions = {},
                      .outside = *outside,
                      .lost = *lost,
                      .code_hash = counter_text(object, "code_hash")};
  std::int64_t total = *outside;
  for (const json& row : *instructions) {
    if (!row.is_array() || row.size() != 3) return std::nullopt;
    const auto instruction = whole_of(row[0], *count - 1);
    const auto line = whole_of(row[1], max_lines);
    const auto taken = whole_of(row[2], max_samples);
    if (*count == 0 || !instruction || !line || !taken) return std::nullopt;
    total += *taken;
    if (total > max_samples) return std::nullopt;
    if (!samples.instructions.empty() && *instruction <= samples.instructions.back().instruction)
      return std::nullopt;
    samples.instructions.push_back(
        {static_cast<std::int32_t>(*instruction), static_cast<std::int32_t>(*line), *taken});
  }
  return samples;
}

}  // namespace

std::int64_t CodeSamples::total() const {
  std::int64_t sum = outside;
  for (const InstructionSamples& at : instructions) sum += at.samples;
  return sum;
}

std::optional<double> CounterReading::hertz() const {
  if (!cycles || !task_clock_seconds || *task_clock_seconds <= 0) return std::nullopt;
  return *cycles / *task_clock_seconds;
}

std::optional<double> CounterReading::instructions_per_cycle() const {
  if (!cycles || !instructions || *cycles <= 0) return std::nullopt;
  return *instructions / *cycles;
}

std::string counter_reading_to_json(const CounterReading& reading) {
  json object = {{"seconds", reading.seconds},
                 {"calls", reading.calls},
                 {"counted_share", reading.counted_share},
                 {"threads", reading.threads}};
  for (const auto& [name, member] : counted_members)
    if (const std::optional<double>& value = reading.*member) object[name] = *value;
  json missing = json::array();
  for (const MissingCounter& counter : reading.missing)
    missing.push_back({{"name", counter.name}, {"reason", counter.reason}, {"hint", counter.hint}});
  object["missing"] = std::move(missing);
  if (reading.samples) object["samples"] = samples_json(*reading.samples);
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<CounterReading> counter_reading_from_json(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return damaged_counters();
  CounterReading reading;
  for (const auto& [name, member] : counted_members) {
    const auto found = object.find(name);
    if (found == object.end()) continue;
    if (!countable(*found)) return damaged_counters();
    reading.*member = found->get<double>();
  }
  for (const auto& [name, value] :
       {std::pair{"seconds", &reading.seconds}, std::pair{"calls", &reading.calls},
        std::pair{"counted_share", &reading.counted_share}}) {
    const auto found = object.find(name);
    if (found == object.end() || !countable(*found)) return damaged_counters();
    *value = found->get<double>();
  }
  if (const auto threads = object.find("threads");
      threads != object.end() && countable(*threads) && threads->get<double>() <= 1e6)
    reading.threads = static_cast<std::int32_t>(threads->get<double>());
  if (const auto missing = object.find("missing"); missing != object.end() && missing->is_array()) {
    for (const json& counter : *missing)
      if (counter.is_object())
        reading.missing.push_back(
            {counter_text(counter, "name"), counter_text(counter, "reason"), counter_text(counter, "hint")});
  }
  if (const auto samples = object.find("samples"); samples != object.end()) {
    reading.samples = code_samples_of(*samples);
    if (!reading.samples) return damaged_counters();
  }
  return reading;
}

}  // namespace kernelscape::trial
