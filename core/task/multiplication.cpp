#include <fmt/format.h>

#include <cmath>

#include "core/task/checks.h"
#include "core/task/task.h"

namespace kernelscape::task {
namespace {

/**
 * Returns the access to a matrix [rows, columns]: stored in the other order if it is transposed, and preceded
 * by the batch dimension if there is one.
 */
TensorAccess make_matrix(const char* name, ScalarType type, const std::vector<TensorAxis>& axes, bool batched,
                         std::size_t row_axis, std::size_t column_axis, bool transposed) {
  if (transposed) std::swap(row_axis, column_axis);
  TensorAccess access{name, type, {}, {}};
  const auto add = [&](std::size_t axis) {
    access.shape.push_back(axes[axis].extent);
    access.indices.push_back(make_index(axes.size(), {{axis, 1}}));
  };
  if (batched) add(0);
  add(row_axis);
  add(column_axis);
  return access;
}

TensorOperator make_operator(const MatrixMultiplication& m, const OperandTypes& types) {
  std::vector<TensorAxis> axes;
  if (m.batched) axes.push_back({"b", m.batch, false});
  const std::size_t y = axes.size();
  axes.push_back({"y", m.m, false});
  axes.push_back({"x", m.n, false});
  axes.push_back({"k", m.k, true});
  TensorAccess a = make_matrix("a", types.activation, axes, m.batched, y, y + 2, m.transpose_a);
  TensorAccess b = make_matrix("b", types.weight, axes, m.batched, y + 2, y + 1, m.transpose_b);
  TensorAccess output = make_matrix("output", types.output, axes, m.batched, y, y + 1, false);
  return {std::move(axes), {std::move(a), std::move(b)}, std::move(output), types.accumulator};
}

}  // namespace

Result<Task> make_matmul_task(const MatrixMultiplication& multiplication, const OperandTypes& types,
                              std::string name) {
  const MatrixMultiplication& m = multiplication;
  const char* kind = m.batched ? "bmm" : "matmul";
  for (const auto& [letter, value] : {std::pair{"the batch", m.batch}, {"M", m.m}, {"N", m.n}, {"K", m.k}})
    TRY(check_number(kind, letter, value));
  if (!m.batched && m.batch != 1) {
    return fail(ErrorCode::InvalidArgument, fmt::format("matmul: the batch is {}", m.batch),
                "write a multiplication with a batch as bmm");
  }
  TensorOperator op = make_operator(m, types);
  TRY(check_operator(kind, op));

  Task task;
  task.text =
      fmt::format("{} {} {}{}{} {}", kind, shape_text(op.inputs[0].shape), shape_text(op.inputs[1].shape),
                  m.transpose_a ? " transpose_a" : "", m.transpose_b ? " transpose_b" : "", to_string(types));
  task.name = name.empty() ? task.text : std::move(name);
  task.definition = m;
  task.op = std::move(op);
  return task;
}

Result<Task> with_epilogue(Task task, const std::vector<EpilogueStep>& steps) {
  if (steps.empty()) return task;
  if (!task.op)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} is known by name only: it has no sums", task.name),
                "give an epilogue to a convolution or a multiplication");
  if (!task.op->epilogue.empty())
    return fail(ErrorCode::InvalidArgument, fmt::format("{} has an epilogue already", task.name),
                "name the task without its epilogue");
  if (task.op->accumulator == ScalarType::I32)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: sums of {} have no epilogue", task.name, to_string(task.op->accumulator)),
                "use f32, f16 or bf16");
  const bool convolution = std::holds_alternative<Convolution>(task.definition);
  set_epilogue(*task.op, steps, convolution ? 1 : task.op->output.shape.size() - 1, 1);
  const std::string text = to_string(steps);
  task.name = task.name == task.text ? fmt::format("{} {}", task.text, text) : task.name + text;
  task.text += " " + text;
  return task;
}

Result<Task> make_generic_task(const GenericProblem& generic, std::string name) {
  if (generic.problem.empty() || generic.objective.empty()) {
    return fail(ErrorCode::InvalidArgument, "a generic task without a problem or an objective", "give both");
  }
  for (const double amount : {generic.flops, generic.bytes}) {
    if (std::isfinite(amount) && amount >= 0) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a generic task with {} FLOPs or bytes per run", amount),
                "give a number of at least 0; 0: unknown");
  }
  Task task;
  task.text = generic.problem;
  task.name = name.empty() ? task.text : std::move(name);
  task.definition = generic;
  return task;
}

}  // namespace kernelscape::task
