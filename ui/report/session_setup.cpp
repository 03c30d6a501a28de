#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/configuration_json.h"
#include "core/kernel/project_family.h"
#include "core/session/learnt_sources.h"
#include "core/session/preparation.h"
#include "core/session/setup.h"
#include "core/space/knob_json.h"
#include "ui/models/session_text.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

/** Writes the numbers of a list in rows: hundreds of samples, one per line, would fill pages. */
QString with_numbers_in_rows(const QString& json) {
  constexpr int numbers_in_row = 8;
  QStringList rows;
  int in_row = 0;
  for (const QString& line : json.split(u'\n')) {
    const QString text = line.trimmed();
    const bool number = !text.isEmpty() && (text.front().isDigit() || text.front() == u'-');
    if (number && in_row > 0 && in_row < numbers_in_row) {
      rows.back() += u' ' + text;
      ++in_row;
    } else {
      rows << line;
      in_row = number ? 1 : 0;
    }
  }
  return rows.join(u'\n');
}

using FactRows = std::vector<std::pair<QString, QString>>;

QString json_text(const space::Json& value) {
  return report_string(value.is_string() ? value.get<std::string>() : space::to_text(value));
}

void add_target(FactRows& facts, const workspace::SourceData& source) {
  const store::SessionRecord& record = source.record();
  facts.emplace_back(QStringLiteral("Target"), report_string(record.target_name));
  if (!source.origin->target) return;
  const schedule::TargetDescription& target = *source.origin->target;
  QStringList device{report_string(target.device), report_string(target.instructions())};
  device.removeAll(QString());
  if (target.cores > 1) device << QStringLiteral("%1 cores").arg(target.cores);
  if (target.l1_bytes > 0)
    device << QStringLiteral("caches %1, %2, %3")
                  .arg(style::format_bytes(static_cast<double>(target.l1_bytes)),
                       style::format_bytes(static_cast<double>(target.l2_bytes)),
                       style::format_bytes(static_cast<double>(target.l3_bytes)));
  if (!device.isEmpty()) facts.emplace_back(QStringLiteral("Device"), device.join(QStringLiteral(", ")));
  if (!target.compiler_version.empty())
    facts.emplace_back(QStringLiteral("Compiler"), report_string(target.compiler_version));
  QStringList flags;
  for (const std::string& flag : target.flags) flags << report_string(flag);
  if (!flags.isEmpty()) facts.emplace_back(QStringLiteral("Flags"), flags.join(QLatin1Char(' ')));
}

void add_recording(FactRows& facts, const ReportedSession& session) {
  if (!session.recording) return;
  const trial::Recording& recording = *session.recording;
  const trial::RecordingHeader& header = recording.header();
  facts.emplace_back(QStringLiteral("Recorded space"), report_string(header.name));
  facts.emplace_back(QStringLiteral("Origin"), report_string(header.origin));
  facts.emplace_back(QStringLiteral("Recorded"),
                     QStringLiteral("%1, by version %2")
                         .arg(report_string(header.created_utc), report_string(header.program_version)));
  facts.emplace_back(
      QStringLiteral("Configurations"),
      QStringLiteral("%1%2").arg(style::format_count(recording.size()),
                                 recording.complete()
                                     ? QStringLiteral(", the whole space: the best one is the optimum")
                                     : QStringLiteral(" recorded")));
  facts.emplace_back(QStringLiteral("Hash"),
                     QStringLiteral("%1").arg(recording.hash(), 16, 16, QLatin1Char('0')));
}

void add_run(FactRows& facts, const workspace::SourceData& source) {
  const store::SessionRecord& record = source.record();
  const bool tuned =
      record.kind == store::SessionKind::Measured || record.kind == store::SessionKind::Replayed;
  facts.emplace_back(QStringLiteral("Kind"), report_string(store::to_string(record.kind)));
  if (record.kind == store::SessionKind::Imported && !record.origin.empty())
    facts.emplace_back(QStringLiteral("Imported from"), report_string(record.origin));
  if (tuned) {
    facts.emplace_back(QStringLiteral("Tuner"),
                       QStringLiteral("%1, batches of %2")
                           .arg(report_string(record.tuner), style::format_count(record.batch_size)));
    facts.emplace_back(QStringLiteral("Seed"), QString::number(record.seed));
    facts.emplace_back(QStringLiteral("Budget"), budget_text(source.budget.budget));
  }
  facts.emplace_back(QStringLiteral("Measuring"), flat_json_text(record.options_json));
  const space::Json history = space::parse_json(record.history_json);
  space::Json warm_start = space::Json::array();
  if (history.is_array())
    std::ranges::copy_if(history, std::back_inserter(warm_start),
                         [](const space::Json& entry) { return !entry.contains(session::learn_key); });
  if (!warm_start.empty()) facts.emplace_back(QStringLiteral("Warm start"), json_text(warm_start));
  if (const auto learnt = session::learnt_sources_from_json(record.history_json);
      learnt && !learnt->empty()) {
    QStringList names;
    for (const session::LearntSource& one : *learnt) names << report_string(session::source_name(one));
    facts.emplace_back(QStringLiteral("Learns from"), names.join(QStringLiteral("; ")));
  }
  facts.emplace_back(QStringLiteral("Trials"), style::format_count(source.trials.size()));
  facts.emplace_back(QStringLiteral("Session time"), style::format_duration(source.status.session_seconds));
  facts.emplace_back(QStringLiteral("Program"),
                     QStringLiteral("Kernelscape %1").arg(report_string(record.program_version)));
  facts.emplace_back(QStringLiteral("Created"), report_string(record.created_utc));
}

/**
 * Adds the facts of a user's own kernel: flags in addition to the target's, and the reference of its outputs.
 */
void add_project(FactRows& facts, const workspace::SourceData& source) {
  const store::SessionRecord& record = source.record();
  if (record.project_hash.empty()) return;
  facts.emplace_back(QStringLiteral("Project"),
                     QStringLiteral("%1, content SHA-256 %2")
                         .arg(report_string(record.task_name), report_string(record.project_hash)));
  const auto* family = dynamic_cast<const kernel::ProjectFamily*>(source.origin->project_family.get());
  if (family == nullptr) return;
  const project::KernelProject& project = family->project();
  if (project.program) {
    for (const std::string& line : project::program_lines(*project.program))
      facts.emplace_back(QStringLiteral("Command"), report_string(line));
    return;
  }
  facts.emplace_back(QStringLiteral("Source"), QStringLiteral("%1 of %2")
                                                   .arg(report_string(base::one_line(project.kernel_name)),
                                                        report_string(base::one_line(project.source_name))));
  if (!project.flags.empty())
    facts.emplace_back(QStringLiteral("Additional flags"), report_string(base::join(project.flags, " ")));
  if (source.answer_unknown())
    facts.emplace_back(
        QStringLiteral("Checked against"),
        QStringLiteral(
            "the outputs of the first valid configuration; it is not known whether these are correct"));
}

FactRows setup_facts(const ReportedSession& session) {
  const workspace::SourceData& source = *session.source;
  const store::SessionRecord& record = source.record();
  FactRows facts{{QStringLiteral("Session"),
                  QStringLiteral("%1 %2").arg(QString::number(record.id), report_string(record.name))},
                 {QStringLiteral("Task"), report_string(record.task_name)}};
  if (source.task().text != record.task_name)
    facts.emplace_back(QStringLiteral("Shape"), report_string(source.task().text));
  if (source.flops() > 0)
    facts.emplace_back(QStringLiteral("Operations"),
                       style::format_quantity(source.flops(), QStringLiteral("FLOP")));
  add_target(facts, source);
  add_project(facts, source);
  if (!record.template_name.empty())
    facts.emplace_back(QStringLiteral("Template"), QStringLiteral("%1, version %2")
                                                       .arg(report_string(record.template_name),
                                                            QString::number(record.template_version)));
  add_recording(facts, session);
  add_run(facts, source);
  return facts;
}

void append_settings(Blocks& blocks, const store::SessionRecord& record) {
  const space::Json settings = space::parse_json(record.settings_json);
  if (!settings.is_object() || settings.empty()) return;
  const Result<const tuner::Declaration*> tuner = tuner::find_tuner(record.tuner);
  Table table;
  table.caption = QStringLiteral("Settings of %1").arg(report_string(record.tuner));
  table.columns = {{QStringLiteral("setting")},
                   {QStringLiteral("value"), true},
                   {QStringLiteral("default"), true},
                   {QStringLiteral("description")}};
  for (const auto& [name, value] : settings.items()) {
    QStringList row{report_string(name), json_text(value), style::no_number(), QString()};
    if (tuner)
      for (const tuner::HyperparameterDeclaration& declared : (*tuner)->hyperparameters)
        if (declared.name == name)
          row = {row[0], row[1], report_string(space::to_string(declared.default_value)),
                 report_string(declared.documentation)};
    table.rows.push_back(row);
  }
  blocks.emplace_back(std::move(table));
}

void append_knobs(Blocks& blocks, const ReportedSession& session) {
  const workspace::SourceData& source = *session.source;
  const space::SearchSpace& space = source.space();
  Table table;
  const QString members =
      source.origin->members
          ? QStringLiteral("%1 feasible")
                .arg(report_string(base::with_thousands(base::to_string(*source.origin->members))))
          : QStringLiteral("number of feasible configurations not known");
  table.caption = QStringLiteral("Search space: %1 configurations, %2")
                      .arg(report_string(base::with_thousands(base::to_string(space.size()))), members);
  table.columns = {{QStringLiteral("knob")},
                   {QStringLiteral("kind")},
                   {QStringLiteral("values"), true},
                   {QStringLiteral("best"), false, true}};
  const std::int64_t best = source.headline.row;
  for (std::size_t index = 0; index < space.knobs().size(); ++index) {
    const space::Knob& knob = space.knobs()[index];
    table.rows.push_back({report_string(knob.name()), report_string(space::to_string(knob.kind())),
                          style::format_count(knob.count()),
                          best == analysis::no_row
                              ? style::no_number()
                              : report_string(knob.describe(source.trials.knob_index(best, index)))});
  }
  blocks.emplace_back(std::move(table));
}

/** Returns the text of an interruption, in the terms of session_state_text(). */
QString interruption_text(const std::string& kind) {
  if (kind == "paused" || kind == "stopped") return report_string(kind);
  if (kind == "killed") return QStringLiteral("interrupted: its process ended");
  if (kind == "fault") return QStringLiteral("paused by an error");
  if (kind == "done") return QStringLiteral("it was done, and resumed");
  return report_string(kind);
}

void append_interruptions(Blocks& blocks, const workspace::SourceData& source) {
  if (source.interruptions.empty()) return;
  Table table;
  table.caption = QStringLiteral("Pauses and interruptions");
  table.columns = {{QStringLiteral("at session time"), true}, {QStringLiteral("event")}};
  const auto is_done = [](const store::SessionInterruption& one) { return one.kind == "done"; };
  const auto went_on = std::ranges::count_if(source.interruptions, is_done);
  std::int64_t reported = 0;
  for (const store::SessionInterruption& interruption : source.interruptions) {
    // A layer of a network is resumed once per round: only the last resumption is listed.
    if (is_done(interruption) && ++reported < went_on) continue;
    const bool many = is_done(interruption) && went_on > 1;
    table.rows.push_back({style::format_duration(interruption.at_session_seconds),
                          many ? QStringLiteral("the last of %1 times at which it was done, and resumed")
                                     .arg(style::format_count(went_on))
                               : interruption_text(interruption.kind)});
  }
  blocks.emplace_back(std::move(table));
}

/** Appends the warnings of the session that do not affect its numbers. */
void append_notices(Blocks& blocks, const workspace::SourceData& source) {
  Table table;
  table.caption = QStringLiteral("Warnings");
  table.columns = {{QStringLiteral("at session time"), true}, {QStringLiteral("event")}};
  for (const trial::SessionNotice& notice : source.notices)
    if (!trial::disturbs(notice))
      table.rows.push_back({style::format_duration(notice.session_seconds), report_string(notice.text)});
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
}

void append_note(Blocks& blocks, const store::SessionAnnotation& annotation) {
  QStringList tags;
  for (const std::string& tag : annotation.tags) tags << report_string(tag);
  if (!tags.isEmpty())
    blocks.emplace_back(Paragraph{QStringLiteral("Tags: %1").arg(tags.join(QStringLiteral(", ")))});
  if (!annotation.note.empty()) blocks.emplace_back(Paragraph{report_string(annotation.note)});
}

}  // namespace

QString flat_json_text(const std::string& json) {
  const space::Json object = space::parse_json(json);
  if (!object.is_object()) return report_string(json);
  QStringList parts;
  for (const auto& [key, value] : object.items())
    parts << report_string(key).replace(QLatin1Char('_'), QLatin1Char(' ')) + QLatin1Char(' ') +
                 json_text(value);
  return parts.join(QStringLiteral(", "));
}

QString budget_text(const trial::Budget& budget) {
  QStringList parts;
  const auto trials = [](std::int64_t count) {
    return count == 1 ? QStringLiteral("1 trial")
                      : QStringLiteral("%1 trials").arg(style::format_count(count));
  };
  if (budget.trials > 0) parts << trials(budget.trials);
  if (budget.minutes > 0) parts << QStringLiteral("%1 min").arg(style::format_number(budget.minutes));
  if (budget.target_gflops > 0)
    parts << QStringLiteral("up to %1 GFLOPS").arg(style::format_number(budget.target_gflops));
  if (budget.patience > 0) parts << QStringLiteral("%1 without improvement").arg(trials(budget.patience));
  return parts.isEmpty() ? QStringLiteral("not limited") : parts.join(QStringLiteral(", "));
}

void append_failures(Blocks& blocks, const ReportedSession& session) {
  const figures::FrequentMessages& messages = session.messages;
  if (messages.messages.empty()) return;
  Table table;
  table.caption = messages.distinct > messages.messages.size()
                      ? QStringLiteral("The %1 most frequent of %2 different messages")
                            .arg(style::format_count(std::ssize(messages.messages)),
                                 style::format_count(static_cast<std::int64_t>(messages.distinct)))
                      : QStringLiteral("Messages of failed trials, the most frequent first");
  table.columns = {{QStringLiteral("trials"), true},
                   {QStringLiteral("first"), true},
                   {QStringLiteral("category")},
                   {QStringLiteral("message"), false, true}};
  for (const figures::FrequentMessage& message : messages.messages)
    table.rows.push_back({style::format_count(message.count), style::format_count(message.first_trial),
                          report_string(trial::to_string(message.category)), report_string(message.text)});
  blocks.emplace_back(std::move(table));
}

void append_setup(Blocks& blocks, const ReportedSession& session) {
  const workspace::SourceData& source = *session.source;
  blocks.emplace_back(Heading{2, QStringLiteral("Set-up")});
  append_note(blocks, source.annotation);
  blocks.emplace_back(Facts{setup_facts(session)});
  const store::SessionKind kind = source.record().kind;
  if (kind == store::SessionKind::Measured || kind == store::SessionKind::Replayed)
    append_settings(blocks, source.record());
  append_knobs(blocks, session);
  append_interruptions(blocks, source);
  append_notices(blocks, source);
}

void append_reproduction(Blocks& blocks, const ReportedSession& session) {
  const store::SessionRecord& record = session.source->record();
  blocks.emplace_back(Heading{2, QStringLiteral("Reproduce")});
  if (record.kind == store::SessionKind::Measured || record.kind == store::SessionKind::Replayed) {
    if (const Result<session::TuningRequest> request = session::request_of(record)) {
      blocks.emplace_back(Code{report_string(session::command_line_of(*request))});
      if (!record.project_hash.empty())
        blocks.emplace_back(Paragraph{
            QStringLiteral("The project is read from this session in its database; on another machine, name "
                           "the project file in the command. The project must be trusted there."),
            Tone::Muted});
      blocks.emplace_back(Paragraph{
          QStringLiteral(
              "With version %1 of the program, the same seed and the same measurements give the same "
              "proposals. Times on another machine differ, and so do the proposals based on them.")
              .arg(report_string(record.program_version)),
          Tone::Muted});
    } else {
      blocks.emplace_back(Paragraph{QStringLiteral("No command reproduces this session: %1")
                                        .arg(report_string(describe(request.error())))});
    }
  } else {
    blocks.emplace_back(
        Paragraph{QStringLiteral("Its trials were not measured here: see its origin under Set-up.")});
  }
  if (!session.best) return;
  blocks.emplace_back(Heading{3, QStringLiteral("Best configuration as JSON")});
  blocks.emplace_back(Code{with_numbers_in_rows(report_string(exchange::configuration_json(*session.best)))});
}

}  // namespace kernelscape::report
