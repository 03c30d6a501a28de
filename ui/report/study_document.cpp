#include "core/study/comparison_reader.h"
#include "core/study/execution.h"
#include "ui/report/report.h"
#include "ui/report/reported_session.h"
#include "ui/report/study_sections.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

QString search_time_text(const trial::SearchTime& time) {
  switch (time.kind) {
    case trial::SearchTime::Kind::Measured:
      return QStringLiteral("measured: CPU time of the tuner's thread");
    case trial::SearchTime::Kind::None:
      return QStringLiteral("none: the tuner's CPU time is not counted");
    case trial::SearchTime::Kind::Constant:
      return QStringLiteral("%1 per candidate")
          .arg(style::format_quantity(time.seconds_per_candidate, QStringLiteral("s")));
  }
  return {};
}

void append_question(Blocks& blocks, const ReportedStudy& study) {
  if (!study.definition.about.empty()) blocks.emplace_back(Paragraph{report_string(study.definition.about)});
  const store::StudySummary& summary = study.summary;
  const std::int64_t planned = summary.record.run_count;
  if (planned == 0) return;
  QString text = QStringLiteral("%1 of %2 runs are done")
                     .arg(style::format_count(summary.done_runs), style::format_count(planned));
  if (summary.failed_runs > 0)
    text += QStringLiteral(", %1 failed").arg(style::format_count(summary.failed_runs));
  if (summary.done_runs < planned)
    text += QStringLiteral(": the results may change when the missing runs are done");
  blocks.emplace_back(Paragraph{text + QLatin1Char('.'), Tone::Notice});
}

void append_design(Blocks& blocks, const ReportedStudy& study) {
  const study::Definition& definition = study.definition;
  blocks.emplace_back(Heading{2, QStringLiteral("Method")});
  Facts facts;
  const auto add = [&](const QString& name, const QString& value) { facts.facts.emplace_back(name, value); };
  add(QStringLiteral("Repeats"), style::format_count(definition.repeats));
  add(QStringLiteral("Budget of a run"), budget_text(definition.budget));
  add(QStringLiteral("Seed"),
      QStringLiteral("%1; the seed of each run is derived from it and from the run's task, tuner and repeat")
          .arg(definition.seed));
  add(QStringLiteral("Search time"), search_time_text(definition.search_time));
  add(QStringLiteral("Measuring"), flat_json_text(trial::measure_options_to_json(definition.measuring)));
  add(QStringLiteral("Baseline"), report_string(definition.arms[study::baseline_arm(definition)].name));
  add(QStringLiteral("Program"),
      QStringLiteral("Kernelscape %1").arg(report_string(study.summary.record.program_version)));
  add(QStringLiteral("Created"), report_string(study.summary.record.created_utc));
  blocks.emplace_back(std::move(facts));
  Table tuners;
  tuners.columns = {{QStringLiteral("tuner")},
                    {QStringLiteral("algorithm")},
                    {QStringLiteral("settings that are not its defaults")}};
  for (const study::Arm& arm : definition.arms)
    tuners.rows.push_back(
        {report_string(arm.name), report_string(arm.tuner), report_string(study::arm_text(definition, arm))});
  blocks.emplace_back(std::move(tuners));
  Table tasks;
  tasks.columns = {{QStringLiteral("task")},
                   {QStringLiteral("target")},
                   {QStringLiteral("template")},
                   {QStringLiteral("restrictions")}};
  const std::vector<std::string> labels = study::task_labels(definition);
  for (std::size_t index = 0; index < definition.tasks.size(); ++index) {
    const study::Task& task = definition.tasks[index];
    QStringList restrictions;
    for (const std::string& restriction : task.restrictions) restrictions << report_string(restriction);
    tasks.rows.push_back({report_string(labels[index]), report_string(task.target),
                          report_string(task.template_name), restrictions.join(QStringLiteral(", "))});
  }
  blocks.emplace_back(std::move(tasks));
}

/** Appends the runs that are not done, with the reason. */
void append_missing_runs(Blocks& blocks, const ReportedStudy& study) {
  Table table;
  table.caption = QStringLiteral("Failed and missing runs");
  table.columns = {{QStringLiteral("run"), true}, {QStringLiteral("tuner")},
                   {QStringLiteral("task")},      {QStringLiteral("repeat"), true},
                   {QStringLiteral("state")},     {QStringLiteral("reason"), false, true}};
  const std::vector<study::PlannedRun> plan = study::plan_runs(study.definition);
  const std::vector<std::string> labels = study::task_labels(study.definition);
  for (const store::StudyRun& run : study.runs) {
    if (run.started() && run.status.state == store::SessionState::Done && run.error.empty()) continue;
    const auto place = static_cast<std::size_t>(run.run);
    if (place >= plan.size()) continue;
    const study::PlannedRun& planned = plan[place];
    table.rows.push_back(
        {style::format_count(run.run), report_string(study.definition.arms[planned.arm].name),
         report_string(labels[planned.task]), style::format_count(planned.repeat + 1),
         run.started() ? report_string(store::to_string(run.status.state)) : QStringLiteral("not begun"),
         report_string(run.error.empty() ? run.status.state_reason : run.error)});
  }
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
}

void append_seeds(Blocks& blocks, const ReportedStudy& study) {
  Table table;
  table.columns = {{QStringLiteral("run"), true},    {QStringLiteral("session"), true},
                   {QStringLiteral("tuner")},        {QStringLiteral("task")},
                   {QStringLiteral("repeat"), true}, {QStringLiteral("seed"), true},
                   {QStringLiteral("trials"), true}, {QStringLiteral("time"), true}};
  const std::vector<study::PlannedRun> plan = study::plan_runs(study.definition);
  const std::vector<std::string> labels = study::task_labels(study.definition);
  for (const store::StudyRun& run : study.runs) {
    const auto place = static_cast<std::size_t>(run.run);
    if (!run.started() || place >= plan.size()) continue;
    const study::PlannedRun& planned = plan[place];
    table.rows.push_back({style::format_count(run.run), QString::number(*run.session),
                          report_string(study.definition.arms[planned.arm].name),
                          report_string(labels[planned.task]), style::format_count(planned.repeat + 1),
                          QString::number(planned.seed), style::format_count(run.status.trial_count),
                          style::format_duration(run.status.session_seconds)});
  }
  if (table.rows.empty()) return;
  blocks.emplace_back(Heading{2, QStringLiteral("All runs")});
  blocks.emplace_back(std::move(table));
}

void append_again(Blocks& blocks, const ReportedStudy& study) {
  blocks.emplace_back(Heading{2, QStringLiteral("Reproduce")});
  blocks.emplace_back(Paragraph{QStringLiteral("Save the definition as study.json, then:")});
  blocks.emplace_back(Code{QStringLiteral("kernelscape study study.json")});
  blocks.emplace_back(Code{report_string(study::study_to_json(study.definition))});
}

Result<Document> analysis_document(const store::Store& store, Document document, const ReportedStudy& study,
                                   const workspace::JobControl& control) {
  for (const store::SessionId id : TRY(study::analysed_sessions(store, study.definition))) {
    const ReportedSession session = TRY(read_reported_session(store, id, control));
    document.blocks.emplace_back(Heading{2, reported_title(*session.source)});
    document.blocks.emplace_back(Paragraph{reported_subtitle(*session.source), Tone::Muted});
    const figures::Source source{.session = session.source, .shown = session.shown, .database = store.path()};
    for (const figures::ReportPart part : {figures::ReportPart::Outcomes, figures::ReportPart::Space})
      append_figures(document.blocks, {}, part, source, control);
  }
  append_again(document.blocks, study);
  return document;
}

}  // namespace

Result<Document> study_report_document(const store::Store& store, store::StudyId id,
                                       const workspace::JobControl& control) {
  ReportedStudy study;
  study.summary = TRY(store.studies().get(id));
  study.definition = TRY(study::stored_study(store, id));
  if (study.definition.purpose == study::Purpose::Network) return network_report_document(store, id, control);
  study.runs = TRY(store.studies().runs(id));
  Document document{report_string(study.summary.record.name),
                    QStringLiteral("study %1 of %2")
                        .arg(QString::number(id), report_string(study.summary.record.created_utc)),
                    {}};
  append_question(document.blocks, study);
  if (!study.definition.analysed.empty())
    return analysis_document(store, std::move(document), study, control);
  study::ComparisonReader reader(store, id);
  reader.read_member_shares();
  study.compared = TRY(reader.read());
  study.baseline = study::baseline_arm(study.definition);
  append_comparison(document.blocks, study, control);
  append_design(document.blocks, study);
  append_missing_runs(document.blocks, study);
  append_seeds(document.blocks, study);
  append_again(document.blocks, study);
  return document;
}

}  // namespace kernelscape::report
