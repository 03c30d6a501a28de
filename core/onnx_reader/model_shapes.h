#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernelscape::onnx_reader {

/** The known properties of a tensor of a model. */
struct TensorFacts {
  int type = 0;  ///< a TensorProto::DataType; 0: unknown
  std::optional<std::vector<std::int64_t>>
      shape;  ///< -1: an unknown extent; nullopt: the number of dimensions is unknown

  /** all extents are known */
  bool complete() const;
  /** Returns the bytes of all elements, or nullopt if they are unknown. */
  std::optional<std::int64_t> bytes() const;
};

/** What a model declares about results of its nodes, by their names. */
using DeclaredResults = std::map<std::string, onnx::ValueInfoProto>;

/**
 * Removes the declarations of results from a graph, and returns them: they may be for other dimensions, so
 * that they only count where no shape can be inferred.
 */
DeclaredResults take_declared(onnx::GraphProto& graph);

/** The shapes of a model's tensors, as far as ONNX infers them from its inputs. */
class ModelShapes {
 public:
  /**
   * Infers the shapes of a flat model with sorted nodes. A state of a loop whose shape changes between
   * iterations is marked in the model.
   * @param declared what take_declared() returned for its graph
   */
  static ModelShapes infer(onnx::ModelProto& model, const DeclaredResults& declared);

  /** Returns the shapes that the model declares, without inference. */
  static ModelShapes declared(const onnx::GraphProto& graph);

  /** Returns the value of a tensor with one element that is computed from shapes. */
  std::optional<std::int64_t> number(const std::string& name) const;

  const TensorFacts& of(const std::string& name) const;  ///< properties of a tensor; for an unknown name all
                                                         ///< are unknown

  /** Returns the node that gives a tensor, or nullptr. */
  const onnx::NodeProto* producer(const onnx::GraphProto& graph, const std::string& name) const;

  /**
   * Returns why the shape of a tensor is unknown: the first node on its path that gives no shape, and the
   * reason.
   */
  std::string why_unknown(const onnx::GraphProto& graph, const std::string& name) const;

 private:
  static ModelShapes infer_once(const onnx::ModelProto& model, const DeclaredResults& declared);
  /** Marks states of loops that change their shape, or all states. @return true if there were any */
  static bool mark_changed_states(onnx::GraphProto& graph, const ModelShapes& shapes, bool all);
  void find_producers(const onnx::GraphProto& graph);
  void take(const onnx::GraphProto& graph);
  /** Returns true if the shape of a node's result is unknown. */
  bool lacks_some(const onnx::GraphProto& graph) const;
  /**
   * Adds the declared shapes of results without an inferred shape to the graph. @return true if there were
   * any
   */
  bool believe(const DeclaredResults& declared, onnx::GraphProto& graph) const;

  std::map<std::string, TensorFacts> facts_;
  std::map<std::string, std::int64_t> numbers_;  ///< values of tensors with one element
  std::map<std::string, int> producers_;         ///< the node that gives a result
  std::map<std::string, std::string> left_out_;  ///< by a node's first output: why nothing was inferred
  std::string problem_;                          ///< the error of the inference; empty: none
};

}  // namespace kernelscape::onnx_reader
