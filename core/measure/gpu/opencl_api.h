#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

/** Common parts of the OpenCL files, based on the C API of OpenCL 1.2, which the ICD loader provides. */
namespace kernelscape::measure {

/**
 * Returns the name of an error, such as "CL_OUT_OF_RESOURCES", or "OpenCL error -1234" if the standard has no
 * name.
 */
std::string opencl_error_name(cl_int code);

/** Owns an object of the API and releases it in its destructor. */
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

  Object get() const { return object_; }  ///< the object, still owned by this handle; null if there is none
  /** Returns the object; the caller must release it. */
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
  int number = 0;  ///< "opencl:NUMBER", counted over all platforms in the loader's order
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  std::string problem;  ///< why kernels can't be built for the device or run on it; empty: they can
};

/**
 * Returns all devices, including unusable ones, so that the numbers stay the same. Platforms without devices
 * are skipped. Returns NotFound with the package to install if there is no platform or no device.
 *
 * The first call prepares this process for OpenCL: compiler caches are off, and files that platforms write go
 * into a private folder that is removed when the process ends.
 */
Result<std::vector<OpenClDevice>> find_opencl_devices();

/** Returns the usable device of this number, or the reason why there is none. */
Result<OpenClDevice> find_opencl_device(int number);

/** Makes a context of this device alone. */
Result<OpenClContext> make_opencl_context(const OpenClDevice& device);

/** Returns a text property without surrounding blanks; empty if the device does not know it. */
std::string opencl_text(cl_device_id device, cl_device_info name);
std::string opencl_text(cl_platform_id platform,
                        cl_platform_info name);  ///< returns a text property of a platform

/** Returns a number of the type in the specification; 0 if the device does not know it. */
template <typename Number>
Number opencl_number(cl_device_id device, cl_device_info name) {
  Number value{};
  return clGetDeviceInfo(device, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : Number{};
}

/** Returns true if the device has this extension. */
bool has_opencl_extension(cl_device_id device, const std::string& extension);

/** Returns the compiler's log of a program, without the path of the private folder. */
std::string opencl_build_log(cl_program program, cl_device_id device);

}  // namespace kernelscape::measure
