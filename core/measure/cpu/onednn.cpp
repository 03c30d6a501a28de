#include <fmt/format.h>

#include "core/measure/vendor_kernel.h"

#ifdef KERNELSCAPE_ONEDNN

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>

#include "core/measure/cpu/onednn_epilogue.h"
#include "core/measure/cpu/onednn_versions.h"
#include "core/measure/cpu/packing.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/cache_flush.h"
#include "core/measure/worker/page_buffer.h"
#include "core/task/library_tensors.h"

namespace kernelscape::measure {
namespace {

using dnnl::memory;
using Dims = memory::dims;

/** Returns oneDNN's name of a type, for the types of tasks that it is compared for. */
memory::data_type type_of(task::ScalarType type) {
  switch (type) {
    case task::ScalarType::F16:
      return memory::data_type::f16;
    case task::ScalarType::BF16:
      return memory::data_type::bf16;
    case task::ScalarType::U8:
      return memory::data_type::u8;
    case task::ScalarType::I8:
      return memory::data_type::s8;
    case task::ScalarType::I32:
      return memory::data_type::s32;
    default:
      return memory::data_type::f32;
  }
}

/** Returns the offsets of `count` elements that are stored in their order. */
std::vector<std::int64_t> consecutive_offsets(std::size_t count) {
  std::vector<std::int64_t> offsets(count);
  std::iota(offsets.begin(), offsets.end(), std::int64_t{0});
  return offsets;
}

/** Returns the bytes of one element as a size in memory. */
std::size_t stored_bytes(task::ScalarType type) { return static_cast<std::size_t>(task::bytes_of(type)); }

memory::desc plain(const task::StridedTensor& tensor, task::ScalarType type) {
  return {tensor.dimensions, type_of(type), tensor.strides};
}
memory::desc free_choice(const task::StridedTensor& tensor, task::ScalarType type) {
  return {tensor.dimensions, type_of(type), memory::format_tag::any};
}

/** A task's tensors in layouts that the library chooses. */
struct FreeTensors {
  memory::desc data;
  memory::desc weight;
  memory::desc output;
  OneDnnEpilogue epilogue{};
};

FreeTensors free_tensors(const task::LibraryTensors& tensors, const task::OperandTypes& types) {
  return {free_choice(tensors.data, types.activation), free_choice(tensors.weight, types.weight),
          free_choice(tensors.output, types.output)};
}

/** Describes a primitive with the tensors of most primitives: before them, and after them, its own arguments.
 */
template <typename Primitive, typename... After, typename... Before>
typename Primitive::primitive_desc describe_with_tensors(const dnnl::engine& engine,
                                                         const FreeTensors& tensors,
                                                         const std::tuple<Before...>& before,
                                                         const After&... after) {
  const dnnl::primitive_attr& attributes = tensors.epilogue.attributes;
  return std::apply(
      [&](const Before&... first) {
        if (!tensors.epilogue.bias)
          return describe_primitive<Primitive>(engine, attributes, first..., tensors.data, tensors.weight,
                                               tensors.output, after...);
        return describe_primitive<Primitive>(engine, attributes, first..., tensors.data, tensors.weight,
                                             *tensors.epilogue.bias, tensors.output, after...);
      },
      before);
}

/** A primitive with the layouts that it chose. */
struct ChosenPrimitive {
  dnnl::primitive primitive;
  memory::desc data;
  memory::desc weight;
  memory::desc output;
  std::string implementation;
  std::string algorithm;  ///< algorithm of a convolution
};

template <typename Primitive>
ChosenPrimitive chosen_primitive(const typename Primitive::primitive_desc& chosen) {
  return {Primitive(chosen), chosen.src_desc(),      chosen.weights_desc(),
          chosen.dst_desc(), chosen.impl_info_str(), {}};
}

template <typename Primitive>
ChosenPrimitive choose_convolution(dnnl::algorithm algorithm, const task::Convolution& convolution,
                                   const FreeTensors& tensors, const dnnl::engine& engine) {
  Dims dilation = convolution.dilation;  // oneDNN counts the number of gaps
  for (memory::dim& value : dilation) --value;
  const auto description = describe_with_tensors<Primitive>(
      engine, tensors, std::tuple{dnnl::prop_kind::forward_inference, algorithm}, convolution.stride,
      dilation, convolution.padding, convolution.end_padding());
  ChosenPrimitive chosen = chosen_primitive<Primitive>(description);
  chosen.algorithm = convolution_algorithm(description);
  return chosen;
}

ChosenPrimitive choose_primitive(const task::Convolution& convolution, const FreeTensors& tensors,
                                 const dnnl::engine& engine, dnnl::algorithm algorithm) {
  if (convolution.transposed)
    return choose_convolution<dnnl::deconvolution_forward>(dnnl::algorithm::deconvolution_direct, convolution,
                                                           tensors, engine);
  return choose_convolution<dnnl::convolution_forward>(algorithm, convolution, tensors, engine);
}

ChosenPrimitive choose_primitive(const task::MatrixMultiplication&, const FreeTensors& tensors,
                                 const dnnl::engine& engine, dnnl::algorithm /*algorithm*/) {
  return chosen_primitive<dnnl::matmul>(describe_with_tensors<dnnl::matmul>(engine, tensors, std::tuple<>{}));
}

/** Returns the algorithm of a convolution, or the other one. */
dnnl::algorithm algorithm_of(const ChosenPrimitive& chosen, bool other) {
  const bool winograd = chosen.algorithm == trial::winograd_algorithm;
  return winograd != other ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct;
}

bool has_step(const task::TensorOperator& op, std::initializer_list<task::EpilogueKind> kinds) {
  return std::ranges::any_of(op.epilogue, [&](const task::EpilogueStep& step) {
    return std::ranges::find(kinds, step.kind) != kinds.end();
  });
}

/**
 * Returns true if the implementation is the library's plain loops or a wrapper of these: "ref:any",
 * "conv:any+ref:any", "ref_int8:any". Reference code is correct but not fast: a ratio to it would be
 * meaningless.
 */
bool is_reference(std::string_view implementation) {
  bool begins = true;
  for (std::size_t i = 0; i < implementation.size(); ++i) {
    if (begins && implementation.substr(i).starts_with("ref")) return true;
    begins = implementation[i] == ':' || implementation[i] == '+';
  }
  return false;
}

/**
 * Returns a layout in oneDNN's notation, such as "aBcd16b": dimensions from the outermost, blocked ones in
 * capitals, then the blocks.
 */
std::string describe_layout(const memory::desc& desc) {
  const std::optional<BlockedLayout> layout = blocked_layout(desc);
  if (!layout) return "library-specific";
  std::vector<std::size_t> order(layout->strides.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return layout->strides[a] > layout->strides[b]; });
  std::string outer;
  std::string inner;
  for (std::size_t i = 0; i < layout->inner_blocks.size(); ++i)
    inner +=
        fmt::format("{}{}", layout->inner_blocks[i], static_cast<char>('a' + layout->inner_dimensions[i]));
  for (const std::size_t dimension : order) {
    const char letter = static_cast<char>('a' + dimension);
    outer += inner.find(letter) == std::string::npos ? letter : static_cast<char>(letter - 'a' + 'A');
  }
  return outer + inner;
}

std::string library_name() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
}

class OneDnnKernel final : public VendorKernel {
 public:
  OneDnnKernel(const task::Task& task, bool alternative)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        tensor_names_{task.op->inputs[0].tensor, task.op->inputs[1].tensor, task.op->output.tensor},
        types_(task::operand_types(*task.op)),
        tensors_(task::library_tensors(task)) {
    std::visit(
        [&](const auto& definition) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(definition)>, task::GenericProblem>) {
            FreeTensors tensors = free_tensors(tensors_, types_);
            const bool residual = has_step(*task.op, {task::EpilogueKind::Add});
            if (!residual) tensors.epilogue = onednn_epilogue(task, tensors.output);
            chosen_ = choose_primitive(definition, tensors, engine_, dnnl::algorithm::convolution_auto);
            if (alternative)
              chosen_ = choose_primitive(definition, tensors, engine_, algorithm_of(chosen_, true));
            if (residual) {
              // It comes in the layout of the output, which must be chosen first, with the algorithm.
              tensors.output = chosen_.output;
              tensors.epilogue = onednn_epilogue(task, chosen_.output);
              chosen_ = choose_primitive(definition, tensors, engine_, algorithm_of(chosen_, false));
            }
            operands_ = tensors.epilogue.operands;
          }
        },
        task.definition);
  }

  /** Returns the implementation that the library chose, before anything runs. */
  const std::string& implementation() const { return chosen_.implementation; }

  bool is_winograd() const { return chosen_.algorithm == trial::winograd_algorithm; }

  /** Copies the inputs; call it before the first run. */
  void take(const task::ReferenceInputs& inputs) {
    data_ = reordered(inputs.tensors[0], tensors_.data, types_.activation, chosen_.data);
    weight_ = reordered(inputs.tensors[1], tensors_.weight, types_.weight, chosen_.weight);
    output_ = allocate(chosen_.output);
    arguments_ = {{DNNL_ARG_SRC, data_}, {DNNL_ARG_WEIGHTS, weight_}, {DNNL_ARG_DST, output_}};
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      memory operand = operand_memory(operands_[i], inputs.tensors[2 + i]);
      if (operands_[i].in_place)
        residual_ = std::move(operand);
      else
        arguments_.emplace(operands_[i].argument, std::move(operand));
    }
  }

  trial::VendorResult description() const override {
    trial::VendorResult result;
    result.name = library_name();
    result.algorithm = chosen_.algorithm;
    result.implementation = chosen_.implementation;
    if (residual_) result.implementation += ", which adds the residual in place";
    result.layouts =
        fmt::format("{} {}, {} {}, {} {}", tensor_names_[0], describe_layout(chosen_.data), tensor_names_[1],
                    describe_layout(chosen_.weight), tensor_names_[2], describe_layout(chosen_.output));
    return result;
  }

  double run(std::int64_t calls) override {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls; ++i) chosen_.primitive.execute(stream_, arguments_);
    stream_.wait();
    return seconds_since(start);
  }

  void flush_caches() override {
    for (const PageBuffer& buffer : buffers_) flush_from_caches(buffer.data(), buffer.size());
  }

  std::vector<double> output() override {
    if (residual_) {  // each call has added the output of the call before it
      dnnl::reorder(*residual_, output_).execute(stream_, *residual_, output_);
      run(1);
    }
    const memory::desc wanted = plain(tensors_.output, types_.output);
    std::vector<std::byte> values(wanted.get_size());
    memory target(wanted, engine_, values.data());
    dnnl::reorder(output_, target).execute(stream_, output_, target);
    stream_.wait();
    return unpack(types_.output, values, consecutive_offsets(values.size() / stored_bytes(types_.output)));
  }

  task::ScalarType output_type() const override { return types_.output; }

 private:
  /** Allocates memory of the same kind as that of Kernelscape's kernels. */
  memory allocate(const memory::desc& desc) {
    auto buffer = PageBuffer::make(desc.get_size(), static_cast<int>(buffers_.size()));
    if (!buffer) throw std::bad_alloc();
    buffers_.push_back(std::move(*buffer));
    return {desc, engine_, buffers_.back().data()};
  }

  memory reordered(const std::vector<double>& values, const task::StridedTensor& tensor,
                   task::ScalarType type, const memory::desc& wanted) {
    std::vector<std::byte> plain_values(values.size() * stored_bytes(type));
    pack(type, values, consecutive_offsets(values.size()), plain_values);
    memory source(plain(tensor, type), engine_, plain_values.data());
    memory target = allocate(wanted);
    dnnl::reorder(source, target).execute(stream_, source, target);
    stream_.wait();
    return target;
  }

  memory operand_memory(const OneDnnEpilogue::Operand& operand, const std::vector<double>& values) {
    if (operand.residual) return reordered(values, tensors_.output, types_.output, operand.layout);
    memory target = allocate(operand.layout);
    auto* const elements = static_cast<float*>(target.get_data_handle());
    for (std::size_t i = 0; i < values.size(); ++i) elements[i] = static_cast<float>(values[i]);
    return target;
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<std::string> tensor_names_;
  task::OperandTypes types_;
  task::LibraryTensors tensors_;
  ChosenPrimitive chosen_;
  std::vector<OneDnnEpilogue::Operand> operands_;  ///< of the task's epilogue
  std::vector<PageBuffer> buffers_;
  std::optional<memory> residual_;  ///< added in place
  memory data_;
  memory weight_;
  memory output_;
  std::unordered_map<int, memory> arguments_;
};

bool is_compared(const task::OperandTypes& types) {
  using enum task::ScalarType;
  return types == task::OperandTypes{} || types == task::OperandTypes{U8, I8, I32, I32} ||
         types == task::OperandTypes{F16, F16, F32, F32} || types == task::OperandTypes{BF16, BF16, F32, F32};
}

}  // namespace

Result<std::unique_ptr<VendorKernel>> make_onednn_kernel(const task::Task& task,
                                                         const task::ReferenceInputs& inputs,
                                                         VendorLibrary library) {
  if (!is_compared(task::operand_types(*task.op))) {
    return fail(ErrorCode::NotFound, library_name() + " is compared for f32, f16, bf16 and int8 only");
  }
  try {
    auto kernel = std::make_unique<OneDnnKernel>(task, library == VendorLibrary::OneDnnAlternative);
    if (is_reference(kernel->implementation())) {
      return fail(ErrorCode::NotFound, fmt::format("{} has only its plain reference code ({}) for this task: "
                                                   "a ratio to that code would be meaningless",
                                                   library_name(), kernel->implementation()));
    }
    using enum task::EpilogueKind;
    if (kernel->is_winograd() && has_step(*task.op, {Sigmoid, HardSigmoid, Tanh})) {
      return fail(ErrorCode::NotFound,
                  library_name() +
                      " takes Winograd's algorithm for this task: the bound of its errors is too "
                      "large to check results of a sigmoid or a tanh");
    }
    kernel->take(inputs);
    return kernel;
  } catch (const std::exception& problem) {
    return fail(ErrorCode::NotFound,
                fmt::format("{} does not support this task: {}", library_name(), problem.what()));
  }
}

}  // namespace kernelscape::measure

#else

namespace kernelscape::measure {

Result<std::unique_ptr<VendorKernel>> make_onednn_kernel(const task::Task&, const task::ReferenceInputs&,
                                                         VendorLibrary) {
  return fail(ErrorCode::NotFound, "this build has no oneDNN: install libdnnl-dev and build again");
}

}  // namespace kernelscape::measure

#endif
