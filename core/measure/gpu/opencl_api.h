#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

/** What our OpenCL files share over the C API of OpenCL 1.2, which the ICD loader brings. */
namespace kernelscape {

/** "CL_OUT_OF_RESOURCES"; "OpenCL error -1234" where the standard has no name. */
std::string opencl_error_name(cl_int code);

/** An object of the API, released with its owner. */
template <typename Object, auto release>
class OpenClHandle {
 public:
  OpenClHandle() = default;
  explicit OpenClHandle(Object object) : object_(object) {}
  OpenClHandle(OpenClHandle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  OpenClHandle& operator=(OpenClHandle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~OpenClHandle() {
    if (object_ != nullptr) release(object_);
  }

  Object get() const { return object_; }  ///< stays owned by this; null where there is none
  /** The object, whose release is the caller's from now on. */
  Object detach() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  Object object_ = nullptr;
};

using OpenClContext = OpenClHandle<cl_context, clReleaseContext>;
using OpenClQueue = OpenClHandle<cl_command_queue, clReleaseCommandQueue>;
using OpenClProgram = OpenClHandle<cl_program, clReleaseProgram>;
using OpenClKernel = OpenClHandle<cl_kernel, clReleaseKernel>;
using OpenClEvent = OpenClHandle<cl_event, clReleaseEvent>;

/** A device of any platform. */
struct OpenClDevice {
  int number = 0;  ///< "opencl:NUMBER": counted over all platforms in the loader's order
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  std::string problem;  ///< why kernels can't be built for it or run on it; empty: they can
};

/**
 * All devices, those that can't be used too, so that the numbers stay the same. Platforms without devices are
 * skipped. NotFound where there is no platform or no device, with what to install.
 *
 * The first call readies this process for OpenCL: compiler caches are off, and what platforms write goes into
 * a private folder that is gone when the process ends.
 */
Result<std::vector<OpenClDevice>> find_opencl_devices();

/** The device of this number, which can be used, or why there is none. */
Result<OpenClDevice> find_opencl_device(int number);

/** A context of this device alone. */
Result<OpenClContext> make_opencl_context(const OpenClDevice& device);

/** Text without blanks around it; empty where the device does not know. */
std::string opencl_text(cl_device_id device, cl_device_info name);
std::string opencl_text(cl_platform_id platform, cl_platform_info name);  ///< the same of a platform's texts

/** A number of the type that the specification gives; 0 where the device does not know. */
template <typename Number>
Number opencl_number(cl_device_id device, cl_device_info name) {
  Number value{};
  return clGetDeviceInfo(device, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : Number{};
}

/** Whether the device has this extension. */
bool has_opencl_extension(cl_device_id device, const std::string& extension);

/** What the compiler said of a program, our folder's path left out. */
std::string opencl_build_log(cl_program program, cl_device_id device);

}  // namespace kernelscape
