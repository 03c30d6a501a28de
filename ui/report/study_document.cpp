#include "core/study/comparison_reader.h"
#include "core/study/study_execution.h"
#include "ui/report/report.h"
#include "ui/report/reported_session.h"
#include "ui/report/study_sections.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

QString search_time_text(const SearchTime& time) {
  switch (time.kind) {
    case SearchTime::Kind::Measured:
      return QStringLiteral("measured: CPU time of the tuner's thread");
    case SearchTime::Kind::None:
      return QStringLiteral("none: the tuner's CPU time is not counted");
    case SearchTime::Kind::Constant:
      return QStringLiteral("%1 per candidate")
          .arg(format_quantity(time.seconds_per_candidate, QStringLiteral("s")));
  }
  return {};
}

void append_question(ReportBlocks& blocks, const ReportedStudy& study) {
  if (!study.definition.about.empty())
    blocks.emplace_back(ReportParagraph{report_string(study.definition.about)});
  const StudySummary& summary = study.summary;
  const std::int64_t planned = summary.record.run_count;
  if (planned == 0) return;
  QString text =
      QStringLiteral("%1 of %2 runs are done").arg(format_count(summary.done_runs), format_count(planned));
  if (summary.failed_runs > 0) text += QStringLiteral(", %1 failed").arg(format_count(summary.failed_runs));
  if (summary.done_runs < planned)
    text += QStringLiteral(": the results may change when the missing runs are done");
  blocks.emplace_back(ReportParagraph{text + QLatin1Char('.'), ReportTone::Notice});
}

void append_design(ReportBlocks& blocks, const ReportedStudy& study) {
  const StudyDefinition& definition = study.definition;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Method")});
  ReportFacts facts;
  const auto add = [&](const QString& name, const QString& value) { facts.facts.emplace_back(name, value); };
  add(QStringLiteral("Repeats"), format_count(definition.repeats));
  add(QStringLiteral("Budget of a run"), budget_text(definition.budget));
  add(QStringLiteral("Seed"),
      QStringLiteral("%1; the seed of each run is derived from it and from the run's task, tuner and repeat")
          .arg(definition.seed));
  add(QStringLiteral("Search time"), search_time_text(definition.search_time));
  add(QStringLiteral("Measuring"), flat_json_text(measure_options_to_json(definition.measuring)));
  add(QStringLiteral("Baseline"), report_string(definition.arms[baseline_arm(definition)].name));
  add(QStringLiteral("Program"),
      QStringLiteral("Kernelscape %1").arg(report_string(study.summary.record.program_version)));
  add(QStringLiteral("Created"), report_string(study.summary.record.created_utc));
  blocks.emplace_back(std::move(facts));
  ReportTable tuners;
  tuners.columns = {{QStringLiteral("tuner")},
                    {QStringLiteral("algorithm")},
                    {QStringLiteral("settings that are not its defaults")}};
  for (const StudyArm& arm : definition.arms)
    tuners.rows.push_back(
        {report_string(arm.name), report_string(arm.tuner), report_string(arm_text(definition, arm))});
  blocks.emplace_back(std::move(tuners));
  ReportTable tasks;
  tasks.columns = {{QStringLiteral("task")},
                   {QStringLiteral("target")},
                   {QStringLiteral("template")},
                   {QStringLiteral("restrictions")}};
  const std::vector<std::string> labels = task_labels(definition);
  for (std::size_t index = 0; index < definition.tasks.size(); ++index) {
    const StudyTask& task = definition.tasks[index];
    QStringList restrictions;
    for (const std::string& restriction : task.restrictions) restrictions << report_string(restriction);
    tasks.rows.push_back({report_string(labels[index]), report_string(task.target),
                          report_string(task.template_name), restrictions.join(QStringLiteral(", "))});
  }
  blocks.emplace_back(std::move(tasks));
}

/** Appends the runs that are not done, with the reason. */
void append_missing_runs(ReportBlocks& blocks, const ReportedStudy& study) {
  ReportTable table;
  table.caption = QStringLiteral("Failed and missing runs");
  table.columns = {{QStringLiteral("run"), true}, {QStringLiteral("tuner")},
                   {QStringLiteral("task")},      {QStringLiteral("repeat"), true},
                   {QStringLiteral("state")},     {QStringLiteral("reason"), false, true}};
  const std::vector<PlannedRun> plan = plan_runs(study.definition);
  const std::vector<std::string> labels = task_labels(study.definition);
  for (const StudyRun& run : study.runs) {
    if (run.started() && run.status.state == SessionState::Done && run.error.empty()) continue;
    const auto place = static_cast<std::size_t>(run.run);
    if (place >= plan.size()) continue;
    const PlannedRun& planned = plan[place];
    table.rows.push_back(
        {format_count(run.run), report_string(study.definition.arms[planned.arm].name),
         report_string(labels[planned.task]), format_count(planned.repeat + 1),
         run.started() ? report_string(to_string(run.status.state)) : QStringLiteral("not begun"),
         report_string(run.error.empty() ? run.status.state_reason : run.error)});
  }
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
}

void append_seeds(ReportBlocks& blocks, const ReportedStudy& study) {
  ReportTable table;
  table.columns = {{QStringLiteral("run"), true},    {QStringLiteral("session"), true},
                   {QStringLiteral("tuner")},        {QStringLiteral("task")},
                   {QStringLiteral("repeat"), true}, {QStringLiteral("seed"), true},
                   {QStringLiteral("trials"), true}, {QStringLiteral("time"), true}};
  const std::vector<PlannedRun> plan = plan_runs(study.definition);
  const std::vector<std::string> labels = task_labels(study.definition);
  for (const StudyRun& run : study.runs) {
    const auto place = static_cast<std::size_t>(run.run);
    if (!run.started() || place >= plan.size()) continue;
    const PlannedRun& planned = plan[place];
    table.rows.push_back({format_count(run.run), QString::number(*run.session),
                          report_string(study.definition.arms[planned.arm].name),
                          report_string(labels[planned.task]), format_count(planned.repeat + 1),
                          QString::number(planned.seed), format_count(run.status.trial_count),
                          format_duration(run.status.session_seconds)});
  }
  if (table.rows.empty()) return;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("All runs")});
  blocks.emplace_back(std::move(table));
}

void append_again(ReportBlocks& blocks, const ReportedStudy& study) {
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Reproduce")});
  blocks.emplace_back(ReportParagraph{QStringLiteral("Save the definition as study.json, then:")});
  blocks.emplace_back(ReportCode{QStringLiteral("kernelscape study study.json")});
  blocks.emplace_back(ReportCode{report_string(study_to_json(study.definition))});
}

Result<ReportDocument> analysis_document(const Store& store, ReportDocument document,
                                         const ReportedStudy& study, const JobControl& control) {
  for (const SessionId id : TRY(analysed_sessions(store, study.definition))) {
    const ReportedSession session = TRY(read_reported_session(store, id, control));
    document.blocks.emplace_back(ReportHeading{2, reported_title(*session.source)});
    document.blocks.emplace_back(ReportParagraph{reported_subtitle(*session.source), ReportTone::Muted});
    const FigureSource source{.session = session.source, .shown = session.shown, .database = store.path()};
    for (const ReportPart part : {ReportPart::Outcomes, ReportPart::Space})
      append_figures(document.blocks, {}, part, source, control);
  }
  append_again(document.blocks, study);
  return document;
}

}  // namespace

Result<ReportDocument> study_report_document(const Store& store, StudyId id, const JobControl& control) {
  ReportedStudy study;
  study.summary = TRY(store.study(id));
  study.definition = TRY(stored_study(store, id));
  if (study.definition.purpose == StudyPurpose::Network) return network_report_document(store, id, control);
  study.runs = TRY(store.study_runs(id));
  ReportDocument document{report_string(study.summary.record.name),
                          QStringLiteral("study %1 of %2")
                              .arg(QString::number(id), report_string(study.summary.record.created_utc)),
                          {}};
  append_question(document.blocks, study);
  if (!study.definition.analysed.empty())
    return analysis_document(store, std::move(document), study, control);
  ComparisonReader reader(store, id);
  reader.read_member_shares();
  study.compared = TRY(reader.read());
  study.baseline = baseline_arm(study.definition);
  append_comparison(document.blocks, study, control);
  append_design(document.blocks, study);
  append_missing_runs(document.blocks, study);
  append_seeds(document.blocks, study);
  append_again(document.blocks, study);
  return document;
}

}  // namespace kernelscape
