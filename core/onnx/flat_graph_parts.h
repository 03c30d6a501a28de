#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace kernelscape {

// Parts of flatten_graph(): what names mean, what is known of constants, and the nodes that it adds.

using NodeAttributes = std::map<std::string, onnx::AttributeProto>;

/** What names mean in a graph, a body or a function. */
struct NameScope {
  NameScope* around = nullptr;  ///< where names that are not found are looked up; none for functions
  bool is_model = false;        ///< the model's graph, whose names stay
  int body = -1;
  std::string prefix = {};                     ///< of the names of a function's nodes
  const NodeAttributes* attributes = nullptr;  ///< that a function was called with
  std::unordered_map<std::string, std::string> names = {};
};

/** The names of a flat graph, each of one tensor. */
class FlatNames {
 public:
  /** Keeps a name from being given to another tensor. */
  void note_used(const std::string& name) { used_.insert(name); }
  /** Returns what a node of the scope reads under this name. A function sees no names but its own. */
  std::string resolve(NameScope& scope, const std::string& name);
  /** Returns the name in the flat graph of what a node of the scope gives under this name. */
  std::string define(NameScope& scope, const std::string& name);

 private:
  /** Returns a name that nothing else has. */
  std::string fresh(const NameScope& scope, const std::string& name);

  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> endings_;
};

/** The numbers of constants of one element, by their names in the flat graph. */
class ConstantNumbers {
 public:
  /** Notes an initializer; one of more than one element, or of another type, is passed over. */
  void note(const std::string& name, const onnx::TensorProto& tensor);
  /** Notes what a Constant gives; other nodes are passed over. */
  void note(const std::string& name, const onnx::NodeProto& node);
  /** Returns nullopt if the tensor is no constant of one element. */
  std::optional<std::int64_t> find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
};

/** Numbers of the fields for the overload of a function and of a call, which ONNX 1.12 does not know. */
constexpr int function_overload_field = 13;
constexpr int node_overload_field = 8;
/** Returns which of several functions of one name a function is, or a node calls. */
std::string overload_of(const google::protobuf::Message& message, int number);

/** Returns the default values of a function's attributes: field 11, which ONNX 1.12 does not know. */
NodeAttributes default_attributes(const onnx::FunctionProto& function);

/** Returns whether a node has a branch or a body. */
bool has_graph(const onnx::NodeProto& node);

/** Makes the node that gives a tensor another name. */
onnx::NodeProto identity(const std::string& input, const std::string& output);

/** Makes a node of body_domain, which stands between a body and what is around it. */
onnx::NodeProto marker(std::string_view kind, std::string text, const std::string& output);

}  // namespace kernelscape
