#include "core/codegen/tensor_core_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/loop_nest/rewrite.h"
#include "core/loop_nest/shared_memory.h"

namespace kernelscape::codegen {
namespace {

constexpr int registers = 8;  ///< registers of a thread for one fragment

std::string_view order_word(loop_nest::MatrixOrder order) {
  return order == loop_nest::MatrixOrder::RowMajor ? "row" : "col";
}

std::string shape_word(const loop_nest::FragmentShape& shape) {
  return fmt::format("m{}n{}k{}", shape.rows, shape.columns, shape.depth);
}

/** Returns the name of the function for an operation; shape and orders are in the function's instruction. */
std::string function_name(const loop_nest::FragmentOperation& operation) {
  switch (operation.action) {
    case loop_nest::FragmentAction::SetZero:
      return "set_zero";
    case loop_nest::FragmentAction::LoadA:
      return "load_a";
    case loop_nest::FragmentAction::LoadB:
      return "load_b";
    case loop_nest::FragmentAction::MultiplyAccumulate:
      return "multiply_accumulate";
    case loop_nest::FragmentAction::Store:
      return "store";
  }
  throw std::logic_error("a fragment operation of no kind");
}

/** Returns the operands of an instruction: "%0, %1, ...". */
std::string operands(int first) {
  std::vector<std::string> names;
  for (int i = 0; i < registers; ++i) names.push_back(fmt::format("%{}", first + i));
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

/** Returns the constraints of the operands, in two lines: "\"=r\"(a[0]), ...". */
std::string bound(std::string_view constraint, std::string_view name) {
  std::string text;
  for (int i = 0; i < registers; ++i) {
    if (i > 0) text += i == registers / 2 ? ",\n        " : ", ";
    text += fmt::format("\"{}\"({}[{}])", constraint, name, i);
  }
  return text;
}

std::string function(const loop_nest::FragmentOperation& operation, std::string_view parameters,
                     const std::string& body) {
  return fmt::format("static __device__ __forceinline__ void {}({}) {{\n{}}}\n\n", function_name(operation),
                     parameters, body);
}

std::string load_function(const loop_nest::FragmentOperation& operation) {
  const char matrix = operation.action == loop_nest::FragmentAction::LoadA ? 'a' : 'b';
  const std::string instruction = fmt::format(
      "wmma.load.{}.sync.aligned.{}.{}.shared.f16 {}, [%{}], %{};", matrix, order_word(operation.orders[0]),
      shape_word(operation.shape), operands(0), registers, registers + 1);
  return function(operation, "unsigned (&fragment)[8], const unsigned short *tile, int stride",
                  fmt::format("  asm volatile(\n      \"{}\"\n      : {}\n"
                              "      : \"r\"((unsigned)__cvta_generic_to_shared(tile)), \"r\"(stride)\n"
                              "      : \"memory\");\n",
                              instruction, bound("=r", "fragment")));
}

std::string store_function(const loop_nest::FragmentOperation& operation) {
  const std::string instruction =
      fmt::format("wmma.store.d.sync.aligned.{}.{}.shared.f32 [%0], {}, %{};",
                  order_word(operation.orders[0]), shape_word(operation.shape), operands(1), registers + 1);
  return function(operation, "float *tile, const float (&sum)[8], int stride",
                  fmt::format("  asm volatile(\n      \"{}\"\n      :\n"
                              "      : \"r\"((unsigned)__cvta_generic_to_shared(tile)),\n        {},\n"
                              "        \"r\"(stride)\n      : \"memory\");\n",
                              instruction, bound("f", "sum")));
}

std::string multiply_function(const loop_nest::FragmentOperation& operation) {
  // One line per group of operands: adjacent literals are one string.
  const std::string instruction = fmt::format(
      "wmma.mma.sync.aligned.{}.{}.{}.f32.f32 {}, \"\n      \"{}, {}, {};", order_word(operation.orders[0]),
      order_word(operation.orders[1]), shape_word(operation.shape), operands(0), operands(registers),
      operands(2 * registers), operands(0));
  return function(operation, "float (&sum)[8], const unsigned (&a)[8], const unsigned (&b)[8]",
                  fmt::format("  asm(\n      \"{}\"\n      : {}\n      : {},\n        {});\n", instruction,
                              bound("+f", "sum"), bound("r", "a"), bound("r", "b")));
}

std::string zero_function(const loop_nest::FragmentOperation& operation) {
  return function(operation, "float (&sum)[8]",
                  "#pragma unroll\n  for (int i = 0; i < 8; ++i) sum[i] = 0.0f;\n");
}

std::string function_of(const loop_nest::FragmentOperation& operation) {
  switch (operation.action) {
    case loop_nest::FragmentAction::SetZero:
      return zero_function(operation);
    case loop_nest::FragmentAction::LoadA:
    case loop_nest::FragmentAction::LoadB:
      return load_function(operation);
    case loop_nest::FragmentAction::MultiplyAccumulate:
      return multiply_function(operation);
    case loop_nest::FragmentAction::Store:
      return store_function(operation);
  }
  throw std::logic_error("a fragment operation of no kind");
}

void collect(const loop_nest::StatementPtr& statement,
             std::map<loop_nest::FragmentAction, std::string>& functions) {
  if (const auto* operation = std::get_if<loop_nest::FragmentOperation>(&statement->node)) {
    const std::string text = function_of(*operation);
    const auto [place, added] = functions.try_emplace(operation->action, text);
    if (place->second != text) throw std::logic_error("fragments of one kernel have one shape and one order");
  }
  loop_nest::rewrite_parts(statement, [&](const loop_nest::StatementPtr& part) {
    collect(part, functions);
    return part;
  });
}

}  // namespace

std::string tensor_core_functions(const loop_nest::LoopNest& nest) {
  std::map<loop_nest::FragmentAction, std::string> functions;
  if (nest.body) collect(nest.body, functions);
  if (functions.empty()) return {};
  std::string text =
      "// A warp's threads hold matrices together: each has eight registers of every fragment.\n\n";
  for (const auto& [action, function] : functions) text += function;
  return text;
}

std::string fragment_declaration(const loop_nest::Buffer& buffer) {
  return fmt::format("{} {}[{}][{}]", loop_nest::element_bytes(buffer) == 2 ? "unsigned" : "float",
                     buffer.name, loop_nest::element_count(buffer), registers);
}

std::string fragment_call(const loop_nest::LoopNest& nest, const loop_nest::FragmentOperation& operation,
                          const IndexSpelling& spell) {
  const auto name = [&](const loop_nest::BufferAccess& access) {
    return nest.buffers[static_cast<std::size_t>(access.buffer)].name;
  };
  const auto fragment = [&](const loop_nest::BufferAccess& access) {
    return fmt::format("{}[{}]", name(access), spell(access.offset));
  };
  const auto tile = [&](const loop_nest::BufferAccess& access) {
    return fmt::format("{} + {}", name(access), spell(access.offset));
  };
  const std::string called = function_name(operation);
  switch (operation.action) {
    case loop_nest::FragmentAction::SetZero:
      return fmt::format("{}({});", called, fragment(operation.destination));
    case loop_nest::FragmentAction::LoadA:
    case loop_nest::FragmentAction::LoadB:
      return fmt::format("{}({}, {}, {});", called, fragment(operation.destination),
                         tile(operation.sources[0]), operation.line_stride);
    case loop_nest::FragmentAction::MultiplyAccumulate:
      return fmt::format("{}({}, {}, {});", called, fragment(operation.destination),
                         fragment(operation.sources[0]), fragment(operation.sources[1]));
    case loop_nest::FragmentAction::Store:
      return fmt::format("{}({}, {}, {});", called, tile(operation.destination),
                         fragment(operation.sources[0]), operation.line_stride);
  }
  throw std::logic_error("a fragment operation of no kind");
}

}  // namespace kernelscape::codegen
