#include <QDockWidget>
#include <QFileInfo>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/project/kernel_project.h"
#include "core/session/project_preparation.h"
#include "core/space/knob_json.h"
#include "core/store/store.h"
#include "ui/views/project/source_and_space.h"
#include "ui/views/project/trust_dialog.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"

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

void TuneView::start() {
  if (const QString problem = form_->problem(); !problem.isEmpty()) {
    emit notified(problem);
    new_run();
    return;
  }
  const session::TuningRequest request = form_->request();
  if (form_->check().project == nullptr) return queue_run(request);
  // The files may have changed since the form read them: the question is about their present content.
  trust_job_.start(
      [request, database = workspace().database()](const workspace::JobControl&) -> Result<TrustQuestion> {
        const store::Store store = TRY(store::Store::open(database));
        auto project = TRY(session::requested_project(request, store));
        return project == nullptr ? TrustQuestion{} : make_trust_question(std::move(project));
      },
      [this, request](Result<TrustQuestion> question) {
        if (question && question->project != nullptr) return start_project(request, std::move(*question));
        form_->look_again();
        emit notified(question ? tr("The file is no longer a project of your own kernel.")
                               : QString::fromStdString(describe(question.error())));
      });
}

/** Asks before the run waits behind others. If a file changes meanwhile, the user is asked again. */
void TuneView::start_project(const session::TuningRequest& request, TrustQuestion question) {
  if (question.content_hash != form_->check().project_hash) form_->look_again();
  ask_for_trust(
      *window(), std::move(question),
      [this, request] {
        form_->look_again();
        queue_run(request);
      },
      this);
}

void TuneView::queue_run(const session::TuningRequest& request) {
  const bool idle = workspace().queue().idle();
  workspace().queue().start(request);
  if (!idle) emit notified(tr("Queued: it starts when the runs before it are done."));
}

/** Opens a project. It is read in the background, because reading takes one file or more. */
void TuneView::open_project(const QString& path) {
  const std::filesystem::path file = QFileInfo(path).absoluteFilePath().toStdString();
  project_job_.start([file](const workspace::JobControl&) { return language_of(file); },
                     [this, file](std::optional<codegen::Dialect> language) {
                       const workspace::Devices& devices = workspace().devices();
                       const bool unknown = devices.survey() == nullptr || devices.looking();
                       if (language && *language != codegen::Dialect::C && unknown) {
                         awaiting_devices_ = {file, *language};
                         workspace().devices().look_once();
                         return;
                       }
                       show_project(file, language);
                     });
}

/** Shows a project. @param language nullopt: the form shows what is wrong with the project */
void TuneView::show_project(const std::filesystem::path& file, std::optional<codegen::Dialect> language) {
  session::TuningRequest request = form_->request();
  request.task = file.string();
  request.template_name.clear();
  request.restrictions.clear();
  request.respect_limits.reset();
  request.measuring.beyond_limits = false;
  request.outside_files = false;
  request.name.clear();
  if (language) choose_target(*language, workspace().devices().survey().get(), request);
  form_->set_request(request);
  if (!folded()) show_dock(*project_dock_);
  new_run();
}

/** Hides source and space if the form has another task. */
void TuneView::follow_form() {
  const FormCheck& check = form_->check();
  const bool had_one = project_->shows_project();
  project_->show_project(check.project, check.project_hash);
  if (check.project == nullptr && form_->checked() && check.task) return hide_project();
  // If the user closed the dock and continues typing, it stays closed.
  if (check.project != nullptr && !had_one && !folded() && setup_dock_->isVisible())
    show_dock(*project_dock_);
}

/**
 * Hides the project dock without changing the width of the set-up, which would otherwise take the width of
 * both.
 */
void TuneView::hide_project() {
  if (project_dock_->isHidden()) return;
  const int width = setup_dock_->width();
  const bool beside = setup_dock_->isVisible() && project_dock_->isVisible() && !folded();
  project_dock_->hide();
  if (beside) resizeDocks({setup_dock_}, {width}, Qt::Horizontal);
}

}  // namespace kernelscape::views
