#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>

#include "core/measure/gpu/cuda_vendor.h"
#include "core/measure/gpu/cudnn_api.h"
#include "core/measure/vendor_kernel.h"

namespace kernelscape::measure {
namespace {

using cudnn::Format;
using cudnn::Library;
using cudnn::Math;
using cudnn::Performance;

constexpr std::size_t max_workspace_bytes = std::size_t{2} << 30;
constexpr int max_algorithms = 32;  // each in several kinds of arithmetic
constexpr double bytes_per_mebibyte = 1024.0 * 1024.0;

/** Owns one of cuDNN's descriptors. */
template <typename Description>
class Owned {
 public:
  using Create = int (*)(Description*);
  using Destroy = int (*)(Description);
  Owned(const Library& library, Create create, Destroy destroy) : destroy_(destroy) {
    check_library_call(create(&description_), library.name, "making a description", library.functions.words);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy_(description_); }
  Description get() const { return description_; }

 private:
  Destroy destroy_;
  Description description_ = nullptr;
};

/** Adds a height of 1 for convolutions of one dimension, which cuDNN supports only as convolutions of two. */
std::vector<int> with_height(std::vector<std::int64_t> values, std::size_t spatial_from,
                             std::int64_t height) {
  if (values.size() == spatial_from + 1)
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(spatial_from), height);
  return {values.begin(), values.end()};
}

/** The tensors of a convolution in one format, with their cuDNN descriptors. */
class Tensors {
 public:
  Tensors(const Library& library, CudaVendorDevice& device, const task::TensorOperator& op,
          const task::ReferenceInputs& inputs, task::ScalarType type, Format format)
      : input(library, library.functions.create_tensor, library.functions.destroy_tensor),
        filter(library, library.functions.create_filter, library.functions.destroy_filter),
        output(library, library.functions.create_tensor, library.functions.destroy_tensor),
        format_(format) {
    const auto& functions = library.functions;
    const auto data_type = type == task::ScalarType::F16 ? cudnn::DataType::Half : cudnn::DataType::Float;
    const auto set = [&](const auto& setter, const task::TensorAccess& tensor) {
      const std::vector<int> extents = with_height(tensor.shape, 2, 1);
      check_library_call(setter(static_cast<int>(extents.size()), extents.data()), library.name,
                         "describing a tensor", functions.words);
    };
    set([&](int n, const int* of) { return functions.set_tensor(input.get(), format, data_type, n, of); },
        op.inputs[0]);
    set([&](int n, const int* of) { return functions.set_filter(filter.get(), data_type, format, n, of); },
        op.inputs[1]);
    set([&](int n, const int* of) { return functions.set_tensor(output.get(), format, data_type, n, of); },
        op.output);
    input_data = device.upload(type, inputs.tensors[0], offsets_of(op.inputs[0]));
    filter_data = device.upload(type, inputs.tensors[1], offsets_of(op.inputs[1]));
    output_offsets = offsets_of(op.output);
    output_data = device.allocate(output_offsets.size() * static_cast<std::size_t>(task::bytes_of(type)));
  }

  std::string layouts(std::size_t spatial_dimensions) const {
    static constexpr const char* spatial[] = {"W", "HW", "DHW"};
    const char* pixels = spatial[spatial_dimensions - 1];
    return format_ == Format::ChannelsFirst
               ? fmt::format("data NC{0}, weight as stored, output NC{0}", pixels)
               : fmt::format("data N{0}C, weight with channels last, output N{0}C", pixels);
  }

  Owned<cudnn::TensorDescription> input;
  Owned<cudnn::FilterDescription> filter;
  Owned<cudnn::TensorDescription> output;
  void* input_data = nullptr;
  void* filter_data = nullptr;
  void* output_data = nullptr;
  std::vector<std::int64_t> output_offsets;

 private:
  std::vector<std::int64_t> offsets_of(const task::TensorAccess& tensor) const {
    return format_ == Format::ChannelsFirst ? row_major_offsets(tensor.shape)
                                            : channels_last_offsets(tensor.shape);
  }

  Format format_;
};

class CudnnKernel final : public VendorKernel {
 public:
  CudnnKernel(Library library, std::unique_ptr<CudaVendorDevice> device, const task::Task& task,
              const task::ReferenceInputs& inputs, task::ScalarType type)
      : library_(std::move(library)),
        device_(std::move(device)),
        convolution_(std::get<task::Convolution>(task.definition)),
        type_(type),
        handle_(library_, library_.functions.create, library_.functions.destroy),
        description_(library_, library_.functions.create_convolution,
                     library_.functions.destroy_convolution) {
    describe_convolution();
    const auto workspace = device_->allocate_workspace(max_workspace_bytes);
    workspace_ = workspace.data;
    choose(*task.op, inputs, workspace.bytes);
  }

  trial::VendorResult description() const override {
    trial::VendorResult result;
    result.name = library_.name;
    result.implementation = fmt::format(
        "{}, {}, {:.0f} MiB of workspace{}",
        cudnn::algorithm_name(convolution_.transposed, chosen_.algorithm),
        type_ == task::ScalarType::F32 ? "f32 without TF32" : "f16 with sums in f32",
        static_cast<double>(chosen_.workspace_bytes) / bytes_per_mebibyte, device_->host_limit_text());
    result.layouts = tensors_->layouts(convolution_.kernel.size());
    if (type_ == task::ScalarType::F16) result.layouts += ", output rounded to f16";
    return result;
  }

  double run(std::int64_t calls) override {
    return device_->time(calls, [&] { convolve(); });
  }

  void flush_caches() override { device_->flush_cache(); }

  std::vector<double> output() override {
    return device_->download(type_, tensors_->output_data, tensors_->output_offsets);
  }

  task::ScalarType output_type() const override { return type_; }

 private:
  void check(int status, const char* call) const {
    check_library_call(status, library_.name, call, library_.functions.words);
  }

  void describe_convolution() {
    const auto& functions = library_.functions;
    const std::vector<int> padding = with_height(convolution_.padding, 0, 0);
    const std::vector<int> stride = with_height(convolution_.stride, 0, 1);
    const std::vector<int> dilation = with_height(convolution_.dilation, 0, 1);
    check(functions.set_convolution(description_.get(), static_cast<int>(padding.size()), padding.data(),
                                    stride.data(), dilation.data(), cudnn::cross_correlation,
                                    cudnn::DataType::Float),
          "cudnnSetConvolutionNdDescriptor");
    check(functions.set_groups(description_.get(), static_cast<int>(convolution_.groups)),
          "cudnnSetConvolutionGroupCount");
  }

  /** Measures all algorithms with channels first and channels last, and keeps the fastest. */
  void choose(const task::TensorOperator& op, const task::ReferenceInputs& inputs,
              std::size_t workspace_bytes) {
    for (const Format format : {Format::ChannelsFirst, Format::ChannelsLast}) {
      auto tensors = std::make_unique<Tensors>(library_, *device_, op, inputs, type_, format);
      const std::optional<Performance> best = fastest(*tensors, workspace_bytes);
      if (!best || (tensors_ && best->milliseconds >= chosen_.milliseconds)) continue;
      chosen_ = *best;
      tensors_ = std::move(tensors);
    }
    if (!tensors_) throw std::runtime_error(library_.name + " has no algorithm for this convolution");
    check(library_.functions.set_math(description_.get(), chosen_.math), "cudnnSetConvolutionMathType");
  }

  std::optional<Performance> fastest(const Tensors& tensors, std::size_t workspace_bytes) {
    std::array<Performance, max_algorithms> found;
    int count = 0;
    // An error status means that no algorithm supports this format.
    if (find(tensors, workspace_bytes, found, count) != 0) return std::nullopt;
    std::optional<Performance> best;
    for (const Performance& performance : std::span(found).first(static_cast<std::size_t>(count)))
      if (allowed(performance) && (!best || performance.milliseconds < best->milliseconds))
        best = performance;
    return best;
  }

  /**
   * Returns true if the arithmetic is allowed: cuDNN also tries its default arithmetic, which may round f32
   * to TF32.
   */
  bool allowed(const Performance& performance) const {
    return performance.status == 0 && performance.milliseconds > 0 &&
           (type_ != task::ScalarType::F32 || performance.math == Math::Fma);
  }

  int find(const Tensors& tensors, std::size_t workspace_bytes, std::span<Performance> found, int& count) {
    const auto& functions = library_.functions;
    const Math math = type_ == task::ScalarType::F32 ? Math::Fma : Math::TensorOp;
    check(functions.set_math(description_.get(), math), "cudnnSetConvolutionMathType");
    const int most = static_cast<int>(found.size());
    if (convolution_.transposed)
      return functions.find_backward(handle_.get(), tensors.filter.get(), tensors.filter_data,
                                     tensors.input.get(), tensors.input_data, description_.get(),
                                     tensors.output.get(), tensors.output_data, most, &count, found.data(),
                                     workspace_, workspace_bytes);
    return functions.find_forward(handle_.get(), tensors.input.get(), tensors.input_data,
                                  tensors.filter.get(), tensors.filter_data, description_.get(),
                                  tensors.output.get(), tensors.output_data, most, &count, found.data(),
                                  workspace_, workspace_bytes);
  }

  void convolve() {
    const auto& functions = library_.functions;
    const Tensors& tensors = *tensors_;
    const float one = 1;
    const float zero = 0;
    if (convolution_.transposed)
      check(functions.run_backward(handle_.get(), &one, tensors.filter.get(), tensors.filter_data,
                                   tensors.input.get(), tensors.input_data, description_.get(),
                                   chosen_.algorithm, workspace_, chosen_.workspace_bytes, &zero,
                                   tensors.output.get(), tensors.output_data),
            "cudnnConvolutionBackwardData");
    else
      check(functions.run_forward(handle_.get(), &one, tensors.input.get(), tensors.input_data,
                                  tensors.filter.get(), tensors.filter_data, description_.get(),
                                  chosen_.algorithm, workspace_, chosen_.workspace_bytes, &zero,
                                  tensors.output.get(), tensors.output_data),
            "cudnnConvolutionForward");
  }

  Library library_;
  std::unique_ptr<CudaVendorDevice> device_;
  task::Convolution convolution_;
  task::ScalarType type_;
  Owned<cudnn::Handle> handle_;
  Owned<cudnn::ConvolutionDescription> description_;
  std::unique_ptr<Tensors> tensors_;
  Performance chosen_;
  void* workspace_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<VendorKernel>> make_cudnn_kernel(const task::Task& task,
                                                        const task::ReferenceInputs& inputs, int device) {
  const task::ScalarType type = TRY(vendor_element_type(*task.op, "cuDNN"));
  for (const task::TensorAccess* tensor : {&task.op->inputs[0], &task.op->inputs[1], &task.op->output})
    if (tensor->element_count() > std::numeric_limits<int>::max())
      return fail(ErrorCode::NotFound,
                  fmt::format("cuDNN uses 31-bit element counts: {} has more elements", tensor->tensor));
  Library library = TRY(cudnn::open_library());
  std::unique_ptr<CudaVendorDevice> opened = TRY(CudaVendorDevice::open(device));
  return std::make_unique<CudnnKernel>(std::move(library), std::move(opened), task, inputs, type);
}

}  // namespace kernelscape::measure
