#include "ui/views/tune/project_opener.h"

#include <QFileInfo>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/space/knob_json.h"
#include "ui/views/tune/setup_form.h"
#include "ui/workspace/devices.h"

namespace kernelscape::views {
namespace {

constexpr auto built_for = "sm_80";  // used if there is no CUDA device
constexpr std::uintmax_t max_project_bytes = 16U << 20U;

/**
 * Returns the language of a project, whose other files may be unreadable: the form reports that. Returns
 * nullopt if it names no language.
 */
std::optional<codegen::Dialect> language_of(const std::filesystem::path& file) {
  const Result<std::string> text = base::read_text_file(file, max_project_bytes);
  const space::Json json = text ? space::parse_json(*text) : space::Json();
  std::string language;
  for (const char* place : {"KernelSpecification", "kernelscape"}) {
    const space::Json* object = json.is_object() ? space::member_of(json, place) : nullptr;
    const space::Json* named =
        object != nullptr && object->is_object() ? space::member_of(*object, "Language") : nullptr;
    if (named != nullptr && named->is_string()) language = named->get<std::string>();
  }
  if (language == "C" || language == "C++") return codegen::Dialect::C;
  if (language == "CUDA") return codegen::Dialect::Cuda;
  return language == "OpenCL" ? std::optional(codegen::Dialect::OpenCl) : std::nullopt;
}

/** Chooses the device that runs a language; without a CUDA device, CUDA kernels are only built. */
void choose_target(codegen::Dialect language, const workspace::DeviceSurvey* devices,
                   session::TuningRequest& request) {
  const bool cuda = language == codegen::Dialect::Cuda;
  request.target = language == codegen::Dialect::C ? "cpu" : cuda ? "cuda:0" : "opencl:0";
  request.architecture.clear();
  request.measuring.build_only = false;
  if (!cuda || (devices != nullptr && devices->find(request.target) != nullptr)) return;
  request.target = "cuda";
  request.architecture = built_for;
  request.measuring.build_only = true;
}

}  // namespace

ProjectOpener::ProjectOpener(workspace::Workspace& workspace, SetupForm& form, QObject* parent)
    : QObject(parent), workspace_(workspace), form_(form) {
  connect(&workspace_.devices(), &workspace::Devices::changed, this, &ProjectOpener::receive_devices);
}

void ProjectOpener::open(const QString& path) {
  const std::filesystem::path file = QFileInfo(path).absoluteFilePath().toStdString();
  job_.start([file](const workspace::JobControl&) { return language_of(file); },
             [this, file](std::optional<codegen::Dialect> language) {
               const workspace::Devices& devices = workspace_.devices();
               const bool unknown = devices.survey() == nullptr || devices.looking();
               if (language && *language != codegen::Dialect::C && unknown) {
                 waiting_ = {file, *language};
                 workspace_.devices().look_once();
                 return;
               }
               fill_form(file, language);
             });
}

void ProjectOpener::receive_devices() {
  if (workspace_.devices().looking() || !waiting_) return;
  const auto [file, language] = *std::exchange(waiting_, std::nullopt);
  fill_form(file, language);
}

/** @param language nullopt: the form shows what is wrong with the project */
void ProjectOpener::fill_form(const std::filesystem::path& file, std::optional<codegen::Dialect> language) {
  session::TuningRequest request = form_.request();
  request.task = file.string();
  request.template_name.clear();
  request.restrictions.clear();
  request.respect_limits.reset();
  request.measuring.beyond_limits = false;
  request.outside_files = false;
  request.name.clear();
  if (language) choose_target(*language, workspace_.devices().survey().get(), request);
  form_.set_request(request);
  emit opened();
}

}  // namespace kernelscape::views
