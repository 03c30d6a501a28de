#ifdef KERNELSCAPE_ONEDNN

#include "core/measure/cpu/onednn_epilogue.h"

#include <stdexcept>
#include <variant>

#include "core/measure/cpu/onednn_versions.h"

namespace kernelscape::measure {
namespace {

using Extents = dnnl::memory::dims;

/** Appends a step that has no operand. */
void append_step(dnnl::post_ops& operations, const task::EpilogueStep& step) {
  using enum dnnl::algorithm;
  const auto append = [&](dnnl::algorithm algorithm, double alpha, double beta = 0) {
    append_elementwise(operations, algorithm, static_cast<float>(alpha), static_cast<float>(beta));
  };
  switch (step.kind) {
    case task::EpilogueKind::Relu:
      return append(eltwise_relu, 0);
    case task::EpilogueKind::LeakyRelu:
      return append(eltwise_relu, step.a);
    case task::EpilogueKind::Clip:
      return append(eltwise_clip, step.a, step.b);
    case task::EpilogueKind::Sigmoid:
      return append(eltwise_logistic, 0);
    case task::EpilogueKind::HardSigmoid:
      append(eltwise_linear, step.a, step.b);
      return append(eltwise_clip, 0, 1);
    case task::EpilogueKind::HardSwish:
      return append(eltwise_hardswish, 1.0 / 6, 0.5);
    case task::EpilogueKind::Silu:
      return append(eltwise_swish, 1);
    case task::EpilogueKind::Tanh:
      return append(eltwise_tanh, 0);
    case task::EpilogueKind::Gelu:
      return append(eltwise_gelu_erf, 0);
    case task::EpilogueKind::GeluTanh:
      return append(eltwise_gelu_tanh, 0);
    default:
      throw std::logic_error("a step with an operand is a binary operation");
  }
}

/** Returns a row-major layout of f32. */
dnnl::memory::desc row_major_layout(const Extents& extents) {
  Extents strides(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
  return {extents, dnnl::memory::data_type::f32, strides};
}

}  // namespace

OneDnnEpilogue onednn_epilogue(const task::Task& task, const dnnl::memory::desc& output) {
  const task::TensorOperator& op = *task.op;
  const bool convolution = std::holds_alternative<task::Convolution>(task.definition);
  const std::size_t channel = convolution ? 1 : op.output.shape.size() - 1;
  Extents vector(op.output.shape.size(), 1);
  vector[channel] = op.output.shape[channel];

  OneDnnEpilogue epilogue;
  dnnl::post_ops operations;
  bool in_place = convolution;  // the next residual connection is added in place
  for (std::size_t i = 0; i < op.epilogue.size(); ++i) {
    const task::EpilogueStep& step = op.epilogue[i];
    if (!task::has_operand(step.kind)) {
      append_step(operations, step);
    } else if (i == 0 && step.kind == task::EpilogueKind::Bias) {
      epilogue.bias = row_major_layout(convolution ? Extents{vector[channel]} : vector);
      epilogue.operands.push_back({DNNL_ARG_BIAS, *epilogue.bias, false});
    } else if (in_place && step.kind == task::EpilogueKind::Add) {
      in_place = false;
      epilogue.operands.push_back({0, output, true, true});
      operations.append_sum();
    } else {
      const bool residual = step.kind == task::EpilogueKind::Add;
      const dnnl::memory::desc layout = residual ? output : row_major_layout(vector);
      epilogue.operands.push_back(
          {DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations.len()) | DNNL_ARG_SRC_1, layout, residual});
      operations.append_binary(
          step.kind == task::EpilogueKind::Scale ? dnnl::algorithm::binary_mul : dnnl::algorithm::binary_add,
          layout);
    }
  }
  epilogue.attributes.set_post_ops(operations);
  return epilogue;
}

}  // namespace kernelscape::measure

#endif
