#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/graph/file_identity.h"
#include "core/task/epilogue.h"

namespace kernelscape::graph {

/** Types of a model's tensors. */
enum class ElementType : std::uint8_t { F32, F64, F16, BF16, I8, U8, I16, U16, I32, U32, I64, U64, Bool };

/** Returns the name of a type: "f32", "i64", "bool", ... */
std::string to_string(ElementType type);
/** Returns the bytes of one element in memory; a Bool takes one. */
std::int64_t bytes_of(ElementType type);

using Shape = std::vector<std::int64_t>;

/** The most elements that all tensors of a graph may have together. */
inline constexpr std::int64_t count_limit = std::int64_t{1} << 40;

/** Returns the product of the extents; 1 for a scalar. */
std::int64_t element_count(const Shape& shape);

/** A part of a file that holds a tensor's elements, little-endian and in row-major order. */
struct FileRange {
  std::filesystem::path file;
  std::uint64_t offset = 0;
  std::uint64_t byte_count = 0;
  /// the file as it was checked; the path has no links then, and another file in its place is refused
  std::optional<FileIdentity> identity = std::nullopt;

  bool operator==(const FileRange&) const = default;
};

/** The elements of a constant: in memory and shared by all copies of a graph, or still in a file. */
using ConstantData = std::variant<std::shared_ptr<const std::vector<std::byte>>, FileRange>;

/** A tensor of a graph. Every shape is known. */
struct Value {
  std::string name;  ///< unique in the graph; the model's name, which may contain any character
  ElementType type = ElementType::F32;
  Shape shape;
  bool constant = false;
  ConstantData data = std::shared_ptr<const std::vector<std::byte>>{};  ///< of a constant
};

/** An attribute of a node. Tensors are inputs, never attributes. */
using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, std::vector<std::string>>;

/** Number of an absent optional input or output. */
inline constexpr std::size_t absent = static_cast<std::size_t>(-1);

/**
 * An operator with its operands, in the form of ONNX's operator set 17: whatever another operator set writes
 * otherwise (axes as an attribute, say) has been converted. Attributes that the model leaves out are absent
 * and have ONNX's defaults.
 */
struct Node {
  std::string name;       ///< the model's name of the node, or one made from its operator and position
  std::string operation;  ///< ONNX's name: "Conv", "Gemm", "Relu", ...; of domain ai.onnx unless it has a dot
  std::vector<std::size_t> inputs;   ///< numbers of values, or `absent`
  std::vector<std::size_t> outputs;  ///< numbers of values, or `absent`
  std::map<std::string, Attribute> attributes;
  /// steps that are applied in their order to each element of the only output after the operator itself; the
  /// operands of steps that have one are the last inputs, in the steps' order
  std::vector<task::EpilogueStep> epilogue;

  /** Returns the number of inputs of the operator itself, without those of the epilogue. */
  std::size_t own_input_count() const;
};

/** A model as data: nodes in an order in which each follows the nodes whose results it reads. */
struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<std::size_t> inputs;   ///< values that a caller passes, in the model's order; never constants
  std::vector<std::size_t> outputs;  ///< values that a caller receives, in the model's order
  std::vector<std::string> notices;  ///< assumptions of the program that read the model

  /** Returns the number of a value that is added to the graph. */
  std::size_t add(Value value);
  /** Returns the number of a new constant. @param bytes its elements; as many as type and shape need */
  std::size_t add_constant(std::string constant_name, ElementType type, Shape shape,
                           std::vector<std::byte> bytes);
};

/**
 * Returns the number of elements of a value. InvalidArgument if an extent is negative, or if there are more
 * than count_limit, where extents of 0 count as 1.
 */
Result<std::int64_t> checked_element_count(const Value& value);

/**
 * Checks that numbers lie in their ranges, names are unique, each value has one producer at most, nodes are
 * in order, constants have as many bytes as their shape, and the whole has no more than count_limit elements.
 * InvalidArgument names the node or value.
 */
Status validate(const Graph& graph);

/**
 * Returns the elements of a constant, read from its file if they are not in memory. Errors name the value
 * and the file: a file that changed, or that cannot be read.
 */
Result<std::shared_ptr<const std::vector<std::byte>>> constant_bytes(const Value& value);

/** Returns the elements of a constant as doubles; a Bool is 0 or 1. Errors as constant_bytes(). */
Result<std::vector<double>> constant_doubles(const Value& value);
/** Returns the elements of an integer or Bool constant. InvalidArgument for other types. */
Result<std::vector<std::int64_t>> constant_integers(const Value& value);

/** Returns an attribute's integer, or `otherwise` if the node has none of that name and type. */
std::int64_t integer_attribute(const Node& node, std::string_view name, std::int64_t otherwise);
/** Returns an attribute's number, or `otherwise` if the node has none of that name and type. */
double number_attribute(const Node& node, std::string_view name, double otherwise);
/** Returns an attribute's text, or `otherwise` if the node has none of that name and type. */
std::string text_attribute(const Node& node, std::string_view name, std::string otherwise);
/** Returns an attribute's integers, or `otherwise` if the node has none of that name and type. */
std::vector<std::int64_t> integers_attribute(const Node& node, std::string_view name,
                                             std::vector<std::int64_t> otherwise);

}  // namespace kernelscape::graph
