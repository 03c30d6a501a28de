#include "core/measure/vendor_kernel.h"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "core/measure/cpu/blas_library.h"

namespace kernelscape::measure {
namespace {

/** Returns the number in "cuda:1"; 0 if there is no number; nullopt for another platform. */
std::optional<int> cuda_number(std::string_view device) {
  if (!device.starts_with("cuda")) return std::nullopt;
  int number = 0;
  if (device.starts_with("cuda:")) std::from_chars(device.data() + 5, device.data() + device.size(), number);
  return number;
}

bool is_opened_at_run_time(VendorLibrary library) {
  return library != VendorLibrary::OfDevice && library != VendorLibrary::OneDnnAlternative;
}

}  // namespace

Status find_vendor_library(const VendorChoice& choice) {
  if (is_opened_at_run_time(choice.library))
    std::ignore = TRY(open_blas_library(choice.library, choice.threads));
  return {};
}

Result<std::unique_ptr<VendorKernel>> make_vendor_kernel(const task::Task& task,
                                                         const task::ReferenceInputs& inputs,
                                                         const VendorChoice& choice) {
  const auto& [device, library, threads] = choice;
  if (!task.op || std::holds_alternative<task::GenericProblem>(task.definition))
    return fail(ErrorCode::NotFound, "the task is known by name only");
  if (device == "cpu") {
    return is_opened_at_run_time(library) ? make_blas_kernel(task, inputs, library, threads)
                                          : make_onednn_kernel(task, inputs, library);
  }
  const std::optional<int> number = cuda_number(device);
  if (!number)
    return fail(ErrorCode::NotFound,
                fmt::format("there is no vendor library to compare with on {}: OpenCL has none", device));
  if (const auto* convolution = std::get_if<task::Convolution>(&task.definition);
      convolution != nullptr && !convolution->padding_end.empty())
    return fail(ErrorCode::NotFound,
                "cuDNN supports only equal padding at both ends, which this convolution does not have");
  if (!task.op->epilogue.empty())
    return fail(ErrorCode::NotFound, "cuDNN and cuBLAS are compared without an epilogue only");
  try {
    return std::holds_alternative<task::Convolution>(task.definition)
               ? make_cudnn_kernel(task, inputs, *number)
               : make_cublas_kernel(task, inputs, *number);
  } catch (const std::exception& problem) {
    return fail(ErrorCode::Environment, problem.what());
  }
}

}  // namespace kernelscape::measure
