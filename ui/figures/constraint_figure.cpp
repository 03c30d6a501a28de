#include "ui/figures/constraint_figure.h"

#include "core/session/stored_limits.h"
#include "ui/charts/landscape/constraint_text.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int constraints_height = 560;

/** Returns the limits of the target, if the current template still makes the session's knobs. */
Result<space::ConstraintSystem> limits_of(const workspace::SourceOrigin& origin) {
  if (!origin.record.project_hash.empty())
    return fail(ErrorCode::NotFound, "a project of a user's own kernel defines its limits by its conditions");
  if (origin.record.template_name.empty() || origin.target)
    return session::limits_of_target(origin.record, origin.task,
                                     origin.target.value_or(schedule::TargetDescription()), origin.space);
  return fail(ErrorCode::NotFound, "the target is unknown");
}

QString no_constraints_notice(const space::SearchSpace& space, const charts::ConstraintScene& scene) {
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

std::shared_ptr<const charts::ConstraintScene> constraint_scene_of(const workspace::SourceOrigin& origin) {
  const Result<space::ConstraintSystem> limits = limits_of(origin);
  return std::make_shared<const charts::ConstraintScene>(
      limits
          ? charts::make_constraint_scene(origin.space, *limits)
          : charts::make_constraint_scene(origin.space, {}, QString::fromStdString(limits.error().message)));
}

FigureOf<charts::ConstraintData> constraint_figure(const ShownTrials& shown,
                                                   std::shared_ptr<const charts::ConstraintScene> scene,
                                                   std::optional<std::int64_t> current_row) {
  const workspace::SourceData& source = *shown.source;
  FigureOf<charts::ConstraintData> figure{{.title = figure_text("Constraints of the space")},
                                          {std::move(scene)}};
  charts::ConstraintData& data = figure.data;
  if (data.scene->system.empty()) {
    figure.text.notice = no_constraints_notice(source.space(), *data.scene);
    return figure;
  }
  figure.text.of = charts::count_text(*data.scene);
  if (!data.scene->limits_unknown.isEmpty())
    figure.text.caption = figure_text("The device limits are missing: %1.").arg(data.scene->limits_unknown);
  const std::int64_t row = current_row.value_or(source.headline.row);
  if (row == analysis::no_row) return figure;
  const QString trial = figure_text("trial %1").arg(style::format_count(source.trials.row(row).number));
  data.trial =
      charts::make_constraint_trial(*data.scene, source.space(), source.trials.configuration(row), trial);
  figure.text.of +=
      (current_row ? figure_text("; values of %1") : figure_text("; values of the best trial, %1"))
          .arg(trial);
  return figure;
}

namespace {

/** Returns the graph of constraints with the values of the best trial. */
std::vector<Figure> constraint_figures(const Source& source, const workspace::JobControl&) {
  return {make_figure<charts::ConstraintChart>(
      constraint_figure(*source.shown, constraint_scene_of(*source.session->origin), std::nullopt),
      constraints_height)};
}

}  // namespace

Kind constraints_figure_kind() {
  return figure_kind<charts::ConstraintChart>("constraints", Place::Explore, ReportPart::None,
                                              constraint_figures);
}

}  // namespace kernelscape::figures
