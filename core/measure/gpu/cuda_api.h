#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/measure/gpu/gpu_device.h"

/**
 * The parts of the C interfaces of NVIDIA's driver (libcuda) and of NVRTC that Kernelscape uses, in
 * declarations of its own. Both libraries are opened at run time, and no header of the toolkit is needed.
 * Names, numbers and signatures are those of NVIDIA's CUDA Driver API and NVRTC documentation; both are
 * stable between versions.
 */
namespace kernelscape::measure::cuda {

/** The values of CUresult that Kernelscape distinguishes. */
enum class DriverCode : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  RequiresNewerDriver = 36,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  EccUncorrectable = 214,
  NvlinkUncorrectable = 220,
  UnsupportedPtxVersion = 222,
  Contained = 226,
  InvalidHandle = 400,
  NotFound = 500,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  ContextIsDestroyed = 709,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidProgramCounter = 718,
  LaunchFailed = 719,
  TensorMemoryLeak = 721,
  SystemNotReady = 802,
  SystemDriverMismatch = 803,
  CompatibilityNotSupported = 804,
  MpsConnectionFailed = 805,
  MpsClientTerminated = 810,
  Unknown = 999
};

/** CUdevice_attribute. */
enum class DeviceAttribute : int {
  ThreadsPerBlock = 1,
  BlockX = 2,
  BlockY = 3,
  BlockZ = 4,
  GridX = 5,
  GridY = 6,
  GridZ = 7,
  SharedBytesPerBlock = 8,
  WarpThreads = 10,
  Multiprocessors = 16,
  L2Bytes = 38,
  ThreadsPerMultiprocessor = 39,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  SharedBytesPerMultiprocessor = 81,
  RegistersPerMultiprocessor = 82,
  BlocksPerMultiprocessor = 106
};

/** CUfunction_attribute. */
enum class FunctionAttribute : int { MostDynamicSharedBytes = 8 };

using DeviceNumber = int;       ///< CUdevice
using Address = std::uint64_t;  ///< CUdeviceptr
using Context = struct ContextRecord*;
using Module = struct ModuleRecord*;
using Function = struct FunctionRecord*;
using Stream = struct StreamRecord*;
using Event = struct EventRecord*;

constexpr unsigned schedule_blocking = 4;    ///< CU_CTX_SCHED_BLOCKING_SYNC: waiting uses no processor time
constexpr unsigned event_blocking = 1;       ///< CU_EVENT_BLOCKING_SYNC
constexpr unsigned stream_non_blocking = 1;  ///< CU_STREAM_NON_BLOCKING: not ordered with the default stream

/** The functions of libcuda, each by the symbol that drivers have exported since CUDA 11. */
struct DriverFunctions {
  DriverCode (*init)(unsigned flags) = nullptr;
  DriverCode (*driver_version)(int* version) = nullptr;
  DriverCode (*error_name)(DriverCode code, const char** name) = nullptr;
  DriverCode (*error_string)(DriverCode code, const char** text) = nullptr;
  DriverCode (*device_count)(int* count) = nullptr;
  DriverCode (*device)(DeviceNumber* device, int ordinal) = nullptr;
  DriverCode (*device_name)(char* name, int length, DeviceNumber device) = nullptr;
  DriverCode (*device_bus_id)(char* id, int length, DeviceNumber device) = nullptr;
  DriverCode (*device_memory)(std::size_t* bytes, DeviceNumber device) = nullptr;
  DriverCode (*device_attribute)(int* value, DeviceAttribute attribute, DeviceNumber device) = nullptr;
  DriverCode (*context_flags)(DeviceNumber device, unsigned flags) = nullptr;
  DriverCode (*context_retain)(Context* context, DeviceNumber device) = nullptr;
  DriverCode (*context_release)(DeviceNumber device) = nullptr;
  DriverCode (*context_set_current)(Context context) = nullptr;
  DriverCode (*memory_info)(std::size_t* free_bytes, std::size_t* total_bytes) = nullptr;
  DriverCode (*memory_allocate)(Address* address, std::size_t bytes) = nullptr;
  DriverCode (*memory_free)(Address address) = nullptr;
  DriverCode (*copy_to_device)(Address to, const void* from, std::size_t bytes, Stream stream) = nullptr;
  DriverCode (*copy_on_device)(Address to, Address from, std::size_t bytes, Stream stream) = nullptr;
  DriverCode (*copy_to_host)(void* to, Address from, std::size_t bytes, Stream stream) = nullptr;
  DriverCode (*memory_set)(Address to, unsigned char value, std::size_t bytes, Stream stream) = nullptr;
  DriverCode (*module_load)(Module* module, const void* image) = nullptr;
  DriverCode (*module_unload)(Module module) = nullptr;
  DriverCode (*module_function)(Function* function, Module module, const char* name) = nullptr;
  DriverCode (*module_global)(Address* address, std::size_t* bytes, Module module,
                              const char* name) = nullptr;
  DriverCode (*function_set_attribute)(Function function, FunctionAttribute attribute, int value) = nullptr;
  DriverCode (*launch)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned dynamic_shared_bytes, Stream stream,
                       void** arguments, void** extra) = nullptr;
  DriverCode (*stream_create)(Stream* stream, unsigned flags) = nullptr;
  DriverCode (*stream_destroy)(Stream stream) = nullptr;
  DriverCode (*stream_synchronize)(Stream stream) = nullptr;
  DriverCode (*event_create)(Event* event, unsigned flags) = nullptr;
  DriverCode (*event_destroy)(Event event) = nullptr;
  DriverCode (*event_record)(Event event, Stream stream) = nullptr;
  DriverCode (*event_synchronize)(Event event) = nullptr;
  DriverCode (*event_elapsed)(float* milliseconds, Event start, Event end) = nullptr;
};

/** An initialised driver. */
struct Driver {
  DriverFunctions functions;
  std::string path;
  int version = 0;  ///< the newest CUDA version that the driver supports: 13000 is 13.0
};

/**
 * Opens libcuda and initialises it. Returns Environment if there is no driver, if the driver is too old or
 * does not match the kernel module, or if there is no device; the error names the cause and the remedy.
 */
Result<Driver> open_driver();

/**
 * Returns the driver's text and name of an error: "an illegal memory access was encountered
 * (CUDA_ERROR_ILLEGAL_ADDRESS)".
 */
std::string describe(const DriverFunctions& functions, DriverCode code);

/**
 * Classifies a failed call by its effect on the device.
 * @param call the attempted call, such as "cuMemAlloc of 4096 bytes"
 */
DeviceError device_error(const DriverFunctions& functions, DriverCode code, const std::string& call);

/** The values of nvrtcResult that Kernelscape distinguishes. */
enum class CompilerCode : int { Success = 0, InvalidOption = 5, Compilation = 6 };

using Program = struct ProgramRecord*;

/** The functions of NVRTC. */
struct CompilerFunctions {
  CompilerCode (*version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(CompilerCode code) = nullptr;
  CompilerCode (*architecture_count)(int* count) = nullptr;
  CompilerCode (*architectures)(int* numbers) = nullptr;
  CompilerCode (*create)(Program* program, const char* source, const char* name, int headers,
                         const char* const* header_texts, const char* const* header_names) = nullptr;
  CompilerCode (*destroy)(Program* program) = nullptr;
  CompilerCode (*add_name)(Program program, const char* expression) = nullptr;
  CompilerCode (*lowered_name)(Program program, const char* expression, const char** name) = nullptr;
  CompilerCode (*compile)(Program program, int count, const char* const* options) = nullptr;
  CompilerCode (*log_size)(Program program, std::size_t* bytes) = nullptr;
  CompilerCode (*log)(Program program, char* text) = nullptr;
  CompilerCode (*cubin_size)(Program program, std::size_t* bytes) = nullptr;
  CompilerCode (*cubin)(Program program, char* bytes) = nullptr;
  CompilerCode (*ptx_size)(Program program, std::size_t* bytes) = nullptr;
  CompilerCode (*ptx)(Program program, char* text) = nullptr;
};

struct Compiler {
  CompilerFunctions functions;
  std::string path;
  int major = 0;
  int minor = 0;

  /** Returns the version of NVRTC, such as "12.9". */
  std::string version() const { return std::to_string(major) + "." + std::to_string(minor); }
};

/**
 * Opens NVRTC. Returns Environment with the searched locations if it is not found, or if it is too old to
 * make a cubin (before 11.2).
 */
Result<Compiler> open_compiler();

}  // namespace kernelscape::measure::cuda
