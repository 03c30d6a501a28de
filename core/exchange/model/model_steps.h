#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/media/c_source.h"
#include "core/base/result.h"
#include "core/exchange/kernels/exported_kernel.h"
#include "core/exchange/model/kernel_choice.h"
#include "core/exchange/model/layer_plan.h"
#include "core/exchange/model/strided_loops.h"
#include "core/graph/graph.h"
#include "core/graph/memory_plan.h"

namespace kernelscape::exchange {

/** The kind of memory in which a tensor is while the model runs. */
enum class ModelMemory : std::uint8_t { Arena, Weights, Input };

/** A value in one memory layout. A value can have several forms at a time. */
struct ValueForm {
  graph::ElementType type = graph::ElementType::F32;
  loop_nest::Layout layout;  ///< of the value's shape
  ModelMemory memory = ModelMemory::Arena;
  std::uint64_t place = 0;       ///< number of the buffer or the input; Weights: offset in bytes
  std::int64_t byte_offset = 0;  ///< of the first element, for a part of a larger tensor
};

/** What a step computes. */
enum class StepKind : std::uint8_t {
  Layer,      ///< a convolution or multiplication, with the epilogue that its kernel applies
  Operator,   ///< any other operator of the model
  Conversion  ///< a change of a memory layout
};

/** What all threads do between two barriers: the body of a function of part, parts and run. */
struct ModelStep {
  std::string about;  ///< names the node and says what is done
  base::CSourceText text;
  StepKind kind = StepKind::Operator;
  std::string task = {};  ///< of a layer: the text of its task without an epilogue; else empty
};

/** The element that a statement reads or writes: a local variable for operands, an lvalue for the result. */
using LoopStatement = std::function<base::CSourceText(const std::vector<base::CSourceText>& operands)>;

/** An operand of a loop: where it is and how the loop sees it. */
struct LoopOperand {
  ValueForm form;
  TensorView view;
};

/**
 * Turns the nodes of a graph into steps of C: values get their layouts, conversions are inserted where a
 * reader needs another one, and constants are packed.
 */
class ModelSteps {
 public:
  /** @param graph outlives the steps, as do the others, and has constants that can be read */
  ModelSteps(const graph::Graph& graph, const KernelChoice& kernels, const LayerPlan& plan);

  const graph::Graph& graph() const { return graph_; }                                   ///< the model
  const graph::Value& value(std::size_t number) const { return graph_.values[number]; }  ///< by its number
  const KernelChoice& kernels() const { return kernels_; }  ///< kernels of layers
  /** Returns the plan of a node of the graph; nullopt if it is no layer. */
  const std::optional<PlannedLayer>& planned(const graph::Node& node) const {
    return plan_.layers[static_cast<std::size_t>(&node - graph_.nodes.data())];
  }
  /** Returns the layout that most readers of a value want; nullopt if they have no preference. */
  const std::optional<loop_nest::Layout>& preferred(std::size_t value) const {
    return plan_.preferred[value];
  }
  const std::vector<ModelStep>& steps() const { return steps_; }             ///< in the order of execution
  const std::vector<graph::BufferUse>& buffers() const { return buffers_; }  ///< of the arena
  const std::vector<std::byte>& weights() const { return weights_; }         ///< packed constants

  /** Returns the form in which a value is produced. A constant's is row-major. */
  Result<ValueForm> first_form(std::size_t value);
  /** Returns a value in a layout of its shape; a step converts it if no form has the layout. */
  Result<ValueForm> form_in(std::size_t value, const loop_nest::Layout& layout);
  /** Returns a value in row-major order. */
  Result<ValueForm> plain_form(std::size_t value);

  /**
   * Adds a form of a value, which the next step has to write: in a new buffer, or in the memory of a Concat
   * that reads the value, if the layout allows it.
   */
  ValueForm make_form(std::size_t value, loop_nest::Layout layout);
  /** Returns the memory of a Concat's result in which operands have been written; nullopt if there is none.
   */
  std::optional<ValueForm> joined_form(std::size_t result) const;
  /** Returns true if a step has written the value. */
  bool has_form(std::size_t value) const { return !forms_[value].empty(); }
  /** Returns true if a form of the value has its elements at this place. */
  bool is_at(std::size_t value, const ValueForm& place) const;
  /** Returns a new buffer that belongs to no value. */
  ValueForm scratch(graph::ElementType type, loop_nest::Layout layout);
  /** Adds a form that another step or value already has. */
  void add_form(std::size_t value, ValueForm form) { forms_[value].push_back(std::move(form)); }
  /** Appends bytes to the weights, and returns the form that refers to them. */
  ValueForm add_weights(graph::ElementType type, loop_nest::Layout layout, std::span<const std::byte> bytes);

  /** Returns the address of a form as an expression of C, for use in the next step. */
  base::CSourceText address(const ValueForm& form, bool written = false);
  /** Appends a step. */
  void add_step(std::string about, base::CSourceText text, StepKind kind = StepKind::Operator);
  /** Appends the step of a layer. @param task the text of the layer's task without an epilogue */
  void add_layer(std::string about, base::CSourceText text, std::string task);

  /**
   * Appends a step that executes a statement for every index of a shape. The result is the first operand of
   * the loop, and the statement's text assigns to it. Refused if the layouts do not fit each other.
   */
  Status add_loop(std::string about, const graph::Shape& shape, const std::vector<LoopOperand>& operands,
                  const LoopStatement& statement, StepKind kind = StepKind::Operator);
  /** Appends a step that copies elements from one form to another. */
  Status add_copy(std::string about, const graph::Shape& shape, const LoopOperand& to,
                  const LoopOperand& from, StepKind kind = StepKind::Operator);
  /** Appends a step that sets all of a form to 0 if its layout has gaps. */
  void add_gap_fill(const std::string& about, const ValueForm& to);
  /** Appends steps that write a form in another layout, with zeros where the layout has gaps. */
  Status add_conversion(const std::string& about, const graph::Shape& shape, const ValueForm& to,
                        const ValueForm& from);

 private:
  /** The Concat that reads a value, and the first index of the value along its axis. */
  struct Join {
    const graph::Node* node = nullptr;
    std::int64_t start = 0;
  };

  void use(const ValueForm& form);
  void find_joins();
  ValueForm place_of(std::size_t value, loop_nest::Layout layout);
  std::optional<ValueForm> place_in_result(const Join& join, std::size_t value,
                                           const loop_nest::Layout& layout);

  const graph::Graph& graph_;
  const KernelChoice& kernels_;
  const LayerPlan& plan_;
  std::vector<std::vector<ValueForm>> forms_;  ///< by value
  std::map<std::size_t, Join> joins_;          ///< by value
  std::map<std::size_t, ValueForm> joined_;    ///< by a Concat's result: memory that operands are written to
  std::vector<graph::BufferUse> buffers_;
  std::vector<std::byte> weights_;
  std::vector<ModelStep> steps_;
};

/** Returns the C name of a type: "float", "int64_t", ... */
base::Literal c_type(graph::ElementType type);

/** Returns how a loop sees a whole form: dimensions of extent 1 are added in front. */
LoopOperand whole_operand(const ValueForm& form, std::size_t rank);

}  // namespace kernelscape::exchange
