#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/configuration_json.h"
#include "core/kernel/project_family.h"
#include "core/session/preparation.h"
#include "core/space/knob_json.h"
#include "ui/models/session_text.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape {
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

using Facts = std::vector<std::pair<QString, QString>>;

QString json_text(const Json& value) {
  return report_string(value.is_string() ? value.get<std::string>() : to_text(value));
}

void add_target(Facts& facts, const SourceData& source) {
  const SessionRecord& record = source.record();
  facts.emplace_back(QStringLiteral("Target"), report_string(record.target_name));
  if (!source.origin->target) return;
  const TargetDescription& target = *source.origin->target;
  QStringList device{report_string(target.device), report_string(target.instructions())};
  device.removeAll(QString());
  if (target.cores > 1) device << QStringLiteral("%1 cores").arg(target.cores);
  if (target.l1_bytes > 0)
    device << QStringLiteral("caches %1, %2, %3")
                  .arg(format_bytes(static_cast<double>(target.l1_bytes)),
                       format_bytes(static_cast<double>(target.l2_bytes)),
                       format_bytes(static_cast<double>(target.l3_bytes)));
  if (!device.isEmpty()) facts.emplace_back(QStringLiteral("Device"), device.join(QStringLiteral(", ")));
  if (!target.compiler_version.empty())
    facts.emplace_back(QStringLiteral("Compiler"), report_string(target.compiler_version));
  QStringList flags;
  for (const std::string& flag : target.flags) flags << report_string(flag);
  if (!flags.isEmpty()) facts.emplace_back(QStringLiteral("Flags"), flags.join(QLatin1Char(' ')));
}

void add_recording(Facts& facts, const ReportedSession& session) {
  if (!session.recording) return;
  const Recording& recording = *session.recording;
  const RecordingHeader& header = recording.header();
  facts.emplace_back(QStringLiteral("Recorded space"), report_string(header.name));
  facts.emplace_back(QStringLiteral("Origin"), report_string(header.origin));
  facts.emplace_back(QStringLiteral("Recorded"),
                     QStringLiteral("%1, by version %2")
                         .arg(report_string(header.created_utc), report_string(header.program_version)));
  facts.emplace_back(
      QStringLiteral("Configurations"),
      QStringLiteral("%1%2").arg(format_count(recording.size()),
                                 recording.complete()
                                     ? QStringLiteral(", the whole space: the best one is the optimum")
                                     : QStringLiteral(" recorded")));
  facts.emplace_back(QStringLiteral("Hash"),
                     QStringLiteral("%1").arg(recording.hash(), 16, 16, QLatin1Char('0')));
}

void add_run(Facts& facts, const SourceData& source) {
  const SessionRecord& record = source.record();
  const bool tuned = record.kind == SessionKind::Measured || record.kind == SessionKind::Replayed;
  facts.emplace_back(QStringLiteral("Kind"), report_string(to_string(record.kind)));
  if (record.kind == SessionKind::Imported && !record.origin.empty())
    facts.emplace_back(QStringLiteral("Imported from"), report_string(record.origin));
  if (tuned) {
    facts.emplace_back(QStringLiteral("Tuner"),
                       QStringLiteral("%1, batches of %2")
                           .arg(report_string(record.tuner), format_count(record.batch_size)));
    facts.emplace_back(QStringLiteral("Seed"), QString::number(record.seed));
    facts.emplace_back(QStringLiteral("Budget"), budget_text(source.budget.budget));
  }
  facts.emplace_back(QStringLiteral("Measuring"), flat_json_text(record.options_json));
  const Json history = parse_json(record.history_json);
  if (history.is_array() && !history.empty())
    facts.emplace_back(QStringLiteral("Warm start"), json_text(history));
  facts.emplace_back(QStringLiteral("Trials"), format_count(source.trials.size()));
  facts.emplace_back(QStringLiteral("Session time"), format_duration(source.status.session_seconds));
  facts.emplace_back(QStringLiteral("Program"),
                     QStringLiteral("Kernelscape %1").arg(report_string(record.program_version)));
  facts.emplace_back(QStringLiteral("Created"), report_string(record.created_utc));
}

/**
 * Adds the facts of a user's own kernel: flags in addition to the target's, and the reference of its outputs.
 */
void add_project(Facts& facts, const SourceData& source) {
  const SessionRecord& record = source.record();
  if (record.project_hash.empty()) return;
  facts.emplace_back(QStringLiteral("Project"),
                     QStringLiteral("%1, content SHA-256 %2")
                         .arg(report_string(record.task_name), report_string(record.project_hash)));
  const auto* family = dynamic_cast<const ProjectFamily*>(source.origin->project_family.get());
  if (family == nullptr) return;
  const KernelProject& project = family->project();
  facts.emplace_back(QStringLiteral("Source"), QStringLiteral("%1 of %2")
                                                   .arg(report_string(one_line(project.kernel_name)),
                                                        report_string(one_line(project.source_name))));
  if (!project.flags.empty())
    facts.emplace_back(QStringLiteral("Additional flags"), report_string(join(project.flags, " ")));
  if (source.answer_unknown())
    facts.emplace_back(
        QStringLiteral("Checked against"),
        QStringLiteral(
            "the outputs of the first valid configuration; it is not known whether these are correct"));
}

Facts setup_facts(const ReportedSession& session) {
  const SourceData& source = *session.source;
  const SessionRecord& record = source.record();
  Facts facts{{QStringLiteral("Session"),
               QStringLiteral("%1 %2").arg(QString::number(record.id), report_string(record.name))},
              {QStringLiteral("Task"), report_string(record.task_name)}};
  if (source.task().text != record.task_name)
    facts.emplace_back(QStringLiteral("Shape"), report_string(source.task().text));
  if (source.flops() > 0)
    facts.emplace_back(QStringLiteral("Operations"), format_quantity(source.flops(), QStringLiteral("FLOP")));
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

void append_settings(ReportBlocks& blocks, const SessionRecord& record) {
  const Json settings = parse_json(record.settings_json);
  if (!settings.is_object() || settings.empty()) return;
  const Result<const TunerDeclaration*> tuner = find_tuner(record.tuner);
  ReportTable table;
  table.caption = QStringLiteral("Settings of %1").arg(report_string(record.tuner));
  table.columns = {{QStringLiteral("setting")},
                   {QStringLiteral("value"), true},
                   {QStringLiteral("default"), true},
                   {QStringLiteral("description")}};
  for (const auto& [name, value] : settings.items()) {
    QStringList row{report_string(name), json_text(value), no_number(), QString()};
    if (tuner)
      for (const HyperparameterDeclaration& declared : (*tuner)->hyperparameters)
        if (declared.name == name)
          row = {row[0], row[1], report_string(to_string(declared.default_value)),
                 report_string(declared.documentation)};
    table.rows.push_back(row);
  }
  blocks.emplace_back(std::move(table));
}

void append_knobs(ReportBlocks& blocks, const ReportedSession& session) {
  const SourceData& source = *session.source;
  const SearchSpace& space = source.space();
  ReportTable table;
  const QString members = source.origin->members
                              ? QStringLiteral("%1 feasible")
                                    .arg(report_string(with_thousands(to_string(*source.origin->members))))
                              : QStringLiteral("number of feasible configurations not known");
  table.caption = QStringLiteral("Search space: %1 configurations, %2")
                      .arg(report_string(with_thousands(to_string(space.size()))), members);
  table.columns = {{QStringLiteral("knob")},
                   {QStringLiteral("kind")},
                   {QStringLiteral("values"), true},
                   {QStringLiteral("best"), false, true}};
  const std::int64_t best = source.headline.row;
  for (std::size_t index = 0; index < space.knobs().size(); ++index) {
    const Knob& knob = space.knobs()[index];
    table.rows.push_back(
        {report_string(knob.name()), report_string(to_string(knob.kind())), format_count(knob.count()),
         best == no_row ? no_number() : report_string(knob.describe(source.trials.knob_index(best, index)))});
  }
  blocks.emplace_back(std::move(table));
}

/** Returns the text of an interruption, in the terms of session_state_text(). */
QString interruption_text(const std::string& kind) {
  if (kind == "stopped") return QStringLiteral("paused");
  if (kind == "killed") return QStringLiteral("interrupted: its process ended");
  if (kind == "fault") return QStringLiteral("paused by an error");
  if (kind == "done") return QStringLiteral("it was done, and resumed");
  return report_string(kind);
}

void append_interruptions(ReportBlocks& blocks, const SourceData& source) {
  if (source.interruptions.empty()) return;
  ReportTable table;
  table.caption = QStringLiteral("Pauses and interruptions");
  table.columns = {{QStringLiteral("at session time"), true}, {QStringLiteral("event")}};
  const auto is_done = [](const SessionInterruption& one) { return one.kind == "done"; };
  const auto went_on = std::ranges::count_if(source.interruptions, is_done);
  std::int64_t reported = 0;
  for (const SessionInterruption& interruption : source.interruptions) {
    // A layer of a network is resumed once per round: only the last resumption is listed.
    if (is_done(interruption) && ++reported < went_on) continue;
    const bool many = is_done(interruption) && went_on > 1;
    table.rows.push_back({format_duration(interruption.at_session_seconds),
                          many ? QStringLiteral("the last of %1 times at which it was done, and resumed")
                                     .arg(format_count(went_on))
                               : interruption_text(interruption.kind)});
  }
  blocks.emplace_back(std::move(table));
}

/** Appends the warnings of the session that do not affect its numbers. */
void append_notices(ReportBlocks& blocks, const SourceData& source) {
  ReportTable table;
  table.caption = QStringLiteral("Warnings");
  table.columns = {{QStringLiteral("at session time"), true}, {QStringLiteral("event")}};
  for (const SessionNotice& notice : source.notices)
    if (!disturbs(notice))
      table.rows.push_back({format_duration(notice.session_seconds), report_string(notice.text)});
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
}

void append_note(ReportBlocks& blocks, const SessionAnnotation& annotation) {
  QStringList tags;
  for (const std::string& tag : annotation.tags) tags << report_string(tag);
  if (!tags.isEmpty())
    blocks.emplace_back(ReportParagraph{QStringLiteral("Tags: %1").arg(tags.join(QStringLiteral(", ")))});
  if (!annotation.note.empty()) blocks.emplace_back(ReportParagraph{report_string(annotation.note)});
}

}  // namespace

QString flat_json_text(const std::string& json) {
  const Json object = parse_json(json);
  if (!object.is_object()) return report_string(json);
  QStringList parts;
  for (const auto& [key, value] : object.items())
    parts << report_string(key).replace(QLatin1Char('_'), QLatin1Char(' ')) + QLatin1Char(' ') +
                 json_text(value);
  return parts.join(QStringLiteral(", "));
}

QString budget_text(const Budget& budget) {
  QStringList parts;
  const auto trials = [](std::int64_t count) {
    return count == 1 ? QStringLiteral("1 trial") : QStringLiteral("%1 trials").arg(format_count(count));
  };
  if (budget.trials > 0) parts << trials(budget.trials);
  if (budget.minutes > 0) parts << QStringLiteral("%1 min").arg(format_number(budget.minutes));
  if (budget.target_gflops > 0)
    parts << QStringLiteral("up to %1 GFLOPS").arg(format_number(budget.target_gflops));
  if (budget.patience > 0) parts << QStringLiteral("%1 without improvement").arg(trials(budget.patience));
  return parts.isEmpty() ? QStringLiteral("not limited") : parts.join(QStringLiteral(", "));
}

void append_failures(ReportBlocks& blocks, const ReportedSession& session) {
  const FrequentMessages& messages = session.messages;
  if (messages.messages.empty()) return;
  ReportTable table;
  table.caption = messages.distinct > messages.messages.size()
                      ? QStringLiteral("The %1 most frequent of %2 different messages")
                            .arg(format_count(std::ssize(messages.messages)),
                                 format_count(static_cast<std::int64_t>(messages.distinct)))
                      : QStringLiteral("Messages of failed trials, the most frequent first");
  table.columns = {{QStringLiteral("trials"), true},
                   {QStringLiteral("first"), true},
                   {QStringLiteral("category")},
                   {QStringLiteral("message"), false, true}};
  for (const FrequentMessage& message : messages.messages)
    table.rows.push_back({format_count(message.count), format_count(message.first_trial),
                          report_string(to_string(message.category)), report_string(message.text)});
  blocks.emplace_back(std::move(table));
}

void append_setup(ReportBlocks& blocks, const ReportedSession& session) {
  const SourceData& source = *session.source;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Set-up")});
  append_note(blocks, source.annotation);
  blocks.emplace_back(ReportFacts{setup_facts(session)});
  const SessionKind kind = source.record().kind;
  if (kind == SessionKind::Measured || kind == SessionKind::Replayed)
    append_settings(blocks, source.record());
  append_knobs(blocks, session);
  append_interruptions(blocks, source);
  append_notices(blocks, source);
}

void append_reproduction(ReportBlocks& blocks, const ReportedSession& session) {
  const SessionRecord& record = session.source->record();
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Reproduce")});
  if (record.kind == SessionKind::Measured || record.kind == SessionKind::Replayed) {
    if (const Result<TuningRequest> request = request_of(record)) {
      blocks.emplace_back(ReportCode{report_string(command_line_of(*request))});
      if (!record.project_hash.empty())
        blocks.emplace_back(ReportParagraph{
            QStringLiteral("The project is read from this session in its database; on another machine, name "
                           "the project file in the command. The project must be trusted there."),
            ReportTone::Muted});
      blocks.emplace_back(ReportParagraph{
          QStringLiteral(
              "With version %1 of the program, the same seed and the same measurements give the same "
              "proposals. Times on another machine differ, and so do the proposals based on them.")
              .arg(report_string(record.program_version)),
          ReportTone::Muted});
    } else {
      blocks.emplace_back(ReportParagraph{QStringLiteral("No command reproduces this session: %1")
                                              .arg(report_string(describe(request.error())))});
    }
  } else {
    blocks.emplace_back(
        ReportParagraph{QStringLiteral("Its trials were not measured here: see its origin under Set-up.")});
  }
  if (!session.best) return;
  blocks.emplace_back(ReportHeading{3, QStringLiteral("Best configuration as JSON")});
  blocks.emplace_back(ReportCode{with_numbers_in_rows(report_string(configuration_json(*session.best)))});
}

}  // namespace kernelscape
