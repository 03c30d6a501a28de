
using dnnl::memory;
using Dims = memory::dims;

struct Tensor {
  Dims dims;
  Dims strides; /* of the plain tensor */
};

enum class Kind { Convolution, Deconvolution, Multiplication };

struct Layer {
  Kind kind;
  Tensor data;
  Tensor weight;
  Tensor output;
  Dims stride;
  Dims gaps; /* of a dilation */
  Dims padding;
  Dims padding_end;
};

struct Chosen {
  dnnl::primitive primitive;
  memory::desc data;
  memory::desc weight;
  memory::desc output;
};

memory::desc any(const Tensor &tensor) {
  return memory::desc(tensor.dims, memory::data_type::f32, memory::format_tag::any);
}

template <typename Primitive>
Chosen chosen_of(const typename Primitive::primitive_desc &description) {
  return {Primitive(description), description.src_desc(), description.weights_desc(), description.dst_desc()};
}

Chosen choose(const Layer &layer, const dnnl::engine &engine, const memory::desc &data, const memory::desc &weight,
              const memory::desc &output) {
  const auto kind = dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  if (layer.kind == Kind::Multiplication)
    return chosen_of<dnnl::matmul>(dnnl::matmul::primitive_desc(engine, data, weight, output));
  if (layer.kind == Kind::Deconvolution)
    return chosen_of<dnnl::deconvolution_forward>(dnnl::deconvolution_forward::primitive_desc(
        engine, kind, dnnl::algorithm::deconvolution_direct, data, weight, output, layer.stride, layer.gaps,
        layer.padding, layer.padding_end));
  return chosen_of<dnnl::convolution_forward>(
      dnnl::convolution_forward::primitive_desc(engine, kind, dnnl::algorithm::convolution_auto, data, weight, output,
                                                layer.stride, layer.gaps, layer.padding, layer.padding_end));
#else
  if (layer.kind == Kind::Multiplication)
    return chosen_of<dnnl::matmul>(dnnl::matmul::primitive_desc(dnnl::matmul::desc(data, weight, output), engine));
  if (layer.kind == Kind::Deconvolution)
    return chosen_of<dnnl::deconvolution_forward>(dnnl::deconvolution_forward::primitive_desc(
        dnnl::deconvolution_forward::desc(kind, dnnl::algorithm::deconvolution_direct, data, weight, output,
                                          layer.stride, layer.gaps, layer.padding, layer.padding_end),
        engine));
  return chosen_of<dnnl::convolution_forward>(dnnl::convolution_forward::primitive_desc(
      dnnl::convolution_forward::desc(kind, dnnl::algorithm::convolution_auto, data, weight, output, layer.stride,
                                      layer.gaps, layer.padding, layer.padding_end),
      engine));
#endif
}
