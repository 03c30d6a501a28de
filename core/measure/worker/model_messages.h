#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measure/worker/graph_messages.h"
#include "core/measure/worker/protocol.h"

namespace kernelscape::measure {

/**
 * A dimension of a model that the user sets, such as "batch" to 1; "data[0]" is a dimension without a name of
 * an input.
 */
struct ModelDimension {
  std::string name;
  std::int64_t value = 1;
};

/** Asks for the tasks or the graph of an ONNX model. Its shapes are inferred by a third-party library. */
struct ModelRequest {
  static constexpr MessageType type = MessageType::ModelRequest;
  std::string model;  ///< the model as returned by cut_weights()
  std::vector<ModelDimension> dimensions;
  bool whole_graph = false;  ///< true: the reply has the graph instead of layers and operators
};

/** The origin of an operand of a node. */
struct ModelOperand {
  bool constant = false;            ///< computed from constants only
  std::vector<std::int64_t> nodes;  ///< indices in the list of layers: those whose results reach it
};

/** A node that is a task. */
struct ModelLayer {
  std::string task;  ///< text in the form that parse_task() reads
  std::string node;
  ModelOperand first;
  ModelOperand second;
  std::int64_t times = 1;  ///< maximum number of runs of the node in one pass of the network
};

/** Nodes of one operator that are no layers. */
struct ModelOperator {
  std::string name;
  std::int64_t count = 0;
  std::int64_t bytes = 0;    ///< bytes that all of these nodes read and write, as far as shapes are known
  std::int64_t unknown = 0;  ///< number of these nodes whose bytes are unknown
  bool once = false;         ///< computed once, from constants only
  std::string reason;        ///< why they are no layers, if their operator could be one
  double flops = 0;          ///< FLOPs of their convolutions and multiplications; 0 with a reason: unknown
};

/** The layers and operators of a model, or the reason why they can't be determined. */
struct ModelReply {
  static constexpr MessageType type = MessageType::ModelReply;
  std::string problem;  ///< empty: the model was read
  std::string hint;
  std::string name;                ///< name of the graph; may be empty
  std::vector<ModelLayer> layers;  ///< in a valid order of execution
  bool order_known = true;         ///< false: the order and the layers' operands have no meaning
  std::vector<ModelOperator> operators;
  std::vector<std::string> notices;
  ModelGraph graph;
};

template <>
struct WireMembers<ModelDimension> {
  static constexpr auto value = std::tuple{&ModelDimension::name, &ModelDimension::value};
};
template <>
struct WireMembers<ModelRequest> {
  using M = ModelRequest;
  static constexpr auto value = std::tuple{&M::model, &M::dimensions, &M::whole_graph};
};
template <>
struct WireMembers<ModelOperand> {
  static constexpr auto value = std::tuple{&ModelOperand::constant, &ModelOperand::nodes};
};
template <>
struct WireMembers<ModelLayer> {
  using M = ModelLayer;
  static constexpr auto value = std::tuple{&M::task, &M::node, &M::first, &M::second, &M::times};
};
template <>
struct WireMembers<ModelOperator> {
  using M = ModelOperator;
  static constexpr auto value =
      std::tuple{&M::name, &M::count, &M::bytes, &M::unknown, &M::once, &M::reason, &M::flops};
};
template <>
struct WireMembers<ModelReply> {
  using M = ModelReply;
  static constexpr auto value = std::tuple{&M::problem,     &M::hint,      &M::name,    &M::layers,
                                           &M::order_known, &M::operators, &M::notices, &M::graph};
};

}  // namespace kernelscape::measure
