#include "core/exchange/kernels/kernel_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/exchange/formats/configuration_json.h"
#include "core/exchange/kernels/c_text.h"
#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/space/knob_json.h"

namespace kernelscape::exchange {
namespace {

Status check_name(std::string_view what, const std::string& name) {
  if (is_c_name(name)) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} \"{}\" is not a valid name in C and CMake", what, name),
              fmt::format("use letters, digits and underscores, such as {}", kernel_name(name)));
}

/** Returns true for prefixes of the programs' names. No kernel may have such a name. */
bool is_name_of_programs(std::string_view name) {
  constexpr std::array<std::string_view, 3> beginnings{"check_", "pass_", "team_"};
  return !name.ends_with("_kernel") && std::ranges::any_of(beginnings, [&](std::string_view beginning) {
    return name.starts_with(beginning);
  });
}

/** Checks that all names in the program are distinct: functions, files and the library's own names. */
Status check_names(std::span<const ExportedKernel> kernels, const std::string& library) {
  if (kernels.empty())
    return fail(ErrorCode::InvalidArgument, "a kernel library without a kernel",
                "choose at least one kernel");
  TRY(check_name("the library's name", library));
  std::set<std::string> taken;
  for (const char* ending :
       {"_table", "_vendor", "_find", "_pack", "_unpack", "_kernel", "_kernels", "_kernel_count", "_tensor",
        "_dimension", "_conversion", "_conversions", "_conversion_count"})
    taken.insert(library + ending);
  for (const ExportedKernel& kernel : kernels) {
    TRY(check_name("the kernel's name", kernel.name));
    const bool ours = is_name_of_programs(kernel.name) || kernel.name.starts_with(library + "_convert_") ||
                      kernel.name.starts_with(library + "_run_") || kernel.name == "copy_element" ||
                      kernel.name == "team" || kernel.name == "offset_of" ||
                      kernel.name == "convert_elements";
    if (!ours && taken.insert(kernel.name).second) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("two items of the library {} would have the name {}", library, kernel.name),
                "give the kernels or the library other names");
  }
  return {};
}

bool is_gpu_kernel(const ExportedKernel& kernel) { return kernel.source.dialect != codegen::Dialect::C; }

/** Checks that the kernel is in C with known types: the calling program supports no others. */
Status check_source(const ExportedKernel& kernel) {
  const bool typed =
      std::ranges::all_of(kernel.source.arguments, [](const codegen::KernelArgument& argument) {
        return tensor_element(argument.element_type).has_value();
      });
  const std::optional<task::TensorOperator>& op = kernel.measured.task.op;
  const bool shaped = op && kernel.source.arguments.size() == 3 + op->operands.size();
  if ((typed || is_gpu_kernel(kernel)) && shaped && kernel.source.entry == kernel.name) return {};
  return fail(ErrorCode::Refused,
              fmt::format("{} is not a kernel of two inputs, an output and operands of an epilogue (of f32, "
                          "f16, bf16, u8, i8 or i32 for a CPU) "
                          "with a unique name",
                          kernel.name),
              "export kernels of templates");
}

std::string_view source_ending(codegen::Dialect dialect) {
  switch (dialect) {
    case codegen::Dialect::C:
      return ".c";
    case codegen::Dialect::Cuda:
      return ".cu";
    case codegen::Dialect::OpenCl:
      return ".cl";
  }
  return {};
}

Status check_kernels(std::span<const ExportedKernel> kernels) {
  for (const ExportedKernel& kernel : kernels) {
    TRY(check_source(kernel));
    if (is_gpu_kernel(kernel) == is_gpu_kernel(kernels.front())) continue;
    return fail(ErrorCode::Refused,
                fmt::format("{} and {} are for a CPU and for a GPU, and cannot be in one library",
                            kernels.front().name, kernel.name),
                "export them into separate folders");
  }
  return {};
}

space::Json launch_object(const codegen::KernelSource& source) {
  return {{"grid", source.launch.grid},
          {"block", source.launch.block},
          {"static_shared_bytes", source.shared_bytes}};
}

/** Returns the vendor choice and its reason. */
space::Json vendor_object(const ExportedKernel& kernel) {
  const trial::VendorResult& vendor = kernel.measured.vendor;
  space::Json object{{"taken", kernel.is_vendors()}, {"why", kernel.vendor->why}};
  if (vendor.name.empty()) return object;
  object["name"] = vendor.name;
  if (!vendor.algorithm.empty()) object["algorithm"] = vendor.algorithm;
  object["implementation"] = vendor.implementation;
  object["layouts"] = vendor.layouts;
  object["samples_seconds"] = vendor.samples_seconds;
  return object;
}

std::string manifest_text(std::span<const ExportedKernel> kernels, const std::string& name,
                          const std::vector<ExportedFile>& files) {
  space::Json manifest{{"format", kernel_manifest_format}, {"format_version", 1}, {"name", name}};
  for (const ExportedFile& file : files) {
    manifest["files"].push_back(file.name);
    manifest[written_files_name].push_back(written_file(file));
  }
  for (const ExportedKernel& kernel : kernels) {
    space::Json entry = configuration_object(kernel.measured);
    entry["name"] = kernel.name;
    entry["flags"] = kernel.source.flags.words();
    entry["unused_flags"] = kernel.unused_flags;
    if (kernel.multiplicity > 0) entry["multiplicity"] = kernel.multiplicity;
    if (!kernel.nodes.empty()) entry["nodes"] = kernel.nodes;
    if (kernel.vendor) entry["vendor"] = vendor_object(kernel);
    if (is_gpu_kernel(kernel)) entry["launch"] = launch_object(kernel.source);
    manifest["kernels"].push_back(std::move(entry));
  }
  return manifest.dump(2, ' ', false, space::Json::error_handler_t::replace) + "\n";
}

/** Returns why there is no pass over the network of CPU kernels; empty if there is one. */
std::string why_no_pass(std::span<const ExportedKernel> kernels, const KernelOrder& order) {
  for (const ExportedKernel& kernel : kernels) {
    if (!is_of_floats(kernel)) return kernel.name + " has tensors of another type than f32";
    if (!kernel.measured.task.op->epilogue.empty()) return kernel.name + " has an epilogue";
  }
  if (order.calls.empty()) return "no calls of the network are known";
  if (order.calls.size() > max_pass_calls)
    return fmt::format("it would have {} calls, more than {}", order.calls.size(), max_pass_calls);
  return {};
}

}  // namespace

bool is_of_floats(const ExportedKernel& kernel) {
  return std::ranges::all_of(kernel.source.arguments, [](const codegen::KernelArgument& argument) {
    return argument.element_type == "f32";
  });
}

Result<std::vector<ExportedFile>> kernel_library_files(std::span<const ExportedKernel> kernels,
                                                       const std::string& name,
                                                       const NetworkOfKernels* network) {
  TRY(check_names(kernels, name));
  TRY(check_kernels(kernels));
  const bool has_network = network != nullptr && !is_gpu_kernel(kernels.front());
  const std::string reason = has_network ? why_no_pass(kernels, network->order) : std::string();
  std::optional<LibraryPass> pass;
  if (has_network && reason.empty())
    pass = LibraryPass{network->name, network->order, plan_pass(kernels, network->order)};
  const KernelLibrary library{name, kernels, pass ? &*pass : nullptr, reason};
  std::vector<ExportedFile> files;
  for (const ExportedKernel& kernel : kernels)
    if (!kernel.is_vendors())
      files.push_back(
          {fmt::format("{}{}", kernel.name, source_ending(kernel.source.dialect)), kernel.source.text});
  if (is_gpu_kernel(kernels.front())) {
    files.push_back({"README.md", gpu_readme(library).text()});
  } else {
    files.push_back({name + ".h", library_header(library).text()});
    files.push_back({name + "_table.c", library_table(library).text()});
    files.push_back({"check.c", library_check(library).text()});
    if (library.has_vendors()) files.push_back({name + "_vendor.cpp", library_vendor(library).text()});
    if (pass) {
      files.push_back({name + "_conversions.c", library_conversions(library).text()});
      files.push_back({"pass.c", library_pass(library).text()});
      files.push_back({"pass_onednn.cpp", library_onednn_pass(library).text()});
    }
    files.push_back({"CMakeLists.txt", library_cmake(library).text()});
    files.push_back({"README.md", library_readme(library).text()});
  }
  // The manifest is written first, so that a partly written folder is recognised as an export.
  files.insert(files.begin(), {std::string(kernel_manifest_name), manifest_text(kernels, name, files)});
  return files;
}

Status write_kernel_library(std::span<const ExportedKernel> kernels, const std::filesystem::path& folder,
                            const std::string& name, bool force, const NetworkOfKernels* network) {
  return write_kernel_folder(TRY(kernel_library_files(kernels, name, network)), folder, force);
}

}  // namespace kernelscape::exchange
