#include "core/task/layer_fields.h"

namespace kernelscape::task {
namespace {

/** The index of the operation in both kinds of layers. */
constexpr std::size_t operation_field = 0;

namespace convolution_fields {
enum : std::size_t { kernel = 1, stride, border, batch, input_size, input_channels, output_channels };
}  // namespace convolution_fields

namespace multiplication_fields {
enum : std::size_t { k = 1, n, m, batch };
}  // namespace multiplication_fields

/** Stored instead of the number of groups: one group per input channel. */
constexpr std::int64_t depthwise_groups = 0;

std::int64_t product_or_limit(std::int64_t first, std::int64_t second) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(first, second, &product) ? count_limit : product;
}

void append_types(const OperandTypes& types, FieldValue& value) {
  for (const ScalarType type : {types.activation, types.weight, types.output, types.accumulator})
    value.push_back(static_cast<std::int64_t>(type));
}

/** Returns the types from the last four numbers of an operation. */
OperandTypes types_of(const FieldValue& value) {
  const auto type = [&](std::size_t from_end) {
    return static_cast<ScalarType>(value.at(value.size() - from_end));
  };
  return {type(4), type(3), type(2), type(1)};
}

std::vector<FieldValue> convolution_values(const Convolution& c, const OperandTypes& types) {
  const bool depthwise = c.depthwise();
  FieldValue kind = {static_cast<std::int64_t>(c.kernel.size()), c.transposed ? 1 : 0,
                     depthwise ? depthwise_groups : c.groups};
  append_types(types, kind);
  FieldValue around = c.padding;
  around.insert(around.end(), c.dilation.begin(), c.dilation.end());
  around.insert(around.end(), c.padding_end.begin(), c.padding_end.end());
  return {std::move(kind),    c.kernel,
          c.stride,           std::move(around),
          {c.batch},          c.input_size,
          {c.input_channels}, {depthwise ? c.output_channels / c.input_channels : c.output_channels}};
}

Result<Task> convolution_of(std::span<const FieldValue> values) {
  const FieldValue& kind = values[operation_field];
  const bool depthwise = kind.at(2) == depthwise_groups;
  Convolution c;
  c.transposed = kind.at(1) == 1;
  c.kernel = values[convolution_fields::kernel];
  c.stride = values[convolution_fields::stride];
  const std::span<const std::int64_t> border = values[convolution_fields::border];
  // As many values as the operation has dimensions, followed by the padding after the last element if it
  // differs.
  c.padding.assign(border.begin(), border.begin() + kind.at(0));
  c.dilation.assign(border.begin() + kind.at(0), border.begin() + 2 * kind.at(0));
  c.padding_end.assign(border.begin() + 2 * kind.at(0), border.end());
  c.batch = values[convolution_fields::batch].at(0);
  c.input_size = values[convolution_fields::input_size];
  c.input_channels = values[convolution_fields::input_channels].at(0);
  c.groups = depthwise ? c.input_channels : kind.at(2);
  const std::int64_t outputs = values[convolution_fields::output_channels].at(0);
  c.output_channels = depthwise ? product_or_limit(c.input_channels, outputs) : outputs;
  return make_convolution_task(c, types_of(kind));
}

std::vector<FieldValue> multiplication_values(const MatrixMultiplication& m, const OperandTypes& types) {
  FieldValue kind = {m.batched ? 1 : 0, m.transpose_a ? 1 : 0, m.transpose_b ? 1 : 0, m.n == 1 ? 1 : 0};
  append_types(types, kind);
  return {std::move(kind), {m.k}, {m.n}, {m.m}, {m.batch}};
}

Result<Task> multiplication_of(std::span<const FieldValue> values) {
  const FieldValue& kind = values[operation_field];
  MatrixMultiplication m;
  m.batched = kind.at(0) == 1;
  m.transpose_a = kind.at(1) == 1;
  m.transpose_b = kind.at(2) == 1;
  m.k = values[multiplication_fields::k].at(0);
  m.n = values[multiplication_fields::n].at(0);
  m.m = values[multiplication_fields::m].at(0);
  m.batch = values[multiplication_fields::batch].at(0);
  return make_matmul_task(m, types_of(kind));
}

}  // namespace

const std::vector<LayerField>& layer_fields(LayerKind kind) {
  static const std::vector<LayerField> of_convolutions = [] {
    // NOLINTNEXTLINE(google-build-using-namespace): the names of one table
    using namespace convolution_fields;
    return std::vector<LayerField>{
        {"operation", {}},
        {"kernel", {operation_field}},
        {"stride", {operation_field, kernel}},
        {"border", {operation_field, kernel, stride}},
        {"batch", {operation_field}},
        {"input size", {operation_field, kernel, stride}},
        {"input channels", {operation_field, kernel, input_size}},
        {"output channels", {operation_field, kernel, input_channels}},
    };
  }();
  static const std::vector<LayerField> of_multiplications = {
      {"operation", {}},
      {"k", {operation_field}},
      {"n", {operation_field, multiplication_fields::k}},
      {"m", {operation_field}},
      {"batch", {operation_field}},
  };
  return kind == LayerKind::Convolution ? of_convolutions : of_multiplications;
}

std::vector<FieldValue> field_values(const Definition& definition, const OperandTypes& types) {
  if (const auto* convolution = std::get_if<Convolution>(&definition))
    return convolution_values(*convolution, types);
  return multiplication_values(std::get<MatrixMultiplication>(definition), types);
}

Result<Task> task_of_fields(LayerKind kind, std::span<const FieldValue> values) {
  return kind == LayerKind::Convolution ? convolution_of(values) : multiplication_of(values);
}

}  // namespace kernelscape::task
