#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/measure/worker/model_messages.h"

namespace kernelscape {

/** The domain of ONNX Runtime's own operators. */
constexpr std::string_view microsoft_domain = "com.microsoft";

/** What a message calls a node: its name, or its operator and its first output where it has none. */
std::string node_text(const onnx::NodeProto& node);

/** "Conv", "com.microsoft.FusedConv". */
std::string operator_text(const onnx::NodeProto& node);

/** The node's attribute of this name, or nullptr. */
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name);
/** The number of the node's attribute of this name, or `otherwise` where it has none. */
std::int64_t whole_attribute(const onnx::NodeProto& node, std::string_view name, std::int64_t otherwise);

/** Gives a node one more attribute. */
void add_number(onnx::NodeProto& node, std::string_view name, std::int64_t value);
void add_text(onnx::NodeProto& node, std::string_view name, const std::string& value);

/** The names that a node reads: its inputs, and what the graphs in its attributes read of those around them.
 */
std::vector<std::string> names_read(const onnx::NodeProto& node);

/** Broken protobuf is InvalidArgument. */
Result<onnx::ModelProto> parse_model(std::string_view bytes);

/**
 * Gives ONNX's own operators the domain "", in functions too, and every domain that a node names a version.
 * InvalidArgument where the model does not say which version its operators are of.
 * @param notices gets one where the version is newer than the library
 */
Status settle_operator_sets(onnx::ModelProto& model, std::vector<std::string>& notices);

/**
 * The newest operator set whose rules of shapes are followed: that of ONNX 1.12. A newer library reads models
 * alike, as their operators are changed to those of this set.
 */
inline constexpr std::int64_t newest_operator_set = 17;

/** Returns the version of ONNX's own operators. */
std::int64_t operator_set_version(const onnx::ModelProto& model);

/**
 * Puts every node behind those whose results it reads. InvalidArgument, naming the nodes, where they need
 * each other or two give the same result.
 */
Status sort_nodes(onnx::GraphProto& graph);

/**
 * Gives open dimensions of the graph's inputs their values, by their names or as "data[0]", which may also
 * replace a value. InvalidArgument where one stays open or is 0, NotFound for a name that no dimension has.
 */
Status set_dimensions(onnx::GraphProto& graph, const std::vector<ModelDimension>& dimensions);

}  // namespace kernelscape
