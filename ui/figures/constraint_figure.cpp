#include "ui/figures/constraint_figure.h"

#include "core/session/stored_limits.h"
#include "ui/charts/landscape/constraint_text.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr int constraints_height = 560;

/** Returns the limits of the target, if the current template still makes the session's knobs. */
Result<ConstraintSystem> limits_of(const SourceOrigin& origin) {
  if (!origin.record.project_hash.empty())
    return fail(ErrorCode::NotFound, "a project of a user's own kernel defines its limits by its conditions");
  if (origin.record.template_name.empty() || origin.target)
    return limits_of_target(origin.record, origin.task, origin.target.value_or(TargetDescription()),
                            origin.space);
  return fail(ErrorCode::NotFound, "the target is unknown");
}

QString no_constraints_notice(const SearchSpace& space, const ConstraintScene& scene) {
  QString text =
      space.explicit_members() != nullptr
          ? figure_text("The space is enumerated; its constraints are unknown.")
          : figure_text(
                "No constraint restricts this space: every combination of its knobs' values is feasible.");
  if (!scene.limits_unknown.isEmpty())
    text += figure_text("\nThe device limits are unknown: %1.").arg(scene.limits_unknown);
  return text;
}

}  // namespace

std::shared_ptr<const ConstraintScene> constraint_scene_of(const SourceOrigin& origin) {
  const Result<ConstraintSystem> limits = limits_of(origin);
  return std::make_shared<const ConstraintScene>(
      limits ? make_constraint_scene(origin.space, *limits)
             : make_constraint_scene(origin.space, {}, QString::fromStdString(limits.error().message)));
}

FigureOf<ConstraintData> constraint_figure(const ShownTrials& shown,
                                           std::shared_ptr<const ConstraintScene> scene,
                                           std::optional<std::int64_t> current_row) {
  const SourceData& source = *shown.source;
  FigureOf<ConstraintData> figure{{.title = figure_text("Constraints of the space")}, {std::move(scene)}};
  ConstraintData& data = figure.data;
  if (data.scene->system.empty()) {
    figure.text.notice = no_constraints_notice(source.space(), *data.scene);
    return figure;
  }
  figure.text.of = count_text(*data.scene);
  if (!data.scene->limits_unknown.isEmpty())
    figure.text.caption = figure_text("The device limits are missing: %1.").arg(data.scene->limits_unknown);
  const std::int64_t row = current_row.value_or(source.headline.row);
  if (row == no_row) return figure;
  const QString trial = figure_text("trial %1").arg(format_count(source.trials.row(row).number));
  data.trial = make_constraint_trial(*data.scene, source.space(), source.trials.configuration(row), trial);
  figure.text.of +=
      (current_row ? figure_text("; values of %1") : figure_text("; values of the best trial, %1"))
          .arg(trial);
  return figure;
}

namespace {

/** Returns the graph of constraints with the values of the best trial. */
std::vector<Figure> constraint_figures(const FigureSource& source, const JobControl&) {
  return {make_figure<ConstraintChart>(
      constraint_figure(*source.shown, constraint_scene_of(*source.session->origin), std::nullopt),
      constraints_height)};
}

}  // namespace

FigureKind constraints_figure_kind() {
  return figure_kind<ConstraintChart>("constraints", FigurePlace::Explore, ReportPart::None,
                                      constraint_figures);
}

}  // namespace kernelscape
