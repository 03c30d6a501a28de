#include "core/schedule/template_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <tuple>

#include "core/loop_nest/rewrite.h"
#include "core/schedule/constraint_rules.h"

namespace kernelscape::schedule {
namespace {

/** Requires these types of the inputs, in order, and of the output. */
Status require_types(const task::Task& task, const std::array<task::ScalarType, 3>& types,
                     std::string_view known) {
  if (!task.op) return fail(ErrorCode::InvalidArgument, "a generic task has no operator");
  const task::TensorOperator& op = *task.op;
  const std::array<const task::TensorAccess*, 3> tensors{&op.inputs[0], &op.inputs[1], &op.output};
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i]->type != types[i])
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{} is {}, but only {} is supported", tensors[i]->tensor,
                              task::to_string(tensors[i]->type), known));
  return {};
}

}  // namespace

Result<ScheduledKernel> finish_template(std::string name, int version, const task::Task& task,
                                        const TargetDescription& target, Schedule schedule) {
  if (const Status understood = schedule.check(target.kind); !understood)
    return fail(understood.error().code, fmt::format("template {}: {}", name, understood.error().message),
                understood.error().hint);
  space::SearchSpace space = TRY(schedule.finish());
  space::ConstraintSystem limits = derive_limits(schedule, target);
  TargetDescription described = target;
  // Extensions that kernels do not use would distinguish them from those of sessions that were stored with
  // fewer extensions.
  std::erase_if(described.extensions, [&](const std::string& extension) {
    return !schedule.dot_group() ||
           !loop_nest::contains(schedule.tensorized()->intrinsic->extensions, std::string_view(extension));
  });
  return ScheduledKernel(std::move(name), version, task, std::move(described), std::move(space),
                         std::move(limits), std::make_shared<const Schedule>(std::move(schedule)));
}

std::vector<std::int64_t> up_to(std::int64_t last) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), std::int64_t{1});
  return values;
}

std::int64_t largest_divisor(std::int64_t value, std::int64_t bound) {
  std::int64_t divisor = std::min(value, bound);
  while (value % divisor != 0) --divisor;
  return divisor;
}

std::int64_t accumulator_registers(const TargetDescription& target) {
  return std::max<std::int64_t>(4, target.vector_registers - 2);
}

std::int64_t thread_registers(const TargetDescription& target) {
  constexpr std::int64_t usual = 255;  // CUDA's limit; OpenCL does not report one
  return target.registers_per_thread > 0 ? target.registers_per_thread : usual;
}

int dimension_of(const task::TensorAccess& tensor, LoopId axis) {
  for (std::size_t d = 0; d < tensor.indices.size(); ++d)
    if (tensor.indices[d].coefficients[static_cast<std::size_t>(axis.number)] != 0)
      return static_cast<int>(d);
  return 0;
}

Status require_f32(const task::Task& task) {
  return require_types(task, {task::ScalarType::F32, task::ScalarType::F32, task::ScalarType::F32}, "f32");
}

Status require_f32_sums(const task::Task& task) {
  task::ScalarType type = task::ScalarType::F32;
  if (task.op &&
      (task.op->inputs[0].type == task::ScalarType::F16 || task.op->inputs[0].type == task::ScalarType::BF16))
    type = task.op->inputs[0].type;
  return require_types(task, {type, type, task::ScalarType::F32}, "f32, f16 or bf16 into f32");
}

Status require_bf16(const task::Task& task) {
  return require_types(task, {task::ScalarType::BF16, task::ScalarType::BF16, task::ScalarType::F32},
                       "bf16 into f32");
}

Status require_int8(const task::Task& task) {
  return require_types(task, {task::ScalarType::U8, task::ScalarType::I8, task::ScalarType::I32},
                       "u8 by i8 into i32");
}

Result<task::Convolution> plain_convolution_2d(const task::Task& task) {
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  if (convolution == nullptr) return fail(ErrorCode::InvalidArgument, "not a convolution");
  if (convolution->kernel.size() != 2)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a convolution in {} dimensions, not 2", convolution->kernel.size()));
  if (convolution->transposed) return fail(ErrorCode::InvalidArgument, "a transposed convolution");
  return *convolution;
}

Result<task::Convolution> ungrouped_convolution_2d(const task::Task& task) {
  Result<task::Convolution> convolution = plain_convolution_2d(task);
  if (convolution && convolution->groups != 1)
    return fail(ErrorCode::InvalidArgument, "a grouped convolution");
  return convolution;
}

Status fits_plain_convolution(const task::Task& task, const TargetDescription& /*target*/) {
  std::ignore = TRY(ungrouped_convolution_2d(task));
  return require_f32(task);
}

Status require_depthwise(const task::Task& task) {
  const task::Convolution convolution = TRY(plain_convolution_2d(task));
  if (!convolution.depthwise() || convolution.output_channels != convolution.groups)
    return fail(ErrorCode::InvalidArgument, "not a depthwise convolution with one filter per channel");
  return {};
}

Status fits_depthwise(const task::Task& task, const TargetDescription& /*target*/) {
  TRY(require_depthwise(task));
  return require_f32(task);
}

Status require_multiple(std::string_view what, std::int64_t value, std::int64_t of) {
  if (value % of == 0) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} {}, which is not a multiple of {}", value, what, of));
}

std::vector<LoopId> split_dot_groups(Schedule& s, LoopId axis, const Intrinsic& dot) {
  s.pad(axis, dot.group);
  std::vector<LoopId> parts = s.split_by(axis, dot.group);
  s.tensorize(dot, {parts[1]});
  s.name({parts[1]}, {std::string(dot.element)});
  return parts;
}

void offer_multiply_adds(Schedule& s, const Intrinsic& dot, const TargetDescription& target) {
  if (dot.may_be_slow && dot.available(target))
    s.tensorize_if(s.categorical("dot_product", {space::KnobValue{false}, space::KnobValue{true}}));
}

OutputTiles tile_output(Schedule& s) {
  OutputTiles tiles;
  tiles.f = s.split(s.axis("f"), 4, "tile_f");
  tiles.y = s.split(s.axis("y"), 4, "tile_y");
  tiles.x = s.split(s.axis("x"), 4, "tile_x");
  const std::vector<LoopId>* splits[] = {&tiles.f, &tiles.y, &tiles.x};
  const Binding blocks[] = {Binding::BlockZ, Binding::BlockY, Binding::BlockX};
  const Binding threads[] = {Binding::ThreadZ, Binding::ThreadY, Binding::ThreadX};
  s.bind(s.axis("n"), Binding::BlockZ);
  tiles.outer.push_back(s.axis("n"));
  for (std::size_t i = 0; i < 3; ++i) {
    s.bind((*splits[i])[0], blocks[i]);
    s.bind((*splits[i])[1], Binding::VirtualThread);
    s.bind((*splits[i])[2], threads[i]);
  }
  for (std::size_t part = 0; part < 3; ++part)
    for (const std::vector<LoopId>* split : splits) tiles.outer.push_back((*split)[part]);
  return tiles;
}

std::vector<OrderItem> order_within(const std::vector<LoopId>& outer, const std::vector<LoopId>& inner) {
  std::vector<OrderItem> order(outer.begin(), outer.end());
  order.insert(order.end(), inner.begin(), inner.end());
  return order;
}

Result<task::MatrixMultiplication> plain_multiplication(const task::Task& task, bool batched) {
  const auto* multiplication = std::get_if<task::MatrixMultiplication>(&task.definition);
  if (multiplication == nullptr) return fail(ErrorCode::InvalidArgument, "not a matrix multiplication");
  if (multiplication->batched != batched)
    return fail(ErrorCode::InvalidArgument, batched ? "not a batch of matrices" : "a batch of matrices");
  return *multiplication;
}

Status fits_multiplication(const task::Task& task, bool batched) {
  std::ignore = TRY(plain_multiplication(task, batched));
  return require_f32(task);
}

}  // namespace kernelscape::schedule
