#include "core/measure/gpu/opencl_compiler.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/device_name.h"
#include "core/measure/gpu/opencl_api.h"
#include "core/measure/gpu/ptxas_log.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {
namespace {

BuildReply opencl_fault(const Error& error) {
  return {.status = BuildStatus::MachineFault, .message = error.message, .hint = error.hint};
}

BuildReply failed_build(std::string_view message) {
  return {.status = BuildStatus::Failed, .message = clean_message(message)};
}

/** Returns true for errors that no kernel can cause. */
bool is_machine_fault(cl_int code) {
  return code == CL_OUT_OF_HOST_MEMORY || code == CL_DEVICE_NOT_AVAILABLE ||
         code == CL_COMPILER_NOT_AVAILABLE || code == CL_INVALID_DEVICE || code == CL_INVALID_CONTEXT;
}

BuildReply failed_compile_call(const std::string& what, cl_int code, const std::string& log = {}) {
  const std::string message = fmt::format("{}: {}", what, opencl_error_name(code));
  if (is_machine_fault(code))
    return opencl_fault({ErrorCode::Environment, message, "free memory, or restart the device's driver"});
  return failed_build(log.empty() ? message : log);
}

/**
 * Moves macros whose values contain blanks from the options to lines before the source: drivers split the
 * options at blanks, and not all of them support quotes. Line numbers remain those of the source.
 */
BuildRequest with_macro_lines(BuildRequest request) {
  std::vector<std::string> flags;
  std::string lines;
  for (const std::string& flag : request.flags) {
    const bool follows = !flags.empty() && flags.back() == "-D";
    if (!flag.contains(' ') || (!follows && !flag.starts_with("-D"))) {
      flags.push_back(flag);
      continue;
    }
    if (follows) flags.pop_back();
    std::string macro = follows ? flag : flag.substr(2);
    if (const std::size_t equals = macro.find('='); equals != std::string::npos) macro[equals] = ' ';
    lines += fmt::format("#define {}\n", macro);
  }
  request.flags = std::move(flags);
  request.text.insert(0, lines);
  return request;
}

class OpenClCompiler final : public DeviceCompiler {
 public:
  BuildReply compile(const BuildRequest& request) override {
    const auto start = std::chrono::steady_clock::now();
    BuildReply reply = build(with_macro_lines(request));
    reply.seconds = seconds_since(start);
    return reply;
  }

 private:
  /** A device with a context, kept for later requests. */
  struct OpenDevice {
    std::string name;
    OpenClDevice device;
    OpenClContext context;
  };

  Status open(const std::string& name) {
    if (open_ && open_->name == name) return {};
    const auto parsed = TRY(parse_device_name(name));
    if (parsed.kind != schedule::TargetKind::OpenCl)
      return fail(ErrorCode::InvalidArgument, fmt::format("`{}` is not an OpenCL device", name),
                  "write opencl:0");
    auto device = TRY(find_opencl_device(parsed.number));
    auto context = TRY(make_opencl_context(device));
    open_.emplace(name, std::move(device), std::move(context));
    return {};
  }

  OpenClProgram program_of(const std::string& text, cl_int& code) const {
    const char* start = text.data();
    const std::size_t bytes = text.size();
    return OpenClProgram(clCreateProgramWithSource(open_->context.get(), 1, &start, &bytes, &code));
  }

  /** Builds the program; a source that includes files is compiled with their texts, then linked. */
  cl_int make_executable(OpenClProgram& program, const BuildRequest& request, std::string& log) const {
    const cl_device_id device = open_->device.id;
    const std::string flags = base::join(request.flags, " ");
    if (request.includes.empty()) {
      const cl_int code = clBuildProgram(program.get(), 1, &device, flags.c_str(), nullptr, nullptr);
      log = opencl_build_log(program.get(), device);
      return code;
    }
    std::vector<OpenClProgram> headers;
    std::vector<cl_program> texts;
    std::vector<const char*> names;
    cl_int code = CL_SUCCESS;
    for (const codegen::IncludedFile& file : request.includes) {
      headers.push_back(program_of(file.text, code));
      if (code != CL_SUCCESS) return code;
      texts.push_back(headers.back().get());
      names.push_back(file.name.c_str());
    }
    code = clCompileProgram(program.get(), 1, &device, flags.c_str(), static_cast<cl_uint>(texts.size()),
                            texts.data(), names.data(), nullptr, nullptr);
    log = opencl_build_log(program.get(), device);
    if (code != CL_SUCCESS) return code;
    const cl_program compiled = program.get();
    OpenClProgram linked(
        clLinkProgram(open_->context.get(), 1, &device, "", 1, &compiled, nullptr, nullptr, &code));
    if (linked) {
      log += opencl_build_log(linked.get(), device);
      program = std::move(linked);
    }
    return code;
  }

  BuildReply build(const BuildRequest& request) {
    if (auto opened = open(request.device); !opened) return opencl_fault(opened.error());
    cl_int code = CL_SUCCESS;
    OpenClProgram program = program_of(request.text, code);
    if (code != CL_SUCCESS)
      return failed_compile_call("the OpenCL compiler does not accept the source", code);
    const cl_device_id device = open_->device.id;
    std::string log;
    code = make_executable(program, request, log);
    if (code != CL_SUCCESS) return failed_compile_call("the OpenCL compiler failed", code, log);
    const OpenClKernel kernel(clCreateKernel(program.get(), request.entry.c_str(), &code));
    if (code != CL_SUCCESS)
      return failed_compile_call(fmt::format("the program has no kernel `{}`", request.entry), code);
    BuildReply reply = binary_of(program.get());
    if (reply.status != BuildStatus::Built) return reply;
    reply.log = clean_message(without_compile_times(log));
    // If NVIDIA's compiler is verbose, its log is that of ptxas.
    reply.resources = resources_of_ptxas_log(log, request.entry).value_or(trial::KernelResources{});
    cl_ulong local_bytes = 0;
    clGetKernelWorkGroupInfo(kernel.get(), device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes,
                             nullptr);
    reply.resources.shared_bytes = static_cast<std::int64_t>(local_bytes);
    return reply;
  }

  static BuildReply binary_of(cl_program program) {
    constexpr const char* what = "the OpenCL compiler returned no binary";
    std::size_t bytes = 0;
    cl_int code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr);
    if (code != CL_SUCCESS) return failed_compile_call(what, code);
    if (bytes == 0 || bytes > max_artefact_bytes)
      return failed_build(fmt::format("{}, or a binary over 64 MiB", what));
    BuildReply reply{.status = BuildStatus::Built, .artefact = std::string(bytes, '\0')};
    char* place = reply.artefact.data();
    // NOLINTNEXTLINE(bugprone-multi-level-implicit-pointer-conversion): OpenCL's interface
    code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr);
    if (code != CL_SUCCESS) return failed_compile_call(what, code);
    return reply;
  }

  std::optional<OpenDevice> open_;
};

}  // namespace

Result<std::unique_ptr<DeviceCompiler>> make_opencl_compiler() {
  std::ignore = TRY(find_opencl_devices());
  return std::make_unique<OpenClCompiler>();
}

BuildRequest opencl_self_test_request(const std::string& device) {
  BuildRequest request;
  request.dialect = codegen::Dialect::OpenCl;
  request.device = device;
  request.entry = "kernelscape_self_test";
  request.text =
      "__kernel void kernelscape_self_test(__global const float* a, __global float* b) {\n"
      "  b[get_global_id(0)] = 2 * a[get_global_id(0)];\n}\n";
  return request;
}

}  // namespace kernelscape::measure
