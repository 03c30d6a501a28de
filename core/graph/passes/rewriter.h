#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace kernelscape::graph::passes {

/** Returns a node without an epilogue. */
Node make_node(std::string name, std::string operation, std::vector<std::size_t> inputs,
               std::vector<std::size_t> outputs, std::map<std::string, Attribute> attributes = {});

/**
 * A graph while passes change it: knows who writes and reads each value, and which nodes of the model each
 * node computes. Numbers of nodes and values stay the same until finish(). Nodes are in an order in which
 * each follows the nodes whose results it reads, as long as only replace() with operands from earlier nodes,
 * remove() and bypass() were used; sort() restores the order.
 */
class Rewriter {
 public:
  /** Takes a valid graph. */
  explicit Rewriter(Graph graph);

  /** Returns the number of nodes, removed ones included until sort(). */
  std::size_t node_count() const { return graph_.nodes.size(); }
  /** Returns the number of values, used or not. */
  std::size_t value_count() const { return graph_.values.size(); }
  /** Returns false if the node was removed. */
  bool alive(std::size_t node) const { return alive_[node]; }
  /** Returns a node; the reference is valid until a node is added. */
  const Node& node(std::size_t node) const { return graph_.nodes[node]; }
  /** Returns a value; the reference is valid until a value is added. */
  const Value& value(std::size_t value) const { return graph_.values[value]; }
  /** Returns true if the number is that of a constant, not `absent`. */
  bool is_constant(std::size_t value) const { return value != absent && graph_.values[value].constant; }
  /** Returns true if a value is one of the graph's outputs. */
  bool is_output(std::size_t value) const { return is_output_[value]; }
  /** Returns the node that writes a value; `absent` for constants, inputs of the graph and `absent`. */
  std::size_t producer(std::size_t value) const;
  /** Returns the nodes that read a value, one entry for each operand. */
  const std::vector<std::size_t>& readers(std::size_t value) const { return readers_[value]; }
  /** Returns true if exactly one operand of one node reads the value, which is no output of the graph. */
  bool has_one_reader(std::size_t value) const { return readers_[value].size() == 1 && !is_output_[value]; }
  /** Returns the node that writes a value if it has this operator, one output and no epilogue; else `absent`.
   */
  std::size_t producer(std::size_t value, std::string_view operation) const;

  /** Puts another node in the place of a node; the nodes of the model that it computes stay. */
  void replace(std::size_t node, Node replacement);
  /** Adds a node, which computes the nodes of the model that `origin` computes if that is not `absent`. */
  std::size_t add(Node node, std::size_t origin);
  /** Removes a node. @param into the node that computes its results now, or `absent` */
  void remove(std::size_t node, std::size_t into = absent);
  /**
   * Removes a node whose only output equals another value, and makes all who read its output read that value.
   * If the output is one of the graph's, the node that writes `same` writes the output instead. Returns false
   * and changes nothing if that cannot be: `same` is a constant, or an input or an output of the graph.
   */
  bool bypass(std::size_t node, std::size_t same);
  /**
   * Removes nodes whose results are read no more, beginning with the writers of these values, and notes that
   * `into` now computes what they computed.
   */
  void remove_unread(const std::vector<std::size_t>& values, std::size_t into);
  /** Exchanges the nodes of the model that two nodes compute: for nodes that change places. */
  void swap_origins(std::size_t node, std::size_t other) { std::swap(origins_[node], origins_[other]); }
  /** Notes that `into` now computes what `node` computes. */
  void merge_origin(std::size_t node, std::size_t into);

  /** Adds a value, whose name is made unique. */
  std::size_t add_value(std::string name, ElementType type, Shape shape);
  /** Adds a constant, whose name is made unique. */
  std::size_t add_constant(std::string name, ElementType type, Shape shape, ConstantData data);

  /** Orders the nodes so that each follows the nodes whose results it reads, and drops removed nodes. */
  void sort();
  /** Returns the graph without removed nodes and values that nobody uses. */
  Graph finish();

  /** Returns the nodes of the model that a node computes: their positions, ascending. */
  const std::vector<std::size_t>& origins(std::size_t node) const { return origins_[node]; }

  std::size_t changes = 0;           ///< number of calls that changed the graph
  std::vector<std::string> removed;  ///< names of the nodes that were removed
  std::size_t added = 0;             ///< nodes that were added

 private:
  void connect(std::size_t node);
  void disconnect(std::size_t node);
  std::string unique_name(std::string name);

  Graph graph_;
  std::vector<bool> alive_;
  std::vector<std::size_t> producers_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<bool> is_output_;
  std::vector<std::vector<std::size_t>> origins_;
  std::unordered_set<std::string> names_;  ///< of all values
};

}  // namespace kernelscape::graph::passes
