#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/random.h"

// Files of other tuners' formats, of entries that a test can break one by one.
namespace kernelscape::exchange_tests {

/** Stands in JSON for what Python writes there, and JSON cannot. */
inline const std::vector<std::string> python_words{"NaN", "Infinity", "-Infinity", "None"};

/** The text of a value, with Python's words where "@NaN" and its like stand. */
inline std::string python_text(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const std::string& word : python_words) {
    const std::string quoted = "\"@" + word + "\"";
    for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at))
      text.replace(at, quoted.size(), word);
  }
  return text;
}

/** How entries become a file. Entry i has the time (i + 1) * 1.5 ms. */
struct EntryFormat {
  std::string name;
  nlohmann::json (*entry)(int number);
  std::string (*file)(const std::vector<std::string>& entries);
  bool lines = false;  ///< entries are lines: a torn one is an entry that cannot be read
};

inline double entry_milliseconds(int number) { return (number + 1) * 1.5; }
inline double entry_seconds(int number) { return entry_milliseconds(number) / 1e3; }

inline std::string joined(const std::vector<std::string>& parts, const std::string& divider) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : divider) + part;
  return text;
}

inline nlohmann::json kernel_tuner_entry(int number) {
  return {{"x", number},
          {"mode", number % 2 == 0 ? "fast" : "slow"},
          {"time", entry_milliseconds(number)},
          {"times", {entry_milliseconds(number), entry_milliseconds(number) * 1.01}},
          {"compile_time", 100.0},
          {"verification_time", 0},
          {"benchmark_time", 20.0},
          {"GFLOP/s", 12.5},
          {"timestamp", fmt::format("2026-05-01 10:00:{:02}+00:00", number)}};
}

/** Keys are made of the numbers, so that a broken entry keeps its own. */
inline std::string kernel_tuner_file(const std::vector<std::string>& entries) {
  std::vector<std::string> values;
  std::vector<std::string> members;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    values.push_back(fmt::format("{}", i));
    members.push_back(fmt::format("\"{},{}\": {}", i, i % 2 == 0 ? "fast" : "slow", entries[i]));
  }
  return fmt::format(
      R"({{"device_name": "GPU", "kernel_name": "k", "problem_size": 1000, "tune_params_keys": ["x", "mode"], )"
      R"("tune_params": {{"x": [{}], "mode": ["fast", "slow"]}}, "objective": "time", "cache": {{{}}}}})",
      joined(values, ", "), joined(members, ",\n"));
}

inline nlohmann::json t4_entry(int number) {
  return {{"timestamp", fmt::format("2026-05-01T10:00:{:02}Z", number)},
          {"configuration", {{"x", number}, {"mode", "fast"}}},
          {"times", {{"compilation_time", 10}, {"framework", 1}, {"runtimes", {entry_milliseconds(number)}}}},
          {"invalidity", "correct"},
          {"correctness", 1},
          {"objectives", {"time"}},
          {"measurements",
           {{{"name", "time"}, {"value", entry_milliseconds(number)}, {"unit", "ms"}},
            {{"name", "energy"}, {"value", 3.5}, {"unit", "J"}}}}};
}

inline nlohmann::json ktt_entry(int number) {
  const double time = entry_milliseconds(number);
  return {{"KernelName", "gemm"},
          {"Status", "Ok"},
          {"Configuration",
           {{{"Name", "x"}, {"Value", number}, {"ValueType", "Int"}},
            {{"Name", "mode"}, {"Value", "fast"}, {"ValueType", "String"}}}},
          {"ComputationResults",
           {{{"KernelFunction", "a"},
             {"Duration", time},
             {"Overhead", 3.0},
             {"CompilationData", {{"RegistersCount", 32}}}}}},
          {"TotalDuration", time},
          {"TotalOverhead", 9.0},
          {"DataMovementOverhead", 0.5}};
}

inline nlohmann::json autotvm_entry(int number) {
  return {{"input", {"cuda", "mine", {{"TENSOR", {1, 64}, "float32"}}, nlohmann::json::object()}},
          {"config",
           {{"index", number},
            {"code_hash", nullptr},
            {"entity", {{"x", "ot", number}, {"tile", "sp", {-1, 4}}, {"order", "re", {1, 0}}}}}},
          {"result", {{entry_seconds(number)}, 0, 1.5, 1.6e9 + number}},
          {"version", 0.2},
          {"tvm_version", "0.10.0"}};
}

inline nlohmann::json ansor_entry(int number) {
  return {
      {"i",
       {{"[\"matmul\", 64, 64]", "cuda"},
        {nlohmann::json::array(),
         {{"SP", 2, 0, 64, {number + 1, 1}, 1}, {"AN", 2, 1, 6}, {"PR", 4, 0, "auto_unroll_max_step$16"}}}}},
      {"r", {{entry_seconds(number)}, 0, 1.5, 1600000000 + number}},
      {"v", "v0.6"}};
}

inline nlohmann::json metaschedule_entry(int number) {
  const nlohmann::json get = {"GetBlock", nlohmann::json::array(), {"matmul", "main"}, {"b0"}};
  const nlohmann::json loops = {"GetLoops", {"b0"}, nlohmann::json::array(), {"l1", "l2"}};
  const nlohmann::json tile = {"SamplePerfectTile", {"l1"}, {2, 16}, {"v3", "v4"}};
  return {0,
          {{{get, loops, tile}, {{2, {number + 1, 4}}}},
           {entry_seconds(number)},
           {{"kind", "cuda"}},
           {{"TENSOR", "float32", {64, 64}}}}};
}

inline nlohmann::json triton_entry(int number) {
  return {{{"kwargs", {{"x", number}, {"EVEN", true}}}, {"num_warps", 4}, {"num_stages", 2}},
          {entry_milliseconds(number), entry_milliseconds(number), entry_milliseconds(number)}};
}

inline const std::vector<EntryFormat>& entry_formats() {
  static const std::vector<EntryFormat> formats{
      {"kernel-tuner", kernel_tuner_entry, kernel_tuner_file},
      {"t4", t4_entry,
       [](const std::vector<std::string>& entries) {
         return R"({"metadata": {"timeunit": "milliseconds"}, "results": [)" + joined(entries, ",\n") + "]}";
       }},
      {"ktt", ktt_entry,
       [](const std::vector<std::string>& entries) {
         return R"({"Metadata": {"TimeUnit": "Milliseconds", "ComputeApi": "CUDA"}, "Results": [)" +
                joined(entries, ",\n") + "]}";
       }},
      {"triton", triton_entry,
       [](const std::vector<std::string>& entries) {
         return R"({"key": [64], "configs_timings": [)" + joined(entries, ",\n") + "]}";
       }},
      {"autotvm", autotvm_entry, [](const std::vector<std::string>& lines) { return joined(lines, "\n"); },
       true},
      {"ansor", ansor_entry, [](const std::vector<std::string>& lines) { return joined(lines, "\n"); }, true},
      {"metaschedule", metaschedule_entry,
       [](const std::vector<std::string>& lines) { return joined(lines, "\n"); }, true}};
  return formats;
}

inline nlohmann::json broken_value(base::Random& random) {
  const std::vector<nlohmann::json> values{nullptr,
                                           0,
                                           -1,
                                           1e300,
                                           1e-300,
                                           3e8,
                                           INT64_MAX,
                                           INT64_MIN,
                                           UINT64_MAX,
                                           1.5,
                                           true,
                                           "",
                                           "text",
                                           "\x1b[2J",
                                           std::string(70'000, 'x'),
                                           "@NaN",
                                           "@Infinity",
                                           "@-Infinity",
                                           "@None",
                                           nlohmann::json::array(),
                                           nlohmann::json::object(),
                                           {1, "two", nullptr},
                                           {{"a", {{"b", 3}}}}};
  return values[random.below(values.size())];
}

/** Changes, removes, renames or repeats one value of an entry, at any depth. */
inline void break_value(base::Random& random, nlohmann::json& entry) {
  nlohmann::json* place = &entry;
  while (place->is_structured() && !place->empty() && random.chance(place == &entry ? 0.97 : 0.8)) {
    auto member = place->begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random.below(place->size())));
    if (random.chance(0.1)) {
      place->erase(member);
      return;
    }
    if (place->is_object() && random.chance(0.05)) {
      const std::vector<std::string> names{"", "other", "x\x07", std::string(2000, 'n')};
      nlohmann::json value = *member;
      place->erase(member);
      (*place)[names[random.below(names.size())]] = std::move(value);
      return;
    }
    if (place->is_array() && random.chance(0.05)) {
      place->push_back(nlohmann::json(*member));
      return;
    }
    place = &*member;
  }
  *place = broken_value(random);
}

/** The text of an entry that may be no entry any more. */
inline std::string broken_entry(base::Random& random, const EntryFormat& format, nlohmann::json entry) {
  if (format.lines && random.chance(0.2)) {
    const std::string whole = entry.dump();
    return random.chance(0.5) ? whole.substr(0, 1 + random.below(whole.size() - 1)) : "}]" + whole;
  }
  if (entry.is_object() && random.chance(0.1)) {
    const std::string text = entry.dump();
    return "{\"" + entry.begin().key() + "\": 3, " + text.substr(1);
  }
  for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) break_value(random, entry);
  return python_text(entry);
}

}  // namespace kernelscape::exchange_tests
