#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::onnx_reader {

/** Nodes that a graph cannot have, by their operators and the reasons. */
class UnsupportedNodes {
 public:
  /** @param reason empty: the operator is not supported at all */
  void add(const onnx::NodeProto& node, std::string_view reason);
  /** Returns the InvalidArgument error that lists all nodes, or success if there are none. */
  Status status() const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> nodes_;
  std::size_t count_ = 0;
};

/**
 * Removes nodes of a flat graph with sorted nodes that no output depends on, and a node's last results if
 * nothing reads them.
 */
void remove_unread_nodes(onnx::GraphProto& graph);

/** Makes initializers of Constant nodes. Those without a tensor of numbers are added to `unsupported`. */
void take_constant_nodes(onnx::GraphProto& graph, UnsupportedNodes& unsupported);

}  // namespace kernelscape::onnx_reader
