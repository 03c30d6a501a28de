// What it does and how it is told to misbehave stands in stub_cuda.h.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/measure/gpu/cuda_api.h"
#include "tests/measure/stub_setting.h"
#include "tests/measure/stub_task.h"

using namespace kernelscape::measure::cuda;
using namespace kernelscape::measure_tests;

namespace kernelscape::measure::cuda {

struct ContextRecord {};
struct StreamRecord {};
struct EventRecord {
  double microseconds = 0;
};
struct FunctionRecord {
  void (*host)(void** arguments) = nullptr;
  std::function<void(void** arguments)> task{};  ///< of a source that names one
  std::int64_t microseconds = 0;                 ///< of a launch; 0: as the behaviour says
  bool probe = false;                            ///< the speed probe, which is no kernel of a trial
};
struct ModuleRecord {
  std::string image;
  void* library = nullptr;  ///< where the image is the host's
  FunctionRecord function;
};

}  // namespace kernelscape::measure::cuda

namespace {

constexpr double default_launch_microseconds = 100;
constexpr double microseconds_per_mebibyte = 1;

constexpr const char* behaviour = "KERNELSCAPE_STUB_CUDA";

std::optional<StubSetting> setting(std::string_view key) { return stub_setting(behaviour, key); }

std::int64_t number(std::string_view key, std::int64_t otherwise) {
  const auto found = setting(key);
  return found ? found->value : otherwise;
}

DriverCode code_of(std::string_view key) { return static_cast<DriverCode>(number(key, 0)); }

/** All that a process has of the driver. */
struct State {
  bool initialised = false;
  DriverCode pending = DriverCode::Success;  ///< of a launch: told by the next call that waits
  DriverCode sticky = DriverCode::Success;   ///< what every call gives from now on
  bool hangs = false;
  double clock_microseconds = 0;
  std::int64_t launches = 0;
  std::int64_t probe_launches = 0;
  std::size_t allocated = 0;
  std::map<Address, std::size_t> memory;
  ContextRecord context;
  StreamRecord stream;
};

State& state() {
  static State instance;
  return instance;
}

bool is_sticky(DriverCode code) {
  const auto value = static_cast<int>(code);
  return value == 46 || value == 214 || value == 999 || (value >= 700 && value <= 721 && value != 701);
}

/** Launches so far, over all processes where a file counts them. */
std::int64_t launches_so_far() {
  const char* path = std::getenv("KERNELSCAPE_STUB_CUDA_LAUNCHES");
  if (path == nullptr || *path == '\0') return state().launches;
  struct stat file{};
  return stat(path, &file) == 0 ? static_cast<std::int64_t>(file.st_size) : 0;
}

/** Counts one more. */
std::int64_t next_launch() {
  ++state().launches;
  const char* path = std::getenv("KERNELSCAPE_STUB_CUDA_LAUNCHES");
  if (path != nullptr && *path != '\0') {
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
      if (write(file, "l", 1) != 1) abort();
      close(file);
    }
  }
  return launches_so_far();
}

bool has_vanished() {
  const auto vanish = setting("vanish");
  return vanish && launches_so_far() >= vanish->value;
}

/** What any call gives before it does anything. */
DriverCode entered() {
  if (!state().initialised) return DriverCode::NotInitialized;
  if (state().sticky == DriverCode::Success && has_vanished()) state().sticky = DriverCode::DeviceUnavailable;
  return state().sticky;
}

/** Waits for what was launched: its error, or for ever. */
DriverCode waited() {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  while (state().hangs) pause();
  const DriverCode code = state().pending;
  state().pending = DriverCode::Success;
  if (is_sticky(code)) state().sticky = code;
  return code;
}

struct NamedCode {
  DriverCode code;
  const char* name;
  const char* text;
};

constexpr std::array named_codes{
    NamedCode{DriverCode::Success, "CUDA_SUCCESS", "no error"},
    NamedCode{DriverCode::InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    NamedCode{DriverCode::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    NamedCode{DriverCode::NotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    NamedCode{DriverCode::StubLibrary, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    NamedCode{DriverCode::DeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE",
              "CUDA-capable device(s) is/are busy or unavailable"},
    NamedCode{DriverCode::NoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    NamedCode{DriverCode::InvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    NamedCode{DriverCode::InvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    NamedCode{DriverCode::NoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
              "no kernel image is available for execution on the device"},
    NamedCode{DriverCode::EccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE",
              "uncorrectable ECC error encountered"},
    NamedCode{DriverCode::NotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    NamedCode{DriverCode::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
              "an illegal memory access was encountered"},
    NamedCode{DriverCode::LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
              "too many resources requested for launch"},
    NamedCode{DriverCode::IllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
              "an illegal instruction was encountered"},
    NamedCode{DriverCode::LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    NamedCode{DriverCode::SystemDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
              "system has unsupported display driver / cuda driver combination"}};

DriverCode name_of(DriverCode code, const char** answer, const char* NamedCode::* member) {
  for (const NamedCode& named : named_codes) {
    if (named.code == code) return *answer = named.*member, DriverCode::Success;
  }
  *answer = nullptr;
  return DriverCode::InvalidValue;
}

std::int64_t attribute_of(DeviceAttribute attribute) {
  const std::int64_t capability = number("capability", 90);
  switch (attribute) {
    case DeviceAttribute::ThreadsPerBlock:
    case DeviceAttribute::BlockX:
    case DeviceAttribute::BlockY:
      return 1024;
    case DeviceAttribute::BlockZ:
      return 64;
    case DeviceAttribute::GridX:
      return 2'147'483'647;
    case DeviceAttribute::GridY:
    case DeviceAttribute::GridZ:
      return 65'535;
    case DeviceAttribute::SharedBytesPerBlock:
      return 48 * 1024;
    case DeviceAttribute::WarpThreads:
      return 32;
    case DeviceAttribute::Multiprocessors:
      return 132;
    case DeviceAttribute::L2Bytes:
      return 1 << 20;
    case DeviceAttribute::ThreadsPerMultiprocessor:
      return 2048;
    case DeviceAttribute::CapabilityMajor:
      return capability / 10;
    case DeviceAttribute::CapabilityMinor:
      return capability % 10;
    case DeviceAttribute::SharedBytesPerMultiprocessor:
      return 228 * 1024;
    case DeviceAttribute::RegistersPerMultiprocessor:
      return 65'536;
    case DeviceAttribute::BlocksPerMultiprocessor:
      return 32;
  }
  return 0;
}

std::size_t total_memory() { return static_cast<std::size_t>(number("memory", 1 << 30)); }

/** Whether the bytes lie within one allocation. */
bool is_inside(Address address, std::size_t bytes) {
  auto after = state().memory.upper_bound(address);
  if (after == state().memory.begin()) return false;
  const auto& [start, size] = *--after;
  return address - start <= size && bytes <= size - (address - start);
}

void* host_pointer(Address address) { return reinterpret_cast<void*>(address); }

/** A launch of the speed probe: trials count none of them, so that "the N-th launch" is one of a kernel. */
DriverCode launch_probe() {
  if (const DriverCode code = code_of("probe_fault"); code != DriverCode::Success) return code;
  const auto slow = setting("slow_probe");
  const bool slowed = slow && ++state().probe_launches >= slow->at;
  state().clock_microseconds +=
      slowed ? static_cast<double>(slow->value) : static_cast<double>(number("probe", 300));
  return DriverCode::Success;
}

/** The image's bytes: an ELF file says itself how long it is, by where its section headers end. */
std::string copy_image(const void* image) {
  std::array<unsigned char, 64> header{};
  std::memcpy(header.data(), image, header.size());
  std::uint64_t sections = 0;
  std::uint16_t size = 0;
  std::uint16_t count = 0;
  std::memcpy(&sections, &header[40], sizeof sections);
  std::memcpy(&size, &header[58], sizeof size);
  std::memcpy(&count, &header[60], sizeof count);
  return {static_cast<const char*>(image), sections + std::uint64_t{size} * count};
}

/** Twice as long at most, and always the same for a text. */
std::int64_t spread_microseconds(const std::string& text) {
  const auto least = number("microseconds", static_cast<std::int64_t>(default_launch_microseconds));
  return least + static_cast<std::int64_t>(std::hash<std::string>()(text) % static_cast<std::size_t>(least));
}

/** The image as a library of the host; null where it is none. */
void* open_image(const std::string& image) {
  constexpr std::size_t machine_at = 18;
  constexpr unsigned char cuda_machine = 190;
  if (static_cast<unsigned char>(image[machine_at]) == cuda_machine) return nullptr;
  const int file = memfd_create("kernel", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  void* library = nullptr;
  if (write(file, image.data(), image.size()) == static_cast<ssize_t>(image.size())) {
    library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  close(file);
  return library;
}

}  // namespace

extern "C" {

DriverCode cuInit(unsigned) {
  if (const DriverCode code = code_of("init"); code != DriverCode::Success) return code;
  if (has_vanished() || number("devices", 1) == 0) return DriverCode::NoDevice;
  state().initialised = true;
  return DriverCode::Success;
}

DriverCode cuDriverGetVersion(int* version) {
  *version = static_cast<int>(number("version", 13'000));
  return DriverCode::Success;
}

DriverCode cuGetErrorName(DriverCode code, const char** name) {
  return name_of(code, name, &NamedCode::name);
}
DriverCode cuGetErrorString(DriverCode code, const char** text) {
  return name_of(code, text, &NamedCode::text);
}

DriverCode cuDeviceGetCount(int* count) {
  *count = static_cast<int>(number("devices", 1));
  return entered();
}

DriverCode cuDeviceGet(DeviceNumber* device, int ordinal) {
  *device = ordinal;
  return ordinal < number("devices", 1) ? entered() : DriverCode::InvalidDevice;
}

DriverCode cuDeviceGetName(char* name, int length, DeviceNumber) {
  std::strncpy(name, "Stub GPU", static_cast<std::size_t>(length));
  return entered();
}

DriverCode cuDeviceGetPCIBusId(char* id, int length, DeviceNumber device) {
  std::strncpy(id, ("0000:0" + std::to_string(device) + ":00.0").c_str(), static_cast<std::size_t>(length));
  return entered();
}

DriverCode cuDeviceTotalMem_v2(std::size_t* bytes, DeviceNumber) {
  *bytes = total_memory();
  return entered();
}

DriverCode cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceNumber) {
  *value = static_cast<int>(attribute_of(attribute));
  return entered();
}

DriverCode cuDevicePrimaryCtxSetFlags_v2(DeviceNumber, unsigned) { return entered(); }

DriverCode cuDevicePrimaryCtxRetain(Context* context, DeviceNumber) {
  if (const DriverCode code = code_of("retain"); code != DriverCode::Success) return code;
  *context = &state().context;
  return entered();
}

DriverCode cuDevicePrimaryCtxRelease_v2(DeviceNumber) { return entered(); }
DriverCode cuCtxSetCurrent(Context) { return entered(); }

DriverCode cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  *total_bytes = total_memory();
  *free_bytes = total_memory() - std::min(total_memory(), state().allocated);
  return entered();
}

DriverCode cuMemAlloc_v2(Address* address, std::size_t bytes) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  if (bytes > total_memory() - std::min(total_memory(), state().allocated)) return DriverCode::OutOfMemory;
  void* memory = std::malloc(bytes);
  if (memory == nullptr) return DriverCode::OutOfMemory;
  *address = reinterpret_cast<Address>(memory);
  state().memory[*address] = bytes;
  state().allocated += bytes;
  return DriverCode::Success;
}

DriverCode cuMemFree_v2(Address address) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  const auto found = state().memory.find(address);
  if (found == state().memory.end()) return DriverCode::InvalidValue;
  state().allocated -= found->second;
  state().memory.erase(found);
  std::free(host_pointer(address));
  return DriverCode::Success;
}

DriverCode cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream) {
  if (const DriverCode code = waited(); code != DriverCode::Success) return code;
  if (!is_inside(to, bytes)) return DriverCode::InvalidValue;
  std::memcpy(host_pointer(to), from, bytes);
  return DriverCode::Success;
}

DriverCode cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream) {
  if (const DriverCode code = waited(); code != DriverCode::Success) return code;
  if (!is_inside(from, bytes)) return DriverCode::InvalidValue;
  std::memcpy(to, host_pointer(from), bytes);
  return DriverCode::Success;
}

DriverCode cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  if (!is_inside(to, bytes) || !is_inside(from, bytes)) return DriverCode::InvalidValue;
  std::memmove(host_pointer(to), host_pointer(from), bytes);
  return DriverCode::Success;
}

DriverCode cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, Stream) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  if (!is_inside(to, bytes)) return DriverCode::InvalidValue;
  std::memset(host_pointer(to), value, bytes);
  state().clock_microseconds += microseconds_per_mebibyte * static_cast<double>(bytes) / (1 << 20);
  return DriverCode::Success;
}

DriverCode cuModuleLoadData(Module* module, const void* image) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  if (const DriverCode code = code_of("load"); code != DriverCode::Success) return code;
  auto* loaded = new ModuleRecord{.image = copy_image(image), .library = nullptr, .function = {}};
  loaded->library = open_image(loaded->image);
  *module = loaded;
  return DriverCode::Success;
}

DriverCode cuModuleUnload(Module module) {
  if (module->library != nullptr) dlclose(module->library);
  delete module;
  return entered();
}

DriverCode cuModuleGetFunction(Function* function, Module module, const char* name) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  if (module->library != nullptr) {
    module->function.host = reinterpret_cast<void (*)(void**)>(dlsym(module->library, name));
    if (module->function.host == nullptr) return DriverCode::NotFound;
  } else if (module->image.find(name) == std::string::npos) {
    return DriverCode::NotFound;
  } else if (setting("computes")) {
    module->function.task = computation_of_source(module->image);
    module->function.microseconds = spread_microseconds(module->image);
  }
  module->function.probe = std::string_view(name) == "kernelscape_speed_probe";
  *function = &module->function;
  return DriverCode::Success;
}

DriverCode cuModuleGetGlobal_v2(Address* address, std::size_t* bytes, Module module, const char* name) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  void* symbol = module->library != nullptr ? dlsym(module->library, name) : nullptr;
  if (symbol == nullptr) return DriverCode::NotFound;
  *address = reinterpret_cast<Address>(symbol);
  *bytes = total_memory();
  state().memory[*address] = 1 << 16;
  return DriverCode::Success;
}

DriverCode cuFuncSetAttribute(Function, FunctionAttribute, int value) {
  return value <= 227 * 1024 ? entered() : DriverCode::InvalidValue;
}

DriverCode cuLaunchKernel(Function function, unsigned, unsigned, unsigned, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned, Stream, void** arguments, void**) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  if (std::uint64_t{block_x} * block_y * block_z > 1024) return DriverCode::InvalidValue;
  if (function->probe) return launch_probe();
  const std::int64_t launch = next_launch();
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  if (const auto hang = setting("hang"); hang && hang->value == launch) state().hangs = true;
  if (const auto fault = setting("launch"); fault && fault->at == launch) {
    const auto code = static_cast<DriverCode>(fault->value);
    if (!is_sticky(code)) return code;
    state().pending = code;
    return DriverCode::Success;
  }
  if (function->host != nullptr) function->host(arguments);
  if (function->task) function->task(arguments);
  const std::int64_t own = function->microseconds;
  state().clock_microseconds += static_cast<double>(
      own > 0 ? own : number("microseconds", static_cast<std::int64_t>(default_launch_microseconds)));
  return DriverCode::Success;
}

DriverCode cuStreamCreate(Stream* stream, unsigned) {
  *stream = &state().stream;
  return entered();
}
DriverCode cuStreamDestroy_v2(Stream) { return entered(); }
DriverCode cuStreamSynchronize(Stream) { return waited(); }

DriverCode cuEventCreate(Event* event, unsigned) {
  if (const DriverCode code = entered(); code != DriverCode::Success) return code;
  *event = new EventRecord;
  return DriverCode::Success;
}

DriverCode cuEventDestroy_v2(Event event) {
  delete event;
  return entered();
}

DriverCode cuEventRecord(Event event, Stream) {
  event->microseconds = state().clock_microseconds;
  return entered();
}

DriverCode cuEventSynchronize(Event) { return waited(); }

DriverCode cuEventElapsedTime(float* milliseconds, Event start, Event end) {
  *milliseconds = static_cast<float>((end->microseconds - start->microseconds) / 1000);
  return entered();
}

}  // extern "C"
