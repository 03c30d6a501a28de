#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"

/**
 * The part of cuDNN's C interface that Kernelscape uses, in declarations of its own: names, numbers and
 * signatures are those of NVIDIA's documentation, the same in versions 8 and 9. Version 9 calls these
 * functions legacy but keeps them: unlike its graph interface, they measure all algorithms by themselves.
 */
namespace kernelscape::measure::cudnn {

using Handle = struct HandleRecord*;
using TensorDescription = struct TensorRecord*;
using FilterDescription = struct FilterRecord*;
using ConvolutionDescription = struct ConvolutionRecord*;

enum class DataType : int { Float = 0, Half = 2 };
/** Row-major memory format, with channels first or last. */
enum class Format : int { ChannelsFirst = 0, ChannelsLast = 1 };
/** Math modes. Default may round f32 to TF32; Fma keeps f32; TensorOp is for f16. */
enum class Math : int { Default = 0, TensorOp = 1, Fma = 3 };
constexpr int cross_correlation = 1;

/**
 * The performance of an algorithm: the layout of cudnnConvolutionFwdAlgoPerf_t and
 * cudnnConvolutionBwdDataAlgoPerf_t.
 */
struct Performance {
  int algorithm = 0;
  int status = 0;
  float milliseconds = 0;
  std::size_t workspace_bytes = 0;
  int determinism = 0;
  Math math = Math::Default;
  int reserved[3] = {0, 0, 0};
};

/** cudnnFindConvolutionForwardAlgorithmEx, or ...BackwardDataAlgorithmEx with the filter first. */
using FindForward = int(Handle handle, TensorDescription input, const void* input_data,
                        FilterDescription filter, const void* filter_data, ConvolutionDescription convolution,
                        TensorDescription output, void* output_data, int requested, int* returned,
                        Performance* performances, void* workspace, std::size_t workspace_bytes);
using FindBackward = int(Handle handle, FilterDescription filter, const void* filter_data,
                         TensorDescription input, const void* input_data, ConvolutionDescription convolution,
                         TensorDescription output, void* output_data, int requested, int* returned,
                         Performance* performances, void* workspace, std::size_t workspace_bytes);
using RunForward = int(Handle handle, const void* alpha, TensorDescription input, const void* input_data,
                       FilterDescription filter, const void* filter_data, ConvolutionDescription convolution,
                       int algorithm, void* workspace, std::size_t workspace_bytes, const void* beta,
                       TensorDescription output, void* output_data);
using RunBackward = int(Handle handle, const void* alpha, FilterDescription filter, const void* filter_data,
                        TensorDescription input, const void* input_data, ConvolutionDescription convolution,
                        int algorithm, void* workspace, std::size_t workspace_bytes, const void* beta,
                        TensorDescription output, void* output_data);

struct Functions {
  std::size_t (*version)() = nullptr;
  const char* (*words)(int status) = nullptr;
  int (*create)(Handle* handle) = nullptr;
  int (*destroy)(Handle handle) = nullptr;
  int (*create_tensor)(TensorDescription* tensor) = nullptr;
  int (*destroy_tensor)(TensorDescription tensor) = nullptr;
  int (*set_tensor)(TensorDescription tensor, Format format, DataType type, int dimensions,
                    const int* extents) = nullptr;
  int (*create_filter)(FilterDescription* filter) = nullptr;
  int (*destroy_filter)(FilterDescription filter) = nullptr;
  int (*set_filter)(FilterDescription filter, DataType type, Format format, int dimensions,
                    const int* extents) = nullptr;
  int (*create_convolution)(ConvolutionDescription* convolution) = nullptr;
  int (*destroy_convolution)(ConvolutionDescription convolution) = nullptr;
  int (*set_convolution)(ConvolutionDescription convolution, int dimensions, const int* padding,
                         const int* stride, const int* dilation, int mode, DataType compute) = nullptr;
  int (*set_groups)(ConvolutionDescription convolution, int groups) = nullptr;
  int (*set_math)(ConvolutionDescription convolution, Math math) = nullptr;
  FindForward* find_forward = nullptr;
  RunForward* run_forward = nullptr;
  FindBackward* find_backward = nullptr;
  RunBackward* run_backward = nullptr;
};

struct Library {
  Functions functions;
  std::string name;  ///< "cuDNN 9.13.1"
};

/** Opens cuDNN. Returns Environment with the searched locations if it is not found, or if it is too old. */
Result<Library> open_library();

/** Returns "9.13.1" for 91301 and "8.9.7" for 8907: each major version uses its own encoding. */
std::string version_text(std::size_t version);

/**
 * Returns the name of an algorithm of a forward or a transposed convolution, such as "implicit precomputed
 * GEMM".
 */
std::string algorithm_name(bool transposed, int algorithm);

}  // namespace kernelscape::measure::cudnn
