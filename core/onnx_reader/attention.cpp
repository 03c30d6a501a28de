#include "core/onnx_reader/attention.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

/** Returns the product, or -1 if a factor is unknown or the product is too large. */
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

/** The inputs and attributes of an attention. */
class AttentionNode {
 public:
  AttentionNode(const std::vector<std::optional<Extents>>& inputs, const AttributeFinder& find)
      : inputs_(inputs), find_(find) {}

  /**
   * Reads Q, K and V with 4 dimensions, batch x heads x rows x width, or with 3 and the heads in attributes.
   */
  std::optional<AttentionSizes> standard() const {
    const Extents query = input(0);
    const Extents key = input(1);
    const Extents value = input(2);
    if (query.size() != key.size() || key.size() != value.size()) return std::nullopt;
    AttentionSizes sizes;
    if (query.size() == 4) {
      sizes.rows = times(query[0], query[2]);
      sizes.query_width = times(query[1], query[3]);
      sizes.value_width = times(query[1], value[3]);
      sizes.keys = key[2];
      sizes.result = {query[0], query[1], query[2], value[3]};
    } else if (query.size() == 3) {
      const std::int64_t value_heads = number("kv_num_heads");
      sizes.rows = times(query[0], query[1]);
      sizes.query_width = query[2];
      sizes.value_width =
          value[2] >= 0 && value_heads > 0 ? times(value[2] / value_heads, number("q_num_heads")) : -1;
      sizes.keys = key[1];
      sizes.result = {query[0], query[1], sizes.value_width};
    } else {
      return std::nullopt;
    }
    sizes.keys = plus(sizes.keys, past(4, 2));
    return sizes;
  }

  /** Reads a single input, whose product with the weights is Q, K and V. */
  std::optional<AttentionSizes> projected(std::size_t past_input) const {
    const Extents data = input(0);
    const Extents weights = input(1);
    if (data.size() != 3 || weights.size() != 2) return std::nullopt;
    AttentionSizes sizes;
    sizes.rows = times(data[0], data[1]);
    sizes.keys = plus(data[1], past(past_input, 3));
    sizes.query_width = sizes.value_width = weights[1] < 0 ? -1 : weights[1] / 3;
    const onnx::AttributeProto* widths = find_("qkv_hidden_sizes");
    if (widths != nullptr && widths->ints_size() == 3) {
      sizes.query_width = widths->ints(0);
      sizes.value_width = widths->ints(2);
    }
    sizes.projected = times(weights[0], weights[1]);
    sizes.result = {data[0], data[1], sizes.value_width};
    return sizes;
  }

  /** Reads Q, K and V, or K and V in one input, or all of them in one input. */
  std::optional<AttentionSizes> multi_head() const {
    const Extents query = input(0);
    const Extents key = input(1);
    const Extents value = input(2);
    AttentionSizes sizes;
    if (query.size() == 5) {
      sizes.query_width = sizes.value_width = times(query[2], query[4]);
      sizes.keys = query[1];
    } else if (query.size() == 3 && key.size() == 5) {
      sizes.query_width = sizes.value_width = query[2];
      sizes.keys = key[1];
    } else if (query.size() == 3 && key.size() >= 3 && value.size() == key.size()) {
      sizes.query_width = query[2];
      sizes.keys = key.size() == 4 ? key[2] : key[1];
      sizes.value_width = value.size() == 4 ? times(value[1], value[3]) : value[2];
    } else {
      return std::nullopt;
    }
    sizes.keys = plus(sizes.keys, past(6, 2));
    sizes.rows = times(query[0], query[1]);
    sizes.result = {query[0], query[1], sizes.value_width};
    return sizes;
  }

  /** Reads fewer heads of keys and values than of queries; without K and V, all of them are in one input. */
  std::optional<AttentionSizes> grouped() const {
    const Extents query = input(0);
    const Extents key = input(1);
    if (query.size() != 3 || (key.size() != 3 && !key.empty())) return std::nullopt;
    const std::int64_t heads = number("num_heads");
    const std::int64_t all_heads = plus(heads, times(2, number("kv_num_heads")));
    AttentionSizes sizes;
    sizes.query_width = !key.empty()                     ? query[2]
                        : all_heads > 0 && query[2] >= 0 ? times(query[2] / all_heads, heads)
                                                         : -1;
    sizes.value_width = sizes.query_width;
    sizes.rows = times(query[0], query[1]);
    sizes.keys = plus(key.empty() ? query[1] : key[1], past(3, 2));
    sizes.result = {query[0], query[1], sizes.value_width};
    return sizes;
  }

 private:
  /** Returns no extents if the input is absent or its shape is unknown. */
  Extents input(std::size_t place) const {
    return place < inputs_.size() && inputs_[place] ? *inputs_[place] : Extents();
  }
  /** Returns the number of keys that an input adds; 0 if it is absent. */
  std::int64_t past(std::size_t place, std::size_t dimension) const {
    const Extents extents = input(place);
    return dimension < extents.size() ? extents[dimension] : 0;
  }
  std::int64_t number(std::string_view name) const {
    const onnx::AttributeProto* attribute = find_(name);
    return attribute == nullptr ? -1 : attribute->i();
  }

  const std::vector<std::optional<Extents>>& inputs_;
  const AttributeFinder& find_;
};

}  // namespace

std::optional<AttentionKind> attention_kind(const onnx::NodeProto& node) {
  struct Known {
    std::string_view domain;
    std::string_view name;
    AttentionKind kind;
  };
  constexpr std::array known{Known{"", "Attention", AttentionKind::Standard},
                             Known{microsoft_domain, "Attention", AttentionKind::Projected},
                             Known{microsoft_domain, "QAttention", AttentionKind::Quantised},
                             Known{microsoft_domain, "MultiHeadAttention", AttentionKind::MultiHead},
                             Known{microsoft_domain, "GroupQueryAttention", AttentionKind::Grouped}};
  const auto found = std::ranges::find_if(known, [&](const Known& candidate) {
    return candidate.name == node.op_type() && candidate.domain == node.domain();
  });
  return found == known.end() ? std::nullopt : std::optional(found->kind);
}

double AttentionSizes::flops() const {
  if (std::min({keys, query_width, value_width, rows, projected}) < 0) return 0;
  const double per_row =
      static_cast<double>(keys) * (static_cast<double>(query_width) + static_cast<double>(value_width));
  return 2 * static_cast<double>(rows) * (static_cast<double>(projected) + per_row);
}

std::optional<AttentionSizes> attention_sizes(AttentionKind kind,
                                              const std::vector<std::optional<Extents>>& inputs,
                                              const AttributeFinder& find) {
  const AttentionNode node(inputs, find);
  switch (kind) {
    case AttentionKind::Standard:
      return node.standard();
    case AttentionKind::Projected:
      return node.projected(4);
    case AttentionKind::Quantised:
      return node.projected(8);
    case AttentionKind::MultiHead:
      return node.multi_head();
    case AttentionKind::Grouped:
      return node.grouped();
  }
  return std::nullopt;
}

}  // namespace kernelscape::onnx_reader
