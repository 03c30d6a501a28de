#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/measure/worker/wire.h"

namespace kernelscape::measure {

/**
 * Number of the field that takes the place of data that was cut out of a tensor or an attribute of a model: a
 * varint, the position of the data in the list of cut data. ONNX has no field of this number.
 */
inline constexpr std::uint32_t cut_data_field = 15'000;

/** Where the elements of a value come from. */
enum class ModelData : std::uint8_t {
  Computed,  ///< the value is no constant
  Bytes,     ///< the message has them
  Repeated,  ///< the message has one element, which all are equal to
  Cut,       ///< they were cut out of the model's file
  External,  ///< they are in another file
};
template <>
inline constexpr std::uint64_t wire_enumerators<ModelData> = 5;

/** A tensor of a model's graph. */
struct ModelValue {
  std::string name{};
  std::uint8_t type = 0;  ///< number of a graph::ElementType
  std::vector<std::int64_t> shape{};
  ModelData data = ModelData::Computed;
  std::string bytes{};       ///< Bytes: all elements, Repeated: one; External: the location of the file
  std::uint64_t number = 0;  ///< Cut: position in the list of cut data; External: offset in the file
  std::int64_t length = -1;  ///< External: number of bytes; -1: the model does not say
};

/** An attribute of a node: exactly one member has a value. */
struct ModelAttribute {
  std::string name{};
  std::optional<std::int64_t> integer{};
  std::optional<double> number{};
  std::optional<std::string> text{};
  std::optional<std::vector<std::int64_t>> integers{};
  std::optional<std::vector<double>> numbers{};
  std::optional<std::vector<std::string>> texts{};
};

/** A node of a model's graph. Operands are positions in the list of values; -1: an absent one. */
struct ModelNode {
  std::string name{};
  std::string operation{};
  std::vector<std::int64_t> inputs{};
  std::vector<std::int64_t> outputs{};
  std::vector<ModelAttribute> attributes{};
};

/** A model's graph in the form of graph::Graph, with nodes in a valid order of execution. */
struct ModelGraph {
  std::vector<ModelValue> values{};
  std::vector<ModelNode> nodes{};
  std::vector<std::int64_t> inputs{};   ///< positions in the list of values
  std::vector<std::int64_t> outputs{};  ///< positions in the list of values
};

template <>
struct WireMembers<ModelValue> {
  using M = ModelValue;
  static constexpr auto value =
      std::tuple{&M::name, &M::type, &M::shape, &M::data, &M::bytes, &M::number, &M::length};
};
template <>
struct WireMembers<ModelAttribute> {
  using M = ModelAttribute;
  static constexpr auto value =
      std::tuple{&M::name, &M::integer, &M::number, &M::text, &M::integers, &M::numbers, &M::texts};
};
template <>
struct WireMembers<ModelNode> {
  using M = ModelNode;
  static constexpr auto value = std::tuple{&M::name, &M::operation, &M::inputs, &M::outputs, &M::attributes};
};
template <>
struct WireMembers<ModelGraph> {
  using M = ModelGraph;
  static constexpr auto value = std::tuple{&M::values, &M::nodes, &M::inputs, &M::outputs};
};

}  // namespace kernelscape::measure
