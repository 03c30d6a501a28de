#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/worker/model_messages.h"

namespace kernelscape::onnx_reader {

/** The domain of ONNX Runtime's own operators. */
constexpr std::string_view microsoft_domain = "com.microsoft";

/**
 * Returns the name of a node for messages: its name, or its operator and its first output if it has no name.
 */
std::string node_text(const onnx::NodeProto& node);

/** Returns "Conv", "com.microsoft.FusedConv". */
std::string operator_text(const onnx::NodeProto& node);

/** Returns the node's attribute with this name, or nullptr. */
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name);
/** Returns the integer value of the node's attribute, or `otherwise` if the attribute is missing. */
std::int64_t whole_attribute(const onnx::NodeProto& node, std::string_view name, std::int64_t otherwise);

/** Adds an integer attribute to a node. */
void add_number(onnx::NodeProto& node, std::string_view name, std::int64_t value);
/** Adds an attribute of several integers to a node. */
void add_numbers(onnx::NodeProto& node, std::string_view name, const std::vector<std::int64_t>& values);
/** Adds a string attribute to a node. */
void add_text(onnx::NodeProto& node, std::string_view name, const std::string& value);

/**
 * Returns the names that a node reads: its inputs, and the names of the outer graph that the graphs in its
 * attributes read.
 */
std::vector<std::string> names_read(const onnx::NodeProto& node);

/** Parses a model. Returns InvalidArgument for invalid protobuf. */
Result<onnx::ModelProto> parse_model(std::string_view bytes);

/**
 * Sets the domain of ONNX's own operators to "", also in functions, and declares a version for every domain
 * that a node names. Returns InvalidArgument if the model does not declare the version of its operators.
 * @param notices receives a notice if the version is newer than the library
 */
Status settle_operator_sets(onnx::ModelProto& model, std::vector<std::string>& notices);

/**
 * The newest operator set whose shape rules are used: that of ONNX 1.12. A newer library gives the same
 * results, because operators are converted to those of this set.
 */
inline constexpr std::int64_t newest_operator_set = 17;

/** Returns the version of ONNX's own operators. */
std::int64_t operator_set_version(const onnx::ModelProto& model);

/**
 * Sorts the nodes so that every node follows the nodes whose results it reads. Returns InvalidArgument with
 * the names of the nodes if there is a cycle or if two nodes give the same result.
 */
Status sort_nodes(onnx::GraphProto& graph);

/**
 * Sets open dimensions of the graph's inputs by their names or as "data[0]", which may also replace a value.
 * Returns InvalidArgument if a dimension stays open or is 0, and NotFound if no dimension has a name.
 */
Status set_dimensions(onnx::GraphProto& graph, const std::vector<measure::ModelDimension>& dimensions);

}  // namespace kernelscape::onnx_reader
