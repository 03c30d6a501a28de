#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace kernelscape::onnx_reader {

// Parts of flatten_graph(): the scopes of names, the values of constants, and the nodes that it adds.

using NodeAttributes = std::map<std::string, onnx::AttributeProto>;

/** The names of a graph, a body or a function. */
struct NameScope {
  NameScope* around = nullptr;  ///< the scope that is searched for names that are not found here; null for
                                ///< functions
  bool is_model = false;        ///< the model's graph, whose names are kept
  int body = -1;
  std::string prefix = {};                     ///< prefix of the names of a function's nodes
  const NodeAttributes* attributes = nullptr;  ///< attributes of the function's call
  std::unordered_map<std::string, std::string> names = {};
};

/** The names of a flat graph. Each name belongs to one tensor. */
class FlatNames {
 public:
  /** Reserves a name, so that it is not given to another tensor. */
  void note_used(const std::string& name) { used_.insert(name); }
  /**
   * Returns the flat graph's name for a name that a node of the scope reads. A function sees only its own
   * names.
   */
  std::string resolve(NameScope& scope, const std::string& name);
  /** Returns the flat graph's name for a result of a node of the scope. */
  std::string define(NameScope& scope, const std::string& name);

 private:
  /** Returns a unique name. */
  std::string fresh(const NameScope& scope, const std::string& name);

  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> endings_;
};

/** The values of constants with one element, by their names in the flat graph. */
class ConstantNumbers {
 public:
  /** Notes an initializer; initializers with several elements or of other types are ignored. */
  void note(const std::string& name, const onnx::TensorProto& tensor);
  /** Notes the value of a Constant; other nodes are ignored. */
  void note(const std::string& name, const onnx::NodeProto& node);
  /** Returns the value, or nullopt if the tensor is not a constant with one element. */
  std::optional<std::int64_t> find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
};

/** Field numbers of the overload of a function and of a call, which ONNX 1.12 does not define. */
constexpr int function_overload_field = 13;
constexpr int node_overload_field = 8;
/** Returns the overload of a function, or of the function that a node calls. */
std::string overload_of(const google::protobuf::Message& message, int number);

/** Returns the default values of a function's attributes: field 11, which ONNX 1.12 does not define. */
NodeAttributes default_attributes(const onnx::FunctionProto& function);

/** Returns whether a node has a branch or a body. */
bool has_graph(const onnx::NodeProto& node);

/** Makes the node that gives a tensor another name. */
onnx::NodeProto identity(const std::string& input, const std::string& output);

/** Makes a node of body_domain, which stands between a body and what is around it. */
onnx::NodeProto marker(std::string_view kind, std::string text, const std::string& output);

}  // namespace kernelscape::onnx_reader
