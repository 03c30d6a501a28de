#include "core/measure/gpu/cudnn_api.h"

#include <fmt/format.h>

#include <span>

#include "core/measure/gpu/cuda_libraries.h"

namespace kernelscape::measure::cudnn {
namespace {

constexpr std::size_t oldest_version = 8000;

bool bind_all(const OpenedLibrary& library, Functions& functions) {
  return library.bind("cudnnGetVersion", functions.version) &&
         library.bind("cudnnGetErrorString", functions.words) &&
         library.bind("cudnnCreate", functions.create) && library.bind("cudnnDestroy", functions.destroy) &&
         library.bind("cudnnCreateTensorDescriptor", functions.create_tensor) &&
         library.bind("cudnnDestroyTensorDescriptor", functions.destroy_tensor) &&
         library.bind("cudnnSetTensorNdDescriptorEx", functions.set_tensor) &&
         library.bind("cudnnCreateFilterDescriptor", functions.create_filter) &&
         library.bind("cudnnDestroyFilterDescriptor", functions.destroy_filter) &&
         library.bind("cudnnSetFilterNdDescriptor", functions.set_filter) &&
         library.bind("cudnnCreateConvolutionDescriptor", functions.create_convolution) &&
         library.bind("cudnnDestroyConvolutionDescriptor", functions.destroy_convolution) &&
         library.bind("cudnnSetConvolutionNdDescriptor", functions.set_convolution) &&
         library.bind("cudnnSetConvolutionGroupCount", functions.set_groups) &&
         library.bind("cudnnSetConvolutionMathType", functions.set_math) &&
         library.bind("cudnnFindConvolutionForwardAlgorithmEx", functions.find_forward) &&
         library.bind("cudnnConvolutionForward", functions.run_forward) &&
         library.bind("cudnnFindConvolutionBackwardDataAlgorithmEx", functions.find_backward) &&
         library.bind("cudnnConvolutionBackwardData", functions.run_backward);
}

}  // namespace

Result<Library> open_library() {
  const RuntimeLibrary description = toolkit_library(
      "cuDNN (libcudnn)", "KERNELSCAPE_CUDNN", {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"},
      "install cuDNN 9 for your CUDA version (NVIDIA's cudnn package)");
  const OpenedLibrary opened = TRY(open_runtime_library(description));
  Library library;
  if (!bind_all(opened, library.functions) || library.functions.version() < oldest_version)
    return fail(ErrorCode::Environment,
                opened.path() + " lacks functions that Kernelscape calls: cuDNN 8 or 9 is needed",
                description.remedy);
  library.name = "cuDNN " + version_text(library.functions.version());
  return library;
}

std::string version_text(std::size_t version) {
  const std::size_t thousands = version < 10'000 ? 1000 : 10'000;
  return fmt::format("{}.{}.{}", version / thousands, version % thousands / 100, version % 100);
}

std::string algorithm_name(bool transposed, int algorithm) {
  static constexpr const char* forward[] = {
      "implicit GEMM", "implicit precomputed GEMM", "GEMM", "direct", "FFT", "tiled FFT",
      "Winograd",      "non-fused Winograd"};
  static constexpr const char* backward[] = {"algorithm 0", "algorithm 1", "FFT",
                                             "tiled FFT",   "Winograd",    "non-fused Winograd"};
  const std::span<const char* const> names = transposed ? std::span<const char* const>(backward) : forward;
  const auto index = static_cast<std::size_t>(algorithm);
  return algorithm >= 0 && index < names.size() ? names[index] : fmt::format("algorithm {}", algorithm);
}

}  // namespace kernelscape::measure::cudnn
