#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measure/worker/protocol.h"

namespace kernelscape {

/** A dimension of a model that its user gives: "batch" is 1; "data[0]" is that of an input without a name. */
struct ModelDimension {
  std::string name;
  std::int64_t value = 1;
};

/** Which tasks does this ONNX model consist of? Its shapes are inferred by a library that is not ours. */
struct ModelRequest {
  static constexpr MessageType type = MessageType::ModelRequest;
  std::string model;  ///< as without_weights() leaves it
  std::vector<ModelDimension> dimensions;
};

/** Where an operand of a node comes from. */
struct ModelOperand {
  bool constant = false;            ///< of constants alone
  std::vector<std::int64_t> nodes;  ///< places, in the list of layers, of those whose results reach it
};

/** A node that is a task. */
struct ModelLayer {
  std::string task;  ///< as parse_task() reads it
  std::string node;
  ModelOperand first;
  ModelOperand second;
  std::int64_t times = 1;  ///< how often one pass of the network runs it, at most
};

/** Nodes of one operator that are no layers. */
struct ModelOperator {
  std::string name;
  std::int64_t count = 0;
  std::int64_t bytes = 0;    ///< that all of them read and write, as far as shapes are known
  std::int64_t unknown = 0;  ///< of them, whose bytes are not known
  bool once = false;         ///< of constants alone
  std::string reason;        ///< why they are no layers, where they could be
  double flops = 0;          ///< of their convolutions and multiplications; 0 with a reason: not known
};

/** What a model consists of, or why it can't be told. */
struct ModelReply {
  static constexpr MessageType type = MessageType::ModelReply;
  std::string problem;  ///< empty: it was read
  std::string hint;
  std::string name;                ///< of the graph; may be empty
  std::vector<ModelLayer> layers;  ///< in an order in which they can run
  bool order_known = true;         ///< and their operands; else these say nothing
  std::vector<ModelOperator> operators;
  std::vector<std::string> notices;
};

template <>
struct WireMembers<ModelDimension> {
  static constexpr auto value = std::tuple{&ModelDimension::name, &ModelDimension::value};
};
template <>
struct WireMembers<ModelRequest> {
  static constexpr auto value = std::tuple{&ModelRequest::model, &ModelRequest::dimensions};
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
  static constexpr auto value =
      std::tuple{&M::problem, &M::hint, &M::name, &M::layers, &M::order_known, &M::operators, &M::notices};
};

}  // namespace kernelscape
