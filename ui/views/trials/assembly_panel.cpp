#include "ui/views/trials/assembly_panel.h"

#include <algorithm>

#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

Result<std::string> compile_kernel(const SourceData& source, const Configuration& configuration) {
  const KernelSource kernel = TRY(kernel_source_of(source, configuration));
  return assembly_of(source, kernel);
}

}  // namespace

AssemblyPanel::AssemblyPanel(QWidget* parent) : CodePanel(CodeLanguage::Assembly, tr("Assembly"), parent) {}

void AssemblyPanel::set_trial(const Source& source, const std::shared_ptr<const TrialDetails>& details) {
  job_.cancel();
  source_ = source;
  details_ = details;
  done_ = false;
  set_state({});
  if (isVisible()) compile();
}

void AssemblyPanel::showEvent(QShowEvent* event) {
  CodePanel::showEvent(event);
  compile();
}

void AssemblyPanel::compile() {
  if (done_ || !details_) return;
  done_ = true;
  if (details_->source_text.empty()) {
    set_state(tr("There is no assembly, because the kernel's source can't be made again:\n%1")
                  .arg(QString::fromStdString(details_->source_problem)));
    return;
  }
  set_state(tr("Compiling …"));
  job_.start(
      [source = source_,
       configuration = details_->trial.configuration](const JobControl& control) -> Result<std::string> {
        if (!control.proceed()) return std::string();
        return compile_kernel(*source, configuration);
      },
      [this](const Result<std::string>& assembly) {
        if (!assembly) {
          set_state(QString::fromStdString(describe(assembly.error())));
          return;
        }
        set_code(QString::fromStdString(*assembly),
                 tr("%1 lines").arg(format_count(std::ranges::count(*assembly, '\n'))));
      });
}

}  // namespace kernelscape
