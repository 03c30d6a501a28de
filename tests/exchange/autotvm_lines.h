#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/task/task.h"
#include "tests/exchange/named_format.h"

// Lines of AutoTVM's logs, real ones and made up.
namespace kernelscape::exchange_tests {

// As AutoTVM wrote them for a Titan X.
inline const std::string titanx_input =
    R"(["cuda -model=titanx", "conv2d_nchw.cuda", [["TENSOR", [1, 2048, 8, 8], "float32"], )"
    R"(["TENSOR", [192, 2048, 1, 1], "float32"], [1, 1], [0, 0, 0, 0], [1, 1], "float32"], {}])";
inline const std::string titanx_line =
    R"({"input": )" + titanx_input +
    R"(, "config": {"index": 8797896, "code_hash": null, "entity": [["tile_f", "sp", [6, 1, 32, 1]], )"
    R"(["tile_y", "sp", [4, 1, 2, 1]], ["tile_x", "sp", [1, 1, 8, 1]], ["tile_rc", "sp", [64, 32]], )"
    R"(["tile_rx", "sp", [1, 1]], ["tile_ry", "sp", [1, 1]], ["auto_unroll_max_step", "ot", 1500], )"
    R"(["unroll_explicit", "ot", 1]]}, "result": [[5.69732536806342e-05], 0, 14.116215467453003, )"
    R"(1535423916.7184713], "version": 0.2, "tvm_version": "0.7.dev0"})";
// Reorders and annotations, from a CPU template of TVM's tutorials.
inline const std::string annotated_line =
    R"({"input": ["llvm -mcpu=core-avx2", "my_conv", [["TENSOR", [1, 64, 112, 112], "float32"]], {}], )"
    R"("config": {"index": 12, "code_hash": null, "entity": [["tile_co", "sp", [16, 4]], ["tile_oh", "sp", )"
    R"([112, 1]], ["tile_ow", "sp", [28, 4]], ["reorder_0", "re", [0, 1, 2, 3, 4, 5, 6, 9, 7, 8]], )"
    R"(["order", "re", [2, 0, 1]], ["ann_reduce", "an", ["none", "unroll"]], ["ann_spatial", "an", )"
    R"(["unroll", "none", "vec"]]]}, "result": [[0.0202839052], 0, 1.0239202976226807, 1535933156.928128], )"
    R"("version": 0.2, "tvm_version": "0.7.dev0"})";

/** Reads a text as a log of AutoTVM. */
inline Result<exchange::ImportedFile> read(const std::string& text) {
  exchange::ImportText file("log.json", text);
  return read_as("autotvm", file);
}

/** The same; throws where it cannot be read. */
inline exchange::ImportedFile must_read(const std::string& text) {
  Result<exchange::ImportedFile> file = read(text);
  if (!file) throw std::runtime_error(describe(file.error()));
  return std::move(*file);
}

/** The task that a part of a log is of. */
inline task::Task task_of(const exchange::ImportedTrials& part) {
  return task::task_from_json(part.header.task_json).value();
}

/** A configuration as logs write it. */
inline nlohmann::json entity_of(const space::SearchSpace& space, const space::Configuration& configuration) {
  nlohmann::json entities = nlohmann::json::array();
  for (std::size_t i = 0; i < space.knobs().size(); ++i) {
    const space::Knob& knob = space.knobs()[i];
    const std::uint32_t index = configuration.indices[i];
    if (knob.kind() == space::KnobKind::Factorization) {
      const space::KnobRow row = knob.row(index);
      std::vector<std::int64_t> factors(row.begin(), row.end());
      if (index % 2 == 1) factors[0] = -1;  // as TVM writes it since 0.6
      entities.push_back({knob.name(), "sp", factors});
    } else {
      nlohmann::json value;
      std::visit([&](const auto& held) { value = held; }, knob.value(index));
      entities.push_back({knob.name(), "ot", value});
    }
  }
  return entities;
}

/** A line with what the test says and a made-up time. */
inline nlohmann::json line_of(const std::string& target, const std::string& task, const nlohmann::json& args,
                              const nlohmann::json& index, const nlohmann::json& entities,
                              const nlohmann::json& result) {
  return {{"input", {target, task, args, nlohmann::json::object()}},
          {"config", {{"index", index}, {"code_hash", nullptr}, {"entity", entities}}},
          {"result", result},
          {"version", 0.2},
          {"tvm_version", "0.10.0"}};
}

/** Arguments of a convolution on GPUs, of these shapes. */
inline nlohmann::json conv_args(const nlohmann::json& data, const nlohmann::json& weight) {
  return {
      {"TENSOR", data, "float32"}, {"TENSOR", weight, "float32"}, {1, 1}, {1, 1, 1, 1}, {1, 1}, "float32"};
}

/** The same on processors. */
inline nlohmann::json x86_args(const nlohmann::json& data, const nlohmann::json& weight) {
  return {{"TENSOR", data, "float32"},
          {"TENSOR", weight, "float32"},
          {1, 1},
          {1, 1, 1, 1},
          {1, 1},
          "NCHW",
          "NCHW",
          "float32"};
}

/** Of one sample. @param cost its seconds. @param at when, in seconds of Unix time */
inline nlohmann::json good_result(double cost = 0.5, double at = 1e9) { return {{cost}, 0, 1.5, at}; }

/** The one line of a one-knob task that no other line has, with another result. */
inline std::string small_line(const nlohmann::json& result) {
  return line_of("cuda", "mine", nlohmann::json::array({1}), 0, {{"a", "ot", 1}}, result).dump();
}

/** Whether an error says this. */
inline bool mentions(const Error& error, const std::string& text) { return describe(error).contains(text); }

}  // namespace kernelscape::exchange_tests
