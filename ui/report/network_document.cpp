#include <algorithm>
#include <set>

#include "core/study/network_progress.h"
#include "core/study/next_rounds.h"
#include "core/study/shared_budget.h"
#include "core/study/sum_caveats.h"
#include "ui/figures/network_figures.h"
#include "ui/figures/registry.h"
#include "ui/report/report.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

constexpr std::size_t max_rounds_shown = 100;
constexpr std::size_t max_disturbances_shown = 20;

QString seconds_text(double seconds) {
  return seconds > 0 ? style::format_quantity(seconds, QStringLiteral("s")) : style::no_number();
}

QString share_text(double part, double whole) {
  return part > 0 && whole > 0 ? style::format_percent(part / whole) : style::no_number();
}

QString layer_name(const study::NetworkProgress& network, std::size_t layer) {
  return report_string(network.outcome.layers[layer].task);
}

QString times_text(std::int64_t times) {
  return times == 1 ? QStringLiteral("once") : QStringLiteral("%1 times").arg(style::format_count(times));
}

bool has_kernel(const study::NetworkLayerOutcome& layer) { return layer.trial >= 0; }

std::int64_t unconfirmed_layers(const study::NetworkProgress& network) {
  return std::ranges::count_if(network.outcome.layers, [](const study::NetworkLayerOutcome& layer) {
    return has_kernel(layer) && !layer.confirmed;
  });
}

void append_network_answer(Blocks& blocks, const study::NetworkProgress& network) {
  const study::NetworkOutcome& outcome = network.outcome;
  const std::int64_t all = std::ssize(outcome.layers);
  const std::int64_t with = all - outcome.missing;
  Headline headline;
  if (network.points.empty()) {
    headline.number = QStringLiteral("no complete time yet");
    headline.spread = QStringLiteral("%1 of %2 layers have a kernel: %3 of the FLOPs")
                          .arg(style::format_count(with), style::format_count(all),
                               style::format_percent(network.share_with_kernel));
  } else {
    headline.number = seconds_text(outcome.seconds);
    headline.spread =
        outcome.missing == 0
            ? QStringLiteral("%1 layers, each as often as the network has it").arg(style::format_count(all))
            : QStringLiteral("%1 of %2 layers: %3 of the FLOPs")
                  .arg(style::format_count(with), style::format_count(all),
                       style::format_percent(network.share_with_kernel));
    const std::int64_t unconfirmed = unconfirmed_layers(network);
    headline.facts << (unconfirmed == 0
                           ? QStringLiteral("confirmed")
                           : QStringLiteral("%1 layers unconfirmed").arg(style::format_count(unconfirmed)));
    if (network.vendor_seconds > 0)
      headline.facts << QStringLiteral("%1 of %2")
                            .arg(share_text(network.vendor_seconds, outcome.seconds),
                                 report_string(network.outcome.vendor_title));
    if (network.limit_seconds > 0)
      headline.facts << QStringLiteral("%1 of the machine's limit")
                            .arg(share_text(network.limit_seconds, outcome.seconds));
  }
  if (network.running) headline.facts << QStringLiteral("running");
  headline.facts << QStringLiteral("%1 trials in %2")
                        .arg(style::format_count(network.trials),
                             style::format_duration(outcome.tuning_seconds));
  blocks.emplace_back(std::move(headline));
}

/** Appends the caveats of the result, directly below the number. */
void append_doubts(Blocks& blocks, const study::NetworkProgress& network) {
  const auto notice = [&](const QString& text) { blocks.emplace_back(Paragraph{text, Tone::Notice}); };
  for (const study::NetworkLayerOutcome& layer : network.outcome.layers)
    if (!has_kernel(layer))
      notice(QStringLiteral("%1 has no kernel and is excluded from all sums: %2")
                 .arg(report_string(study::layer_label(layer)), report_string(layer.missing)));
  QStringList unconfirmed;
  for (const study::NetworkLayerOutcome& layer : network.outcome.layers)
    if (has_kernel(layer) && !layer.confirmed) unconfirmed << report_string(layer.task);
  if (!unconfirmed.isEmpty())
    notice(QStringLiteral(
               "Not remeasured, so that the best of many noisy measurements appears better than it is: %1.")
               .arg(unconfirmed.join(QStringLiteral(", "))));
  for (const std::string& caveat : study::sum_caveats(network.outcome)) notice(report_string(caveat));
  if (!network.outcome.vendor_notice.empty()) notice(report_string(network.outcome.vendor_notice));
  if (network.vendor_seconds <= 0 && network.outcome.seconds_beside_vendor > 0)
    notice(QStringLiteral("The vendor's library was not measured for every layer; over the measured layers "
                          "the kernels reach %1 of its speed (%2 against %3).")
               .arg(share_text(network.outcome.vendor_seconds, network.outcome.seconds_beside_vendor),
                    seconds_text(network.outcome.seconds_beside_vendor),
                    seconds_text(network.outcome.vendor_seconds)));
  if (!network.disturbances.empty()) {
    std::set<std::size_t> layers;
    for (const study::LayerDisturbance& one : network.disturbances) layers.insert(one.layer);
    notice(QStringLiteral("The sessions of %1 of %2 layers were disturbed, see below: \"%3\".")
               .arg(style::format_count(std::ssize(layers)),
                    style::format_count(std::ssize(network.outcome.layers)),
                    report_string(network.disturbed_by.front().text)));
  }
  blocks.emplace_back(Paragraph{
      QStringLiteral(
          "The result is the sum of layers measured one by one with warm caches; it does not include the "
          "other operators of the network, nor the memory transfers between the kernels of its layers."),
      Tone::Muted});
  const auto append = [&](const std::vector<std::string>& sentences) {
    QStringList texts;
    for (const std::string& sentence : sentences) texts << report_string(sentence);
    blocks.emplace_back(Paragraph{texts.join(QLatin1Char(' '))});
  };
  if (network.outcome.pass) append(study::pass_sentences(*network.outcome.pass));
  if (network.outcome.latency) append(study::latency_sentences(*network.outcome.latency));
  if (network.outcome.latencies.current() != nullptr)
    append(study::latency_series_sentences(network.outcome.latencies));
}

void append_network_disturbances(Blocks& blocks, const study::NetworkProgress& network) {
  if (network.disturbances.empty()) return;
  Table table;
  table.caption = QStringLiteral("Disturbances of the sessions");
  if (network.disturbances.size() > max_disturbances_shown)
    table.caption += QStringLiteral(": the first %1 of %2; the reports of the sessions list all of them")
                         .arg(max_disturbances_shown)
                         .arg(network.disturbances.size());
  table.columns = {{QStringLiteral("layer")}, {QStringLiteral("said"), true}, {QStringLiteral("what")}};
  for (const study::LayerDisturbance& one : network.disturbances)
    if (table.rows.size() < max_disturbances_shown)
      table.rows.push_back(
          {layer_name(network, one.layer), times_text(one.said.times), report_string(one.said.text)});
  blocks.emplace_back(std::move(table));
}

/** Appends the figures; a sentence replaces figures without data. */
void append_network_figures(Blocks& blocks, const figures::Source& source,
                            const workspace::JobControl& control) {
  for (const figures::Kind& kind : figures::figure_kinds()) {
    if (kind.part != figures::ReportPart::Network) continue;
    const bool of_model = kind.name == figures::model_latency_figure_name;
    if (of_model && source.network && !source.network->definition.model_source) continue;
    QString reported;
    for (figures::Figure& figure : kind.figures(source, control)) {
      if (figure.text.notice.isEmpty()) {
        blocks.emplace_back(std::move(figure));
      } else if (figure.text.notice != reported) {
        reported = figure.text.notice;
        blocks.emplace_back(Paragraph{
            QStringLiteral("%1: %2").arg(figure.text.title, printable_text(reported)), Tone::Muted});
      }
    }
  }
}

void append_layers(Blocks& blocks, const study::NetworkProgress& network) {
  blocks.emplace_back(Heading{2, QStringLiteral("Layers")});
  Table table;
  table.columns = {{QStringLiteral("layer")},          {QStringLiteral("times"), true},
                   {QStringLiteral("per call"), true}, {QStringLiteral("all calls"), true},
                   {QStringLiteral("of all"), true},   {QStringLiteral("speed"), true},
                   {QStringLiteral("vendor"), true},   {QStringLiteral("limit"), true},
                   {QStringLiteral("trials"), true},   {QStringLiteral("session"), true},
                   {QStringLiteral("state")}};
  for (std::size_t i = 0; i < network.outcome.layers.size(); ++i) {
    const study::NetworkLayerOutcome& layer = network.outcome.layers[i];
    const study::NetworkLayerFacts& facts = network.layers[i];
    const double seconds = has_kernel(layer) ? layer.seconds : 0;
    const double all_calls = seconds * static_cast<double>(layer.multiplicity);
    table.rows.push_back(
        {layer_name(network, i), style::format_count(layer.multiplicity), seconds_text(seconds),
         seconds_text(all_calls), share_text(all_calls, network.outcome.seconds),
         seconds > 0 && facts.flops > 0
             ? style::format_quantity(base::gflops_of(facts.flops, seconds), QStringLiteral("GFLOPS"))
             : style::no_number(),
         share_text(layer.vendor_seconds, seconds), share_text(facts.limit_seconds, seconds),
         style::format_count(layer.trials),
         layer.session ? QString::number(*layer.session) : style::no_number(),
         !has_kernel(layer)
             ? QStringLiteral("no kernel")
             : (layer.confirmed ? QStringLiteral("confirmed") : QStringLiteral("unconfirmed"))});
  }
  blocks.emplace_back(std::move(table));
  blocks.emplace_back(Paragraph{
      QStringLiteral("Times are medians; \"vendor\" and \"limit\" are shares of the speed of the vendor's "
                     "library and of the machine's limit, the smaller of the measured peak and of bandwidth "
                     "times the layer's operations per byte. Each session has its own report."),
      Tone::Muted});
}

/** Appends layers that no template fits, other operators, and the notices of the model's reader. */
void append_left_out(Blocks& blocks, const study::NetworkProgress& network) {
  if (network.left_out.empty() && network.others.empty() && network.notices.empty()) return;
  blocks.emplace_back(Heading{2, QStringLiteral("Excluded")});
  if (!network.left_out.empty()) {
    Table table;
    table.caption = QStringLiteral("Layers that no template fits");
    table.columns = {{QStringLiteral("layer")}, {QStringLiteral("times"), true}, {QStringLiteral("why")}};
    for (const study::LeftOutLayer& layer : network.left_out)
      table.rows.push_back(
          {report_string(layer.task), style::format_count(layer.multiplicity), report_string(layer.reason)});
    blocks.emplace_back(std::move(table));
  }
  if (!network.others.empty()) {
    Table table;
    table.caption = QStringLiteral("Other operators of the network");
    table.columns = {{QStringLiteral("operator")},
                     {QStringLiteral("times"), true},
                     {QStringLiteral("bytes read and written"), true},
                     {QStringLiteral("note")}};
    for (const task::OtherOperators& other : network.others) {
      QStringList notes;
      if (other.once)
        notes << QStringLiteral("depends on constants only: computed once, before the network runs");
      if (other.unknown > 0)
        notes << QStringLiteral("bytes not known for %1").arg(style::format_count(other.unknown));
      if (!other.reason.empty()) notes << report_string(other.reason);
      if (other.flops > 0) notes << style::format_quantity(other.flops, QStringLiteral("FLOP"));
      table.rows.push_back(
          {report_string(other.name), style::format_count(other.count),
           other.unknown == other.count ? style::no_number() : style::format_bytes(other.bytes),
           notes.join(QStringLiteral("; "))});
    }
    blocks.emplace_back(std::move(table));
  }
  for (const std::string& text : network.notices)
    blocks.emplace_back(Paragraph{report_string(text), Tone::Muted});
}

QString scheduler_words(const study::Definition& study) {
  if (study.scheduler.empty()) return QStringLiteral("none: each layer has its own budget");
  QString text = report_string(study.scheduler);
  const Result<study::LayerScheduler> scheduler = study::parse_layer_scheduler(study.scheduler);
  if (scheduler && *scheduler == study::LayerScheduler::Gradient)
    text +=
        study.objective == study::NetworkObjective::Latency
            ? QStringLiteral(
                  ": the next round goes to the layer with the largest expected gain in the latency of the "
                  "whole model")
            : QStringLiteral(
                  ": the next round goes to the layer with the largest expected gain in the network's time");
  if (scheduler && *scheduler == study::LayerScheduler::RoundRobin)
    text += QStringLiteral(": the layers take turns");
  if (scheduler && *scheduler == study::LayerScheduler::Proportional)
    text += QStringLiteral(": each layer in proportion to its share of the FLOPs");
  text += QStringLiteral("; rounds of %1 trials").arg(style::format_count(study::round_trials(study)));
  if (study.layers_at_once > 1)
    text += QStringLiteral(", %1 layers at the same time").arg(study.layers_at_once);
  return text;
}

void append_network_setup(Blocks& blocks, const study::NetworkProgress& network) {
  const study::Definition& study = network.definition;
  blocks.emplace_back(Heading{2, QStringLiteral("Settings")});
  Facts facts;
  const auto add = [&](const QString& name, const QString& value) {
    if (!value.isEmpty()) facts.facts.emplace_back(name, value);
  };
  const study::Arm& arm = study.arms.front();
  add(QStringLiteral("Network"), report_string(study.network));
  add(QStringLiteral("Target"), report_string(study.tasks.front().target));
  add(QStringLiteral("Device"), report_string(network.target_device));
  add(QStringLiteral("Scheduler"), scheduler_words(study));
  add(study.scheduler.empty() ? QStringLiteral("Budget of a layer") : QStringLiteral("Budget of all layers"),
      budget_text(study.budget));
  add(QStringLiteral("Tuner"), report_string(arm.name));
  add(QStringLiteral("Seed"), QString::number(study.seed));
  std::vector<std::string> templates;
  for (const study::NetworkLayerFacts& layer : network.layers)
    if (!layer.template_name.empty() && std::ranges::find(templates, layer.template_name) == templates.end())
      templates.push_back(layer.template_name);
  QStringList names;
  for (const std::string& name : templates) names << report_string(name);
  add(QStringLiteral("Templates"), names.join(QStringLiteral(", ")));
  add(QStringLiteral("Measuring"), flat_json_text(trial::measure_options_to_json(study.measuring)));
  add(QStringLiteral("Session time"), style::format_duration(network.outcome.tuning_seconds));
  add(QStringLiteral("Program"),
      QStringLiteral("Kernelscape %1").arg(report_string(network.program_version)));
  add(QStringLiteral("Created"), report_string(network.created_utc));
  blocks.emplace_back(std::move(facts));
}

/** Appends the rounds: which layer got the budget, and why. */
void append_network_rounds(Blocks& blocks, const study::NetworkProgress& network) {
  if (network.definition.scheduler.empty() || network.rounds.empty()) return;
  blocks.emplace_back(Heading{2, QStringLiteral("Round by round")});
  if (!network.order_known)
    blocks.emplace_back(Paragraph{
        QStringLiteral("The order of some rounds cannot be derived from the stored data: a layer was tuned "
                       "anew, or outside of the network. From that round on the order is an estimate."),
        Tone::Notice});
  Table table;
  if (network.rounds.size() > max_rounds_shown)
    table.caption =
        QStringLiteral("The first %1 of %2 rounds").arg(max_rounds_shown).arg(network.rounds.size());
  table.columns = {{QStringLiteral("round"), true},  {QStringLiteral("layer")},
                   {QStringLiteral("trials"), true}, {QStringLiteral("until"), true},
                   {QStringLiteral("won"), true},    {QStringLiteral("reason")}};
  for (std::size_t i = 0; i < std::min(network.rounds.size(), max_rounds_shown); ++i) {
    const study::NetworkRound& round = network.rounds[i];
    QString won = seconds_text(round.gained_seconds);
    if (round.seconds_before <= 0 && round.seconds_after > 0) won = QStringLiteral("first kernel");
    table.rows.push_back(
        {style::format_count(static_cast<std::int64_t>(i) + 1), layer_name(network, round.layer),
         style::format_count(round.trials), style::format_duration(round.end_seconds), won,
         round.choice ? report_string(study::choice_text(*round.choice)) : style::no_number()});
  }
  blocks.emplace_back(std::move(table));
}

void append_network_again(Blocks& blocks, const study::NetworkProgress& network) {
  const study::Definition& study = network.definition;
  const study::Arm& arm = study.arms.front();
  blocks.emplace_back(Heading{2, QStringLiteral("Reproduce")});
  blocks.emplace_back(Paragraph{QStringLiteral("Export its kernels as one library:")});
  blocks.emplace_back(
      Code{QStringLiteral("kernelscape export --network %1 --out FOLDER").arg(network.study)});
  QString command =
      QStringLiteral("kernelscape tune --network %1")
          .arg(study.network_json.empty() ? report_string(study.network) : QStringLiteral("FILE"));
  const auto add = [&](const char* option, const QString& value) {
    command += QStringLiteral(" %1 %2").arg(QString::fromLatin1(option), value);
  };
  if (study.tasks.front().target != "cpu") add("--target", report_string(study.tasks.front().target));
  if (!study.scheduler.empty()) add("--scheduler", report_string(study.scheduler));
  if (study.objective != study::NetworkObjective::Layers)
    add("--objective", report_string(study::to_string(study.objective)));
  add("--tuner", report_string(arm.tuner));
  for (const auto& [name, value] : arm.settings)
    add("--set", QStringLiteral("%1=%2").arg(report_string(name), report_string(value)));
  add("--trials", QString::number(study.budget.trials));
  if (study.budget.minutes > 0) add("--minutes", QString::number(study.budget.minutes));
  if (study.budget.patience > 0) add("--patience", QString::number(study.budget.patience));
  add("--seed", QString::number(study.seed));
  blocks.emplace_back(Paragraph{
      study.network_json.empty()
          ? QStringLiteral("Repeat the study; layers start from earlier tuning results in the same database:")
          : QStringLiteral("Repeat the study with the file of the model or of the saved network; layers "
                           "start from earlier tuning results in the same database:")});
  blocks.emplace_back(Code{command});
}

}  // namespace

Result<Document> network_report_document(const store::Store& store, store::StudyId id,
                                         const workspace::JobControl& control) {
  const auto network =
      std::make_shared<const study::NetworkProgress>(TRY(study::read_network_progress(store, id)));
  Document document{report_string(network->name),
                    QStringLiteral("network %1, study %2 of %3")
                        .arg(report_string(network->outcome.network), QString::number(id),
                             report_string(network->created_utc)),
                    {}};
  append_network_answer(document.blocks, *network);
  append_doubts(document.blocks, *network);
  append_network_figures(document.blocks, {.database = store.path(), .network = network}, control);
  append_layers(document.blocks, *network);
  append_network_disturbances(document.blocks, *network);
  append_left_out(document.blocks, *network);
  append_network_setup(document.blocks, *network);
  append_network_rounds(document.blocks, *network);
  append_network_again(document.blocks, *network);
  return document;
}

}  // namespace kernelscape::report
