#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/base/random.h"
#include "core/loop_nest/layout.h"
#include "core/schedule/template.h"
#include "core/task/reference.h"
#include "core/task/task.h"
#include "core/task/winograd.h"

namespace kernelscape::testing {

/** A CPU by its vectors, with dot products of bf16: kernels of these have one more knob. */
inline schedule::TargetDescription cpu_with_lanes(std::int64_t lanes) {
  schedule::TargetDescription target;
  target.vector_bits = 32 * lanes;
  target.vector_registers = lanes == 16 ? 32 : 16;
  target.isa = lanes == 16 ? "avx512" : lanes == 8 ? "avx2" : "sse2";
  target.device = "a test's CPU";
  target.extensions = {"avx512_bf16"};
  target.flags = {"-O1", "-march=native"};
  return target;
}

/** What a GPU kernel's limits call the bytes of its shared inputs: a sum of one copy is that copy's, of
 * weights beside data of which no box can be cut out. */
inline const char* shared_inputs_name(const space::ConstraintSystem& limits) {
  return limits.find("shared_bytes") ? "shared_bytes" : "shared_weight_bytes";
}

/** The default CUDA device with the tensor cores that it lacks: all CUDA templates have tasks for it. */
inline schedule::TargetDescription cuda_with_tensor_cores() {
  schedule::TargetDescription target = schedule::default_cuda_target();
  target.isa = "sm_80";
  target.device = "a test's GPU";
  return target;
}

inline std::vector<const schedule::TemplateDeclaration*> templates_of(schedule::TargetKind kind) {
  std::vector<const schedule::TemplateDeclaration*> result;
  for (const schedule::TemplateDeclaration& declaration : schedule::template_registry())
    if (schedule::supports(declaration, kind)) result.push_back(&declaration);
  return result;
}

template <std::size_t Count>
std::int64_t one_of(base::Random& random, const std::array<std::int64_t, Count>& values) {
  return values[random.below(Count)];
}

inline std::int64_t between(base::Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

inline constexpr std::array<std::int64_t, 10> odd_channels{1, 3, 5, 7, 8, 16, 17, 24, 32, 40};

/** Odd channels, oblong images and kernels, any stride, dilation and padding up to the kernel. */
inline Result<task::Task> random_convolution(base::Random& random, const task::OperandTypes& types = {}) {
  task::Convolution c;
  c.batch = between(random, 1, 3);
  c.input_channels = one_of(random, odd_channels);
  c.output_channels = one_of(random, odd_channels);
  if (random.chance(0.2)) c.groups = c.output_channels = c.input_channels;
  if (random.chance(0.2)) {
    c.groups = one_of<3>(random, {2, 3, 4});
    c.input_channels = c.groups * one_of<5>(random, {2, 3, 8, 10, 17});
    c.output_channels = c.groups * one_of<6>(random, {1, 3, 8, 10, 16, 17});
  }
  c.transposed = random.chance(0.3);
  const std::int64_t rank = one_of<4>(random, {1, 2, 2, 3});
  const bool pointwise = random.chance(0.2);
  const bool square = random.chance(0.5);
  for (std::int64_t d = 0; d < rank; ++d) {
    const bool same = square && d > 0;
    c.input_size.push_back(between(random, 1, 13));
    c.kernel.push_back(pointwise ? 1 : same ? c.kernel[0] : one_of<4>(random, {1, 3, 5, 7}));
    c.stride.push_back(same ? c.stride[0] : one_of<5>(random, {1, 1, 1, 2, 3}));
    c.dilation.push_back(same ? c.dilation[0] : one_of<4>(random, {1, 1, 2, 3}));
    c.padding.push_back(same ? c.padding[0] : random.chance(0.4) ? 0 : between(random, 0, c.kernel.back()));
    c.padding_end.push_back(random.chance(0.7) ? c.padding.back() : between(random, 0, c.kernel.back()));
  }
  return task::make_convolution_task(c, types);
}

/** Any shape with odd extents, vectors among them, transposed or not. */
inline Result<task::Task> random_multiplication(base::Random& random, const task::OperandTypes& types = {}) {
  constexpr std::array<std::int64_t, 12> extents{1, 2, 3, 5, 7, 8, 13, 16, 17, 24, 31, 40};
  task::MatrixMultiplication m;
  m.batched = random.chance(0.5);
  if (m.batched) m.batch = between(random, 1, 4);
  m.m = random.chance(0.15) ? 1 : one_of(random, extents);
  m.n = random.chance(0.15) ? 1 : one_of(random, extents);
  m.k = one_of(random, extents);
  m.transpose_a = random.chance(0.3);
  m.transpose_b = random.chance(0.3);
  return task::make_matmul_task(m, types);
}

/** A convolution of halves with batches and channels that tensor cores may divide. */
inline Result<task::Task> random_half_convolution(base::Random& random) {
  task::Convolution c;
  c.batch = one_of<6>(random, {8, 16, 16, 24, 32, 64});
  c.input_channels = one_of<4>(random, {16, 32, 48, 128});
  c.output_channels = one_of<6>(random, {8, 16, 24, 32, 64, 128});
  for (int d = 0; d < 2; ++d) {
    c.input_size.push_back(between(random, 1, 4));
    c.kernel.push_back(between(random, 1, 3));
    c.stride.push_back(between(random, 1, 2));
    c.dilation.push_back(between(random, 1, 2));
    c.padding.push_back(between(random, 0, c.kernel.back()));
  }
  return task::make_convolution_task(c, *task::parse_operand_types("f16"));
}

/** A multiplication of halves with extents that tensor cores may divide. */
inline Result<task::Task> random_half_multiplication(base::Random& random) {
  task::MatrixMultiplication m;
  m.batched = random.chance(0.3);
  if (m.batched) m.batch = between(random, 1, 3);
  m.m = one_of<7>(random, {8, 16, 24, 32, 48, 64, 128});
  m.n = one_of<7>(random, {8, 16, 24, 32, 40, 64, 128});
  m.k = one_of<5>(random, {16, 32, 48, 64, 128});
  m.transpose_a = random.chance(0.5);
  m.transpose_b = random.chance(0.5);
  return task::make_matmul_task(m, *task::parse_operand_types("f16"));
}

inline Result<task::Task> random_task_of_any_kind(base::Random& random) {
  if (random.chance(0.25)) {
    const task::OperandTypes bytes = *task::parse_operand_types("i8");
    return random.chance(0.5) ? random_convolution(random, bytes) : random_multiplication(random, bytes);
  }
  if (random.chance(0.25)) {
    const task::OperandTypes types = *task::parse_operand_types(random.chance(0.5) ? "f16" : "bf16");
    return random.chance(0.5) ? random_convolution(random, types) : random_multiplication(random, types);
  }
  const bool halves = random.chance(0.25);
  if (random.chance(0.5)) return halves ? random_half_convolution(random) : random_convolution(random);
  return halves ? random_half_multiplication(random) : random_multiplication(random);
}

/** A small task that a template fits. */
inline task::Task random_task(const schedule::TemplateDeclaration& declaration,
                              const schedule::TargetDescription& target, base::Random& random,
                              double max_flops) {
  for (int attempt = 0; attempt < 1'000'000; ++attempt) {
    const Result<task::Task> task = random_task_of_any_kind(random);
    if (task && task->flops() <= max_flops && declaration.fits(*task, target)) return *task;
  }
  throw std::runtime_error("no random task fits template " + declaration.name);
}

/** A random configuration that no limit of the target refuses. */
inline space::Configuration accepted_member(const schedule::ScheduledKernel& kernel, base::Random& random) {
  for (int attempt = 0; attempt < 100'000; ++attempt) {
    const std::optional<space::Configuration> member = kernel.space().random_member(random);
    if (member && kernel.limits().satisfied(kernel.space().knobs(), *member)) return *member;
  }
  throw std::runtime_error("the target refuses all members of template " + kernel.template_name());
}

/** Physical contents; what no logical element maps to is zero. Kernels are transformed where the layout holds
 * transformed ones. */
template <typename T>
void pack(const loop_nest::Layout& layout, std::span<const double> values, std::span<T> physical) {
  const std::vector<double> logical = layout.winograd_tile > 0
                                          ? task::winograd_weights(layout.winograd_tile, values)
                                          : std::vector<double>(values.begin(), values.end());
  std::ranges::fill(physical, T{0});
  const std::vector<std::int64_t> offsets = loop_nest::physical_offsets(layout);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    physical[static_cast<std::size_t>(offsets[i])] = static_cast<T>(logical[i]);
}

template <typename T>
std::vector<double> unpack(const loop_nest::Layout& layout, std::span<const T> physical) {
  std::vector<double> logical;
  for (const std::int64_t offset : loop_nest::physical_offsets(layout))
    logical.push_back(static_cast<double>(physical[static_cast<std::size_t>(offset)]));
  return logical;
}

}  // namespace kernelscape::testing
