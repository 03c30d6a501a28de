// Generated schedules as templates: one for each sketch, so that a session can name the sketch.
#include <algorithm>
#include <utility>

#include "core/schedule/sketch/sketch.h"
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

/**
 * 2: the sums of a GPU's thread are bounded. Spaces for CPUs are those of version 1, so that their sessions
 * can be resumed.
 */
constexpr int version = 2;
constexpr int cpu_version = 1;

TemplateDeclaration declare(const SketchDeclaration& sketch) {
  const bool cpu_alone =
      std::ranges::all_of(sketch.targets, [](TargetKind kind) { return kind == TargetKind::Cpu; });
  return {sketch.name,
          cpu_alone ? cpu_version : version,
          sketch.targets,
          sketch.about,
          "Ansor, multi-level tiling SSRSRS and SSSRRSRS; Heron, Tables 2 and 6",
          [&sketch](const task::Task& task, const TargetDescription& target) {
            return fits_sketch(sketch, task, target);
          },
          [&sketch](const task::Task& task, const TargetDescription& target) {
            return finish_template(sketch.name, target.kind == TargetKind::Cpu ? cpu_version : version, task,
                                   target, make_sketch(sketch, task, target));
          }};
}

}  // namespace

TemplateDeclaration generated_template() { return declare(sketches()[0]); }
TemplateDeclaration generated_local_template() { return declare(sketches()[1]); }
TemplateDeclaration generated_vnni_template() { return declare(sketches()[2]); }

}  // namespace kernelscape::schedule
