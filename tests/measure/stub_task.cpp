#include "tests/measure/stub_task.h"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/loop_nest/layout.h"
#include "core/task/reference.h"
#include "core/task/task.h"

namespace kernelscape::measure_tests {
namespace {

/** The words behind " * NAME " in the header comment; empty without. */
std::string header_line(const std::string& text, const std::string& name) {
  const std::string label = "\n * " + name + " ";
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return {};
  const std::size_t start = text.find_first_not_of(' ', at + label.size());
  return text.substr(start, text.find('\n', start) - start);
}

/** Where the tensor's elements lie, by the name that the header comment gives its layout; row-major for any
 * other. */
std::vector<std::int64_t> offsets_of(const std::string& text, const task::TensorAccess& tensor) {
  loop_nest::Layout layout = loop_nest::row_major(tensor.tensor, tensor.shape);
  const std::string line = header_line(text, tensor.tensor);
  std::vector<int> order;
  if (line.starts_with("NHWC ")) order = {0, 2, 3, 1};
  if (line.starts_with("HWIO ")) order = {2, 3, 1, 0};
  if (order.size() == tensor.shape.size()) {
    layout.dimensions.clear();
    for (const int source : order)
      layout.dimensions.push_back(
          {.source = source, .divisor = 1, .extent = tensor.shape[static_cast<std::size_t>(source)]});
  }
  return loop_nest::physical_offsets(layout);
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int digits = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(digits, -24) : std::ldexp(1024 + digits, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/** A tensor of a task and where its elements lie in memory. */
struct PlacedTensor {
  task::ScalarType type = task::ScalarType::F32;
  std::vector<std::int64_t> offsets;

  PlacedTensor(const std::string& text, const task::TensorAccess& tensor)
      : type(tensor.type), offsets(offsets_of(text, tensor)) {}

  std::vector<double> read(const void* memory) const {
    std::vector<double> values;
    values.reserve(offsets.size());
    for (const std::int64_t at : offsets)
      values.push_back(type == task::ScalarType::F16
                           ? from_half(static_cast<const std::uint16_t*>(memory)[at])
                           : static_cast<double>(static_cast<const float*>(memory)[at]));
    return values;
  }
};

/** A task with its tensors as a kernel has them. */
struct Computation {
  task::TensorOperator op;
  std::vector<PlacedTensor> inputs;
  PlacedTensor output;

  void operator()(void** arguments) const {
    const auto memory = [&](std::size_t i) { return *static_cast<void**>(arguments[i]); };
    task::ReferenceInputs values;
    for (std::size_t i = 0; i < inputs.size(); ++i) values.tensors.push_back(inputs[i].read(memory(i)));
    const task::Reference reference = task::compute_reference(op, values, 1);
    auto* result = static_cast<float*>(memory(inputs.size()));
    for (std::size_t i = 0; i < reference.values.size(); ++i) {
      const std::size_t at =
          reference.positions.empty() ? i : static_cast<std::size_t>(reference.positions[i]);
      result[output.offsets[at]] = static_cast<float>(reference.values[i]);
    }
  }
};

bool is_real(task::ScalarType type) { return type == task::ScalarType::F32 || type == task::ScalarType::F16; }

}  // namespace

std::function<void(void** arguments)> computation_of_source(const std::string& text) {
  const Result<task::Task> task = task::parse_task(header_line(text, "task"));
  if (!task || !task->op || task->op->output.type != task::ScalarType::F32) return {};
  std::vector<PlacedTensor> inputs;
  for (const task::TensorAccess& input : task->op->inputs) {
    if (!is_real(input.type)) return {};
    inputs.emplace_back(text, input);
  }
  return Computation{*task->op, std::move(inputs), PlacedTensor(text, task->op->output)};
}

}  // namespace kernelscape::measure_tests
