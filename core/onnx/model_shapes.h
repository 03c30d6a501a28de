#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernelscape {

/** What is known of a tensor of a model. */
struct TensorFacts {
  int type = 0;  ///< as TensorProto::DataType has it; 0: not known
  std::optional<std::vector<std::int64_t>>
      shape;  ///< -1: an extent that is not known; none: not even their number

  /** All extents are known. */
  bool complete() const;
  /** What its elements take; none where that is not known. */
  std::optional<std::int64_t> bytes() const;
};

/** The shapes of a model's tensors, as far as its inputs' and ONNX's own inference tell them. */
class ModelShapes {
 public:
  /**
   * Infers the shapes of a flat model whose nodes are sorted. The model loses what it declares of results
   * that can be inferred, and a state of a loop whose shape changes from one iteration to the next is marked.
   */
  static ModelShapes infer(onnx::ModelProto& model);

  /** What the model itself says, without any inference. */
  static ModelShapes declared(const onnx::GraphProto& graph);

  /** Returns the number of a tensor of one element that is computed from shapes. */
  std::optional<std::int64_t> number(const std::string& name) const;

  const TensorFacts& of(const std::string& name) const;  ///< of what is not there nothing is known

  /** The node that gives a tensor, or nullptr. */
  const onnx::NodeProto* producer(const onnx::GraphProto& graph, const std::string& name) const;

  /** Why the shape of a tensor is not known: the first node before it that gives none, and why. */
  std::string why_unknown(const onnx::GraphProto& graph, const std::string& name) const;

 private:
  static ModelShapes infer_once(const onnx::ModelProto& model,
                                const std::map<std::string, onnx::ValueInfoProto>& declared);
  /** Marks states of loops that change their shape, or all of them. @return whether there were any */
  static bool mark_changed_states(onnx::GraphProto& graph, const ModelShapes& shapes, bool all);
  void find_producers(const onnx::GraphProto& graph);
  void take(const onnx::GraphProto& graph);
  /** Whether a result of a node has no known shape. */
  bool lacks_some(const onnx::GraphProto& graph) const;
  /** Tells the graph what was declared of results that are not known. @return whether there was any */
  bool believe(const std::map<std::string, onnx::ValueInfoProto>& declared, onnx::GraphProto& graph) const;

  std::map<std::string, TensorFacts> facts_;
  std::map<std::string, std::int64_t> numbers_;  ///< of tensors of one element
  std::map<std::string, int> producers_;         ///< the node that gives a result
  std::map<std::string, std::string> left_out_;  ///< by a node's first output: why nothing was inferred
  std::string problem_;                          ///< what inference ended with; empty: with nothing
};

}  // namespace kernelscape
