#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/onnx/einsum.h"

namespace kernelscape {

/** The operators that weigh values by products of queries and keys. They differ in their inputs. */
enum class AttentionKind {
  Standard,   ///< ONNX's own, from operator set 23 on
  Projected,  ///< com.microsoft.Attention, which multiplies its input by the weights of Q, K and V first
  Quantised,  ///< com.microsoft.QAttention: Projected, with scales and zero points
  MultiHead,  ///< com.microsoft.MultiHeadAttention
  Grouped,    ///< com.microsoft.GroupQueryAttention
};

/** Returns nullopt for operators of other names or domains. */
std::optional<AttentionKind> attention_kind(const onnx::NodeProto& node);

/** What an attention multiplies. Lengths are -1 if they are not known. */
struct AttentionSizes {
  Extents result;                 ///< the shape of the first result
  std::int64_t keys = -1;         ///< of a batch, those of the past included
  std::int64_t query_width = -1;  ///< elements of a query, of all heads
  std::int64_t value_width = -1;  ///< elements of a weighted value, of all heads
  std::int64_t rows = -1;         ///< queries of all batches
  std::int64_t projected = 0;     ///< products of the projection of one row

  /** Returns the FLOPs of all matrix multiplications, masked ones included; 0: not known. */
  double flops() const;
};

/** Finds an attribute of a node by its name; nullptr: there is none. */
using AttributeFinder = std::function<const onnx::AttributeProto*(std::string_view)>;

/** Reads what an attention multiplies. @param inputs of which nullopt is absent or of unknown shape */
std::optional<AttentionSizes> attention_sizes(AttentionKind kind,
                                              const std::vector<std::optional<Extents>>& inputs,
                                              const AttributeFinder& find);

}  // namespace kernelscape
