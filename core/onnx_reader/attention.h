#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/onnx_reader/einsum.h"

namespace kernelscape::onnx_reader {

/** The operators that weight values by products of queries and keys. They differ in their inputs. */
enum class AttentionKind {
  Standard,   ///< ONNX's Attention, from operator set 23 on
  Projected,  ///< com.microsoft.Attention, which first multiplies its input by the weights of Q, K and V
  Quantised,  ///< com.microsoft.QAttention: Projected, with scales and zero points
  MultiHead,  ///< com.microsoft.MultiHeadAttention
  Grouped,    ///< com.microsoft.GroupQueryAttention
};

/** Returns nullopt for operators of other names or domains. */
std::optional<AttentionKind> attention_kind(const onnx::NodeProto& node);

/** The sizes of an attention's matrix multiplications. Lengths are -1 if they are unknown. */
struct AttentionSizes {
  Extents result;                 ///< shape of the first result
  std::int64_t keys = -1;         ///< keys of a batch, including past ones
  std::int64_t query_width = -1;  ///< elements of a query, over all heads
  std::int64_t value_width = -1;  ///< elements of a weighted value, over all heads
  std::int64_t rows = -1;         ///< queries over all batches
  std::int64_t projected = 0;     ///< products of the projection of one row

  /** Returns the FLOPs of all matrix multiplications, including masked ones; 0: unknown. */
  double flops() const;
};

/** Finds an attribute of a node by its name; nullptr if there is none. */
using AttributeFinder = std::function<const onnx::AttributeProto*(std::string_view)>;

/** Reads the sizes of an attention. @param inputs shapes; nullopt for an absent input or an unknown shape */
std::optional<AttentionSizes> attention_sizes(AttentionKind kind,
                                              const std::vector<std::optional<Extents>>& inputs,
                                              const AttributeFinder& find);

}  // namespace kernelscape::onnx_reader
