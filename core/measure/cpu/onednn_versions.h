#pragma once

#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kernelscape::measure {

// The parts of oneDNN's C++ interface that differ between version 2 (Debian 12) and version 3 (Debian 13).

/** Strides and blocks of a blocked memory layout, in elements. */
struct BlockedLayout {
  std::vector<std::int64_t> strides;           ///< one per dimension; of the blocks if it is blocked
  std::vector<std::int64_t> inner_blocks;      ///< lengths of the blocks, from the outermost
  std::vector<std::int64_t> inner_dimensions;  ///< the dimension that each block divides
};

/** Returns nullopt for a layout that only the library can describe. */
inline std::optional<BlockedLayout> blocked_layout(const dnnl::memory::desc& layout) {
#if DNNL_VERSION_MAJOR >= 3
  if (layout.get_format_kind() != dnnl::memory::format_kind::blocked) return std::nullopt;
  return BlockedLayout{layout.get_strides(), layout.get_inner_blks(), layout.get_inner_idxs()};
#else
  if (layout.data.format_kind != dnnl_blocked) return std::nullopt;
  const dnnl_blocking_desc_t& blocking = layout.data.format_desc.blocking;
  return BlockedLayout{{blocking.strides, blocking.strides + layout.data.ndims},
                       {blocking.inner_blks, blocking.inner_blks + blocking.inner_nblks},
                       {blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks}};
#endif
}

/**
 * Lets the library choose an implementation. The arguments are those of the operation description of version
 * 2, which are also those of the primitive description of version 3 behind its engine.
 */
template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc describe_primitive(const dnnl::engine& engine,
                                                      const dnnl::primitive_attr& attributes,
                                                      const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, arguments..., attributes};
#else
  return {typename Primitive::desc(arguments...), attributes, engine};
#endif
}

/** Appends an operation on each element; hard swish has fixed constants in version 2. */
inline void append_elementwise(dnnl::post_ops& operations, dnnl::algorithm algorithm, float alpha,
                               float beta) {
#if DNNL_VERSION_MAJOR >= 3
  operations.append_eltwise(algorithm, alpha, beta);
#else
  constexpr float unscaled = 1;
  if (algorithm == dnnl::algorithm::eltwise_hardswish) alpha = beta = 0;
  operations.append_eltwise(unscaled, algorithm, alpha, beta);
#endif
}

/** Returns the algorithm of a convolution as the library chose it: "direct" or "Winograd". */
template <typename PrimitiveDescription>
std::string convolution_algorithm(const PrimitiveDescription& description) {
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::algorithm algorithm = description.get_algorithm();
#else
  dnnl::algorithm algorithm = dnnl::algorithm::undef;
  const dnnl_convolution_desc_t* operation = nullptr;
  for (const dnnl_query_t query : {dnnl_query_convolution_d, dnnl_query_deconvolution_d})
    if (dnnl_primitive_desc_query(description.get(), query, 0, &operation) == dnnl_success)
      algorithm = static_cast<dnnl::algorithm>(operation->alg_kind);
#endif
  using enum dnnl::algorithm;
  return algorithm == convolution_winograd || algorithm == deconvolution_winograd ? "Winograd" : "direct";
}

}  // namespace kernelscape::measure
