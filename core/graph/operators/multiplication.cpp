#include "core/graph/operators/multiplication.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/matrix_product.h"
#include "core/graph/operators/zero_point.h"

namespace kernelscape::graph {

namespace {

/** A matrix in memory with any strides. */
struct StridedMatrix {
  const double* elements;
  std::int64_t row_stride;
  std::int64_t column_stride;

  void write(const Panel& panel, std::int64_t row_distance, double* target) const {
    for (std::int64_t row = 0; row < panel.rows; ++row) {
      const double* source =
          elements + (panel.first_row + row) * row_stride + panel.first_column * column_stride;
      for (std::int64_t column = 0; column < panel.columns; ++column)
        target[row * row_distance + column] = source[column * column_stride];
    }
  }
};

std::function<void(const Panel&, std::int64_t, double*)> panel_writer(StridedMatrix matrix) {
  return [matrix](const Panel& panel, std::int64_t row_distance, double* target) {
    matrix.write(panel, row_distance, target);
  };
}

/** Returns the transpose of a matrix. */
std::vector<double> transposed(const Tensor& matrix) {
  std::vector<double> elements;
  elements.reserve(matrix.elements.size());
  for (std::int64_t column = 0; column < matrix.shape[1]; ++column)
    for (std::int64_t row = 0; row < matrix.shape[0]; ++row)
      elements.push_back(at(matrix, row * matrix.shape[1] + column));
  return elements;
}

/** Sets a result to factor * tensor, which is broadcast to it. */
Status add_scaled(const Call& call, double factor, const Tensor& tensor, Tensor& result) {
  if (broadcast_shape(tensor.shape, result.shape) != result.shape) {
    return call.refuse(fmt::format("C of shape {} does not fit the result of shape {}",
                                   shape_text(tensor.shape), shape_text(result.shape)));
  }
  auto element = result.elements.begin();
  for_each_offset<1>(result.shape, {broadcast_strides(tensor.shape, result.shape)},
                     [&](const auto& offsets) { *element++ += factor * at(tensor, offsets[0]); });
  return {};
}

Result<Tensors> general_multiplication(const Call& call) {
  if (call[0].shape.size() != 2 || call[1].shape.size() != 2) {
    return call.refuse(fmt::format("its operands of shapes {} and {} are not two matrices",
                                   shape_text(call[0].shape), shape_text(call[1].shape)));
  }
  const bool left_transposed = call.integer("transA", 0) != 0;
  const bool right_transposed = call.integer("transB", 0) != 0;
  const std::int64_t rows = call[0].shape[left_transposed ? 1 : 0];
  const std::int64_t depth = call[0].shape[left_transposed ? 0 : 1];
  const std::int64_t columns = call[1].shape[right_transposed ? 0 : 1];
  if (call[1].shape[right_transposed ? 1 : 0] != depth) {
    return call.refuse(fmt::format("operands of shapes {} and {} do not fit together",
                                   shape_text(call[0].shape), shape_text(call[1].shape)));
  }
  Tensor result = TRY(new_tensor(call, call[0].type, {rows, columns}));
  const std::vector<double> turned = left_transposed ? transposed(call[0]) : std::vector<double>{};
  const std::int64_t width = call[1].shape[1];
  multiply({{.left = left_transposed ? turned.data() : call[0].elements.data(),
             .rows = rows,
             .depth = depth,
             .columns = columns,
             .right = panel_writer(
                 {call[1].elements.data(), right_transposed ? 1 : width, right_transposed ? width : 1}),
             .result = result.elements.data()}});
  const double alpha = call.number("alpha", 1);
  for (double& element : result.elements) element *= alpha;
  if (call.has(2)) TRY(add_scaled(call, call.number("beta", 1), call[2], result));
  return one_result(std::move(result));
}

Result<Tensors> matrix_multiplication(const Call& call) {
  return one_result(TRY(multiply_matrices(call, call[0], call[1], call[0].type)));
}

Result<Tensors> integer_multiplication(const Call& call) {
  const Tensor left = TRY(without_zero_point(call, 0, 2, call[0].shape.size() > 1 ? -2 : -1));
  const Tensor right = TRY(without_zero_point(call, 1, 3, -1));
  return one_result(TRY(multiply_matrices(call, left, right, ElementType::I32)));
}

}  // namespace

Result<Tensor> multiply_matrices(const Call& call, const Tensor& left, const Tensor& right,
                                 ElementType type) {
  Shape left_shape = left.shape;
  Shape right_shape = right.shape;
  if (left_shape.size() == 1) left_shape.insert(left_shape.begin(), 1);
  if (right_shape.size() == 1) right_shape.push_back(1);
  const auto refuse = [&] {
    return call.refuse(fmt::format("operands of shapes {} and {} do not fit together", shape_text(left.shape),
                                   shape_text(right.shape)));
  };
  if (left_shape.size() < 2 || right_shape.size() < 2) return refuse();
  const std::int64_t rows = *(left_shape.end() - 2);
  const std::int64_t depth = left_shape.back();
  const std::int64_t columns = right_shape.back();
  const Shape left_batch(left_shape.begin(), left_shape.end() - 2);
  const Shape right_batch(right_shape.begin(), right_shape.end() - 2);
  const std::optional<Shape> batch = broadcast_shape(left_batch, right_batch);
  if (*(right_shape.end() - 2) != depth || !batch) return refuse();

  Shape shape = *batch;
  if (left.shape.size() > 1) shape.push_back(rows);
  if (right.shape.size() > 1) shape.push_back(columns);
  Tensor result = TRY(new_tensor(call, type, shape));
  std::vector<MatrixProduct> products;
  double* target = result.elements.data();
  for_each_offset<2>(*batch, {broadcast_strides(left_batch, *batch), broadcast_strides(right_batch, *batch)},
                     [&](const auto& offsets) {
                       const double* matrix = right.elements.data() + offsets[1] * depth * columns;
                       products.push_back({.left = left.elements.data() + offsets[0] * rows * depth,
                                           .rows = rows,
                                           .depth = depth,
                                           .columns = columns,
                                           .right = panel_writer({matrix, columns, 1}),
                                           .result = target});
                       target += rows * columns;
                     });
  multiply(products);
  return result;
}

std::vector<Operator> multiplication_operators() {
  return {
      {"Einsum", 1, unlimited, einsum},
      {"Gemm", 2, 3, general_multiplication},
      {"MatMul", 2, 2, matrix_multiplication},
      {"MatMulInteger", 2, 4, integer_multiplication},
  };
}

}  // namespace kernelscape::graph
