#include <algorithm>
#include <iterator>

#include "core/exchange/export_formats.h"
#include "core/exchange/formats/configuration_json.h"
#include "core/exchange/kernels/kernel_folder.h"
#include "core/exchange/kernels/kernel_library.h"
#include "core/exchange/kernels/project_kernel.h"
#include "core/exchange/text_output.h"

namespace kernelscape::exchange {
namespace {

/** Recognises the format: its members are sorted, and no text within a value contains such a line. */
bool is_own_configuration_json(std::string_view head) {
  return head.starts_with("{\n  \"category\": \"") &&
         head.contains("\n  \"format\": \"kernelscape-configuration\",\n");
}

Status export_configuration_json(const ExportRequest& request) {
  const auto measured =
      TRY(read_measured_configuration(request.store, request.session, request.trial.value()));
  return write_text_output(output_of(request),
                           [&](const TextSink& sink) { return sink(configuration_json(measured)); });
}

Status export_kernel_folder(const ExportRequest& request) {
  auto measured = TRY(read_measured_configuration(request.store, request.session, request.trial.value()));
  if (!TRY(request.store.sessions().get(request.session)).record.project_hash.empty()) {
    const ProjectKernel kernel = TRY(make_project_kernel(request.store, std::move(measured)));
    TRY(write_kernel_folder(project_kernel_files(kernel), request.path, request.force));
    if (request.notices != nullptr && !kernel.trusted)
      request.notices->emplace_back("the content of the project is not trusted here: its flags are omitted");
    return {};
  }
  const ExportedKernel kernel = TRY(make_exported_kernel(std::move(measured)));
  TRY(write_kernel_library({&kernel, 1}, request.path, kernel.name, request.force));
  if (request.notices != nullptr)
    std::ranges::copy(export_notices(kernel), std::back_inserter(*request.notices));
  return {};
}

}  // namespace

ExportFormat kernel_export() {
  return {.name = "kernel",
          .summary =
              "a folder with the kernel's source: C with a program that checks and measures it; CUDA or "
              "OpenCL with launch instructions",
          .one_trial = true,
          .recognises_own = is_own_kernel_manifest,
          .write = export_kernel_folder};
}

ExportFormat configuration_export() {
  return {.name = "configuration",
          .summary = "JSON of a configuration with its measurements and its origin",
          .one_trial = true,
          .to_standard_output = true,
          .recognises_own = is_own_configuration_json,
          .write = export_configuration_json};
}

}  // namespace kernelscape::exchange
