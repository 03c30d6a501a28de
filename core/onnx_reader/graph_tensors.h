#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/measure/worker/graph_messages.h"

namespace kernelscape::onnx_reader {

/** Returns the graph's type of a TensorProto::DataType; nullopt for strings, complex numbers and others. */
std::optional<graph::ElementType> element_type(int type);

/** Returns true if data of a tensor or an attribute was cut out of the model. */
bool has_cut_data(const google::protobuf::Message& message);

/**
 * Sets the type, the shape and the data of a constant from a model's tensor. InvalidArgument says what is
 * wrong with the tensor. Whether the data fit the shape is for the receiver to check.
 */
Status set_constant(const onnx::TensorProto& tensor, measure::ModelValue& value);

/** Adds constants and names to a graph whose constants all are initializers. */
class GraphConstants {
 public:
  explicit GraphConstants(onnx::GraphProto& graph);

  /** Returns a name that no tensor of the graph has, and reserves it. */
  std::string unique_name(const std::string& wanted);
  /** Adds a vector of i64. @return its name */
  std::string add_integers(const std::string& wanted, const std::vector<std::int64_t>& values);
  /** Adds a vector of f32. @return its name */
  std::string add_vector(const std::string& wanted, const std::vector<float>& values);
  /** Adds a scalar of f32. @return its name */
  std::string add_scalar(const std::string& wanted, float value);

  /** Returns the elements of a constant of integers or bool that was not cut out; else nullopt. */
  std::optional<std::vector<std::int64_t>> integers(const std::string& name) const;
  /** Returns the elements of a constant that was not cut out; else nullopt. */
  std::optional<std::vector<double>> numbers(const std::string& name) const;
  /** Returns true for the name of a constant, also of one whose elements are not known. */
  bool contains(const std::string& name) const { return by_name_.contains(name); }

 private:
  /** Returns a constant as a vector; nullopt if it was cut out or is in another file. */
  std::optional<graph::Value> find(const std::string& name) const;
  onnx::TensorProto& add(const std::string& wanted, int type);

  onnx::GraphProto& graph_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, const onnx::TensorProto*> by_name_;
};

}  // namespace kernelscape::onnx_reader
