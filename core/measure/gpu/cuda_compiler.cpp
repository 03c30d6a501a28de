#include "core/measure/gpu/cuda_compiler.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "core/base/text.h"
#include "core/measure/gpu/cuda_api.h"
#include "core/measure/gpu/device_compiler.h"
#include "core/measure/gpu/gpu_target.h"
#include "core/measure/gpu/ptxas_log.h"
#include "core/measure/worker/child_process.h"
#include "core/measure/worker/message_text.h"

namespace kernelscape::measure {
namespace {

using cuda::CompilerCode;
using cuda::CompilerFunctions;

constexpr const char* cuda_source_name = "kernel.cu";
constexpr const char* verbose_option = "--ptxas-options=-v";

/** Whether ptxas reports the resources of kernels. If it does, it withholds some errors. */
enum class Log { Verbose, ErrorsAlone };

struct Outcome {
  CompilerCode code = CompilerCode::Success;
  std::string log;
  std::string cubin;
  std::string ptx{};    ///< PTX of a virtual architecture, which has no cubin
  std::string entry{};  ///< mangled name in the cubin of the kernel of a user's source
};

/** Owns an NVRTC program. */
class ProgramOwner {
 public:
  ProgramOwner(const CompilerFunctions& functions, const BuildRequest& request) : functions_(functions) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const codegen::IncludedFile& file : request.includes) {
      texts.push_back(file.text.c_str());
      names.push_back(file.name.c_str());
    }
    created_ = functions_.create(&program_, request.text.c_str(), cuda_source_name,
                                 static_cast<int>(texts.size()), texts.data(), names.data());
    if (request.user_source) entry_ = request.entry;
    if (created_ == CompilerCode::Success && !entry_.empty())
      created_ = functions_.add_name(program_, entry_.c_str());
  }
  ProgramOwner(const ProgramOwner&) = delete;
  ProgramOwner& operator=(const ProgramOwner&) = delete;
  ~ProgramOwner() {
    if (program_ != nullptr) functions_.destroy(&program_);
  }

  Outcome compile(const std::vector<std::string>& options) {
    Outcome outcome{.code = created_, .log = {}, .cubin = {}};
    if (created_ != CompilerCode::Success) return outcome;
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    outcome.code = functions_.compile(program_, static_cast<int>(words.size()), words.data());
    outcome.log = bytes_of(functions_.log_size, functions_.log);
    // NVRTC's size includes the final zero byte.
    while (!outcome.log.empty() && outcome.log.back() == '\0') outcome.log.pop_back();
    if (outcome.code == CompilerCode::Success) {
      outcome.cubin = bytes_of(functions_.cubin_size, functions_.cubin);
      if (outcome.cubin.empty()) outcome.ptx = bytes_of(functions_.ptx_size, functions_.ptx);
      while (!outcome.ptx.empty() && outcome.ptx.back() == '\0') outcome.ptx.pop_back();
      const char* name = nullptr;
      if (!entry_.empty() &&
          functions_.lowered_name(program_, entry_.c_str(), &name) == CompilerCode::Success)
        outcome.entry = name;
    }
    return outcome;
  }

 private:
  std::string bytes_of(decltype(CompilerFunctions::log_size) size, decltype(CompilerFunctions::log) copy) {
    std::size_t count = 0;
    if (size(program_, &count) != CompilerCode::Success) return {};
    std::string bytes(count, '\0');
    return copy(program_, bytes.data()) == CompilerCode::Success ? bytes : std::string();
  }

  const CompilerFunctions& functions_;
  cuda::Program program_ = nullptr;
  CompilerCode created_;
  std::string entry_;  ///< kernel whose name in the cubin is requested; empty: none
};

/**
 * Returns the folders of the toolkit's own headers: beside NVRTC, else those of the environment and of usual
 * installations.
 */
std::vector<std::string> toolkit_headers(const std::string& nvrtc) {
  namespace fs = std::filesystem;
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* folder = std::getenv(variable); folder != nullptr && *folder != '\0')
      roots.emplace_back(folder);
  }
  std::error_code failed;
  const fs::path real = fs::canonical(nvrtc, failed);
  for (const fs::path& library : {failed ? fs::path(nvrtc) : real, fs::path(nvrtc)})
    roots.push_back(library.parent_path().parent_path());
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& root : roots) {
    const fs::path folder = root / "include";
    if (!fs::exists(folder / "cuda_fp16.h", failed)) continue;
    std::vector<std::string> folders{folder.string()};
    if (fs::is_directory(folder / "cccl", failed)) folders.push_back((folder / "cccl").string());
    return folders;
  }
  return {};
}

BuildReply cuda_fault(std::string message, std::string hint) {
  return {.status = BuildStatus::MachineFault, .message = std::move(message), .hint = std::move(hint)};
}

class CudaCompiler final : public DeviceCompiler {
 public:
  explicit CudaCompiler(cuda::Compiler compiler)
      : compiler_(std::move(compiler)), headers_(toolkit_headers(compiler_.path)) {}

  BuildReply compile(const BuildRequest& request) override {
    const auto start = std::chrono::steady_clock::now();
    BuildReply reply = build(request);
    reply.seconds = seconds_since(start);
    return reply;
  }

 private:
  /** Returns true for a virtual architecture such as "compute_90a", whose artefact is PTX. */
  static bool is_virtual(const BuildRequest& request) { return request.architecture.starts_with("compute_"); }

  BuildReply build(const BuildRequest& request) const {
    // ptxas takes no part in builds for a virtual architecture.
    Outcome outcome = run(request, is_virtual(request) ? Log::ErrorsAlone : Log::Verbose);
    switch (outcome.code) {
      case CompilerCode::Success:
        return built(request, std::move(outcome));
      case CompilerCode::Compilation:
        return refused(request, outcome);
      case CompilerCode::InvalidOption:
        return option_fault(request, outcome);
      default:
        return broken(request, outcome);
    }
  }

  Outcome run(const BuildRequest& request, Log log) const {
    std::vector<std::string> options{"--gpu-architecture=" + request.architecture};
    // The disk cache of CUDA 12.9 and later is disabled, so that build times are real.
    if (compiler_.major > 12 || (compiler_.major == 12 && compiler_.minor >= 9)) {
      options.emplace_back("--no-cache");
    }
    if (log == Log::Verbose) options.emplace_back(verbose_option);
    if (request.user_source) {
      for (const std::string& folder : headers_) options.push_back("--include-path=" + folder);
    }
    options.insert(options.end(), request.flags.begin(), request.flags.end());
    return ProgramOwner(compiler_.functions, request).compile(options);
  }

  BuildReply built(const BuildRequest& request, Outcome outcome) const {
    if (is_virtual(request) && !outcome.ptx.empty() && outcome.ptx.size() <= max_artefact_bytes)
      return {.status = BuildStatus::Built, .artefact = std::move(outcome.ptx), .entry = outcome.entry};
    if (outcome.cubin.empty() || outcome.cubin.size() > max_artefact_bytes) {
      return {.status = BuildStatus::Failed, .message = "NVRTC made no cubin, or a cubin over 64 MiB"};
    }
    BuildReply reply{.status = BuildStatus::Built, .artefact = std::move(outcome.cubin)};
    reply.log = clean_message(without_compile_times(outcome.log));
    const std::string& entry = outcome.entry.empty() ? request.entry : outcome.entry;
    reply.resources = resources_of_ptxas_log(outcome.log, entry).value_or(trial::KernelResources{});
    reply.entry = outcome.entry;
    return reply;
  }

  BuildReply refused(const BuildRequest& request, const Outcome& outcome) const {
    std::string log = outcome.log;
    if (log.find("error") == std::string::npos) log = run(request, Log::ErrorsAlone).log;
    std::string message = clean_message(without_compile_times(log));
    if (message.empty()) message = "NVRTC refuses the kernel without a message";
    return {.status = BuildStatus::Failed, .message = std::move(message)};
  }

  BuildReply option_fault(const BuildRequest& request, const Outcome& outcome) const {
    const bool architecture = outcome.log.find("gpu-architecture") != std::string::npos;
    // An invalid flag of a user is the project's fault, and may differ between configurations.
    if (request.user_source && !architecture)
      return {.status = BuildStatus::Failed,
              .message = clean_message("NVRTC does not support an option: " + outcome.log)};
    if (!architecture) {
      return cuda_fault(
          fmt::format("NVRTC {} ({}) does not support the options {}: {}", compiler_.version(),
                      compiler_.path, base::join(request.flags, " "), clean_message(outcome.log)),
          "use the NVRTC with which the session was started, or start a new session");
    }
    return cuda_fault(
        fmt::format("NVRTC {} ({}) can't build for {}: it supports {}", compiler_.version(), compiler_.path,
                    request.architecture, base::join(cuda_architectures(), ", ")),
        "set --arch to one of these, or install a CUDA toolkit that supports it (CUDA 12: "
        "sm_50 to sm_90a) and set KERNELSCAPE_NVRTC to the path of its libnvrtc.so");
  }

  /** Classifies an internal error: the kernel's fault if a trivial kernel builds, else the installation's. */
  BuildReply broken(const BuildRequest& request, const Outcome& outcome) const {
    const std::string words =
        clean_message(fmt::format("NVRTC {} ({}) failed: {}\n{}", compiler_.version(), compiler_.path,
                                  compiler_.functions.error_string(outcome.code), outcome.log));
    const Outcome trivial = run(cuda_self_test_request(request.architecture), Log::ErrorsAlone);
    if (trivial.code == CompilerCode::Success) return {.status = BuildStatus::Failed, .message = words};
    return cuda_fault(words,
                      "reinstall the CUDA toolkit (libnvrtc and libnvrtc-builtins must be of the same "
                      "version), or set KERNELSCAPE_NVRTC to the path of another libnvrtc.so");
  }

  cuda::Compiler compiler_;
  std::vector<std::string> headers_;  ///< include folders for users' sources; Kernelscape's kernels need none
};

}  // namespace

BuildRequest cuda_self_test_request(const std::string& architecture) {
  return {.dialect = codegen::Dialect::Cuda,
          .compiler = {},
          .device = {},
          .architecture = architecture,
          .entry = "kernelscape_self_test",
          .flags = {},
          .text =
              "extern \"C\" __global__ void kernelscape_self_test(const float* a, const float* b, float* c) "
              "{\n  *c = *a * *b;\n}\n",
          .timeout_seconds = 10};
}

Result<std::unique_ptr<DeviceCompiler>> make_cuda_compiler() {
  auto compiler = TRY(cuda::open_compiler());
  return std::make_unique<CudaCompiler>(std::move(compiler));
}

}  // namespace kernelscape::measure
