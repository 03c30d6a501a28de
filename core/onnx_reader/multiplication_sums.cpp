#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/onnx_reader/einsum.h"
#include "core/onnx_reader/layer_sums.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

/** Returns all axes of an operand except the summed axis. */
std::vector<std::int64_t> axes_but(std::size_t rank, std::size_t summed) {
  std::vector<std::int64_t> axes;
  for (std::size_t d = 0; d < rank; ++d)
    if (d != summed) axes.push_back(static_cast<std::int64_t>(d));
  return axes;
}

/** Returns the product of all extents except the last two, limited to count_limit. */
std::int64_t matrices(const Extents& shape) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d)
    if (__builtin_mul_overflow(count, shape[d], &count) || count > task::count_limit)
      return task::count_limit;
  return count;
}

/** Returns the batch of two operands of the same rank, with the longer extent in each dimension. */
Result<Extents> joint_batch(const Extents& a, const Extents& b) {
  Extents batch;
  for (std::size_t d = 0; d + 2 < a.size(); ++d) {
    if (a[d] != b[d] && a[d] != 1 && b[d] != 1)
      return no_task(fmt::format("its operands do not match: batches of {} and {} are multiplied",
                                 fmt::join(a.begin(), a.end() - 2, "x"),
                                 fmt::join(b.begin(), b.end() - 2, "x")));
    batch.push_back(std::max(a[d], b[d]));
  }
  // Two dimensions that matrices() ignores.
  batch.insert(batch.end(), {1, 1});
  return batch;
}

}  // namespace

Result<LayerSums> gemm_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                            const ModelShapes& shapes) {
  const Extents a = TRY(input_shape(graph, node, shapes, 0));
  const Extents b = TRY(input_shape(graph, node, shapes, weight_input(node)));
  if (a.size() != 2 || b.size() != 2)
    return no_task(fmt::format("its operands have {} and {} dimensions, not 2", a.size(), b.size()));
  task::MatrixMultiplication m;
  m.transpose_a = whole_attribute(node, "transA", 0) != 0;
  m.transpose_b = whole_attribute(node, "transB", 0) != 0;
  m.m = a[m.transpose_a ? 1 : 0];
  m.k = a[m.transpose_a ? 0 : 1];
  m.n = b[m.transpose_b ? 0 : 1];
  if (const std::int64_t k = b[m.transpose_b ? 1 : 0]; k != m.k)
    return no_task(fmt::format("its operands do not match: {} and {} are multiplied", m.k, k));
  LayerSums sums{.definition = m, .second = weight_input(node)};
  sums.free_axes = {axes_but(2, m.transpose_a ? 0 : 1), axes_but(2, m.transpose_b ? 1 : 0)};
  return sums;
}

Result<LayerSums> matmul_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                              const ModelShapes& shapes) {
  Extents a = TRY(input_shape(graph, node, shapes, 0));
  Extents b = TRY(input_shape(graph, node, shapes, weight_input(node)));
  if (a.empty() || b.empty()) return no_task("an operand is a single number");
  for (const char* batches : {"transBatchA", "transBatchB"})
    if (whole_attribute(node, batches, 0) != 0) return no_task(fmt::format("{} is not supported", batches));
  task::MatrixMultiplication m;
  // com.microsoft.FusedMatMul: MatMul has no such attributes, and vectors are not transposed.
  m.transpose_a = whole_attribute(node, "transA", 0) != 0 && a.size() > 1;
  m.transpose_b = whole_attribute(node, "transB", 0) != 0 && b.size() > 1;
  LayerSums sums{.second = weight_input(node)};
  sums.free_axes = {axes_but(a.size(), a.size() - (m.transpose_a ? 2 : 1)),
                    axes_but(b.size(), b.size() == 1 ? 0 : b.size() - (m.transpose_b ? 1 : 2))};
  // A vector is a row, or a column.
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  m.m = a[a.size() - (m.transpose_a ? 1 : 2)];
  m.k = a[a.size() - (m.transpose_a ? 2 : 1)];
  m.n = b[b.size() - (m.transpose_b ? 2 : 1)];
  if (const std::int64_t k = b[b.size() - (m.transpose_b ? 1 : 2)]; k != m.k)
    return no_task(fmt::format("its operands do not match: {} and {} are multiplied", m.k, k));
  const std::int64_t left = matrices(a);
  const std::int64_t right = matrices(b);
  const std::size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  const std::int64_t batch = matrices(TRY(joint_batch(a, b)));
  if (right == 1 && (!m.transpose_a || left == 1)) {
    // All matrices are multiplied by the same weights: their rows are combined to those of one matrix.
    if (__builtin_mul_overflow(m.m, left, &m.m)) m.m = task::count_limit;
  } else {
    m.batched = true;
    m.batch = batch;
    sums.repeated = left != batch || right != batch;
  }
  sums.definition = m;
  return sums;
}

Result<LayerSums> einsum_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                              const ModelShapes& shapes) {
  std::vector<Extents> extents;
  std::vector<std::size_t> ranks;
  for (int i = 0; i < node.input_size(); ++i) {
    extents.push_back(TRY(input_shape(graph, node, shapes, i)));
    ranks.push_back(extents.back().size());
  }
  const onnx::AttributeProto* text = find_attribute(node, "equation");
  const EinsumEquation equation = TRY(parse_einsum(text == nullptr ? std::string() : text->s(), ranks));
  const EinsumProduct product = TRY(einsum_product(equation, extents));
  LayerSums sums{.first = product.swapped ? 1 : 0, .second = product.swapped ? 0 : 1};
  sums.definition = task::MatrixMultiplication{.batch = product.batch,
                                               .m = product.m,
                                               .n = product.n,
                                               .k = product.k,
                                               .batched = product.batched,
                                               .transpose_a = product.transpose_a,
                                               .transpose_b = product.transpose_b};
  sums.reordered = product.reordered;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<int>& labels = equation.operands[product.swapped ? 1 - i : i];
    for (std::size_t d = 0; d < labels.size(); ++d)
      if (std::ranges::find(equation.output, labels[d]) != equation.output.end())
        sums.free_axes.at(i).push_back(static_cast<std::int64_t>(d));
  }
  return sums;
}

}  // namespace kernelscape::onnx_reader
