// Stands in for NVRTC, in the same library as the stand-in for libcuda: see stub_cuda.h.

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/measure/gpu/cuda_api.h"
#include "tests/measure/stub_setting.h"

using namespace kernelscape::measure::cuda;
using namespace kernelscape::measure_tests;

namespace kernelscape::measure::cuda {

struct ProgramRecord {
  std::string source;
  std::string log;
  std::string cubin;
  std::string lowered;  ///< answers a name expression
};

}  // namespace kernelscape::measure::cuda

namespace {

constexpr const char* behaviour = "KERNELSCAPE_STUB_NVRTC";
constexpr std::array supported{75, 80, 90};

int number(std::string_view key, int otherwise) {
  const auto found = stub_setting(behaviour, key);
  return found ? static_cast<int>(found->value) : otherwise;
}

/** The code that the source asks for by "fails with CODE"; 0 where it asks for none. */
int code_in(const std::string& source) {
  constexpr std::string_view marker = "fails with ";
  const std::size_t at = source.find(marker);
  return at == std::string::npos ? 0 : std::atoi(source.c_str() + at + marker.size());
}

/** A cubin that has nothing but the source, behind the header of an ELF file without sections. */
std::string wrapped(const std::string& source) {
  constexpr std::size_t header_bytes = 64;
  constexpr std::uint16_t cuda_machine = 190;
  std::string cubin(header_bytes, '\0');
  cubin.replace(0, 7,
                "\x7f"
                "ELF"
                "\x02\x01\x01");  // 64 bits, little-endian
  std::memcpy(&cubin[18], &cuda_machine, sizeof cuda_machine);
  cubin += source;
  const std::uint64_t end = cubin.size();
  std::memcpy(&cubin[40], &end, sizeof end);  // where sections would begin
  return cubin;
}

}  // namespace

extern "C" {

CompilerCode nvrtcVersion(int* major, int* minor) {
  *major = number("major", 12);
  *minor = number("minor", 4);
  return CompilerCode::Success;
}

const char* nvrtcGetErrorString(CompilerCode) { return "NVRTC_ERROR_OF_THE_STUB"; }

CompilerCode nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(supported.size());
  return CompilerCode::Success;
}

CompilerCode nvrtcGetSupportedArchs(int* numbers) {
  std::memcpy(numbers, supported.data(), sizeof supported);
  return CompilerCode::Success;
}

CompilerCode nvrtcCreateProgram(Program* program, const char* source, const char*, int, const char* const*,
                                const char* const*) {
  *program = new ProgramRecord{.source = source, .log = {}, .cubin = {}, .lowered = {}};
  return CompilerCode::Success;
}

CompilerCode nvrtcDestroyProgram(Program* program) {
  delete *program;
  *program = nullptr;
  return CompilerCode::Success;
}

CompilerCode nvrtcAddNameExpression(Program, const char*) { return CompilerCode::Success; }

CompilerCode nvrtcGetLoweredName(Program program, const char* expression, const char** name) {
  program->lowered = expression;
  *name = program->lowered.c_str();
  return CompilerCode::Success;
}

CompilerCode nvrtcCompileProgram(Program program, int count, const char* const* options) {
  for (int i = 0; i < count; ++i) program->log += std::string(options[i]) + "\n";
  program->cubin = number("wraps", 0) != 0 ? wrapped(program->source) : program->source;
  const int own = code_in(program->source);
  return static_cast<CompilerCode>(own != 0 ? own : number("compile", 0));
}

CompilerCode nvrtcGetProgramLogSize(Program program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return CompilerCode::Success;
}

CompilerCode nvrtcGetProgramLog(Program program, char* text) {
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return CompilerCode::Success;
}

CompilerCode nvrtcGetCUBINSize(Program program, std::size_t* bytes) {
  *bytes = program->cubin.size();
  return CompilerCode::Success;
}

CompilerCode nvrtcGetCUBIN(Program program, char* bytes) {
  std::memcpy(bytes, program->cubin.data(), program->cubin.size());
  return CompilerCode::Success;
}

CompilerCode nvrtcGetPTXSize(Program program, std::size_t* bytes) {
  *bytes = program->source.size() + 1;
  return CompilerCode::Success;
}

CompilerCode nvrtcGetPTX(Program program, char* text) {
  std::memcpy(text, program->source.c_str(), program->source.size() + 1);
  return CompilerCode::Success;
}

}  // extern "C"
