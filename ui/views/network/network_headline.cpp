#include "ui/views/network/network_headline.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/study/sum_caveats.h"
#include "ui/style/numbers.h"
#include "ui/style/plain_texts.h"

namespace kernelscape::views {
namespace {

QString network_text(const char* text) { return QCoreApplication::translate("NetworkHeadline", text); }

QString layers_text(std::int64_t count) {
  return count == 1 ? network_text("1 layer") : network_text("%1 layers").arg(style::format_count(count));
}

/** Returns "48 of 200 trials"; without a trial budget "48 trials". */
QString trials_of_budget(const study::NetworkProgress& progress) {
  const std::int64_t budget = progress.definition.budget.trials;
  const bool shared = !progress.definition.scheduler.empty() && budget > 0;
  return shared ? network_text("%1 of %2 trials")
                      .arg(style::format_count(progress.trials), style::format_count(budget))
                : network_text("%1 trials").arg(style::format_count(progress.trials));
}

/** Returns the name of the vendor's library, or a general name if it is not known. */
QString vendor_of(const study::NetworkProgress& progress) {
  const std::string& title = progress.outcome.vendor_title;
  return title.empty() ? network_text("the vendor's library") : QString::fromStdString(title);
}

/**
 * Returns "4.2 ms in one pass, weights cold, 103 % of oneDNN 2.6.3". A pass includes caches and conversions,
 * which the sum of the layers does not.
 */
QString pass_text(const study::MeasuredPass& pass) {
  QString own =
      network_text("%1 in one pass, weights cold")
          .arg(style::format_quantity(analysis::quartiles(pass.ours.seconds).median, QStringLiteral("s")));
  const std::optional<double> share = pass.share_of_vendor();
  if (!share) return own;
  return network_text("%1, %2 of %3")
      .arg(own, style::format_percent(*share), QString::fromStdString(pass.vendor_name));
}

/** Returns "3.1 ms for the whole model, 94 % of the time of onnxruntime". */
QString latency_text(const study::ModelLatency& latency) {
  QString own = network_text("%1 for the whole model")
                    .arg(style::format_quantity(latency.times.median, QStringLiteral("s")));
  if (!latency.vendor) return own;
  return network_text("%1, %2 of the time of %3")
      .arg(own, style::format_percent(latency.vendor->ratio), QString::fromStdString(latency.vendor->name));
}

QStringList comparisons(const study::NetworkProgress& progress) {
  const study::NetworkOutcome& outcome = progress.outcome;
  QStringList texts;
  if (outcome.seconds_beside_vendor > 0) {
    const auto beside = std::ranges::count_if(outcome.layers, [](const study::NetworkLayerOutcome& layer) {
      return layer.trial >= 0 && layer.vendor_seconds > 0;
    });
    const std::int64_t kernels = std::ssize(outcome.layers) - outcome.missing;
    QString text = network_text("%1 of %2")
                       .arg(style::format_percent(outcome.vendor_seconds / outcome.seconds_beside_vendor),
                            vendor_of(progress));
    if (beside < kernels)
      text += network_text(" (over %1 of %2)").arg(style::format_count(beside), layers_text(kernels));
    texts << text;
  }
  if (progress.limit_seconds > 0 && outcome.seconds > 0)
    texts << network_text("%1 of the machine's limit")
                 .arg(style::format_percent(progress.limit_seconds / outcome.seconds));
  if (const study::LatencyPoint* now = outcome.latencies.current(); now != nullptr && progress.running)
    texts << network_text("%1 for the whole model so far")
                 .arg(style::format_quantity(now->times.median, QStringLiteral("s")));
  else if (outcome.latency)
    texts << latency_text(*outcome.latency);
  if (outcome.pass) texts << pass_text(*outcome.pass);
  return texts;
}

/** Returns what is missing from the number, so that it is not overestimated. */
QString trust_of_layers(const study::NetworkProgress& progress) {
  QStringList parts;
  const study::NetworkOutcome& outcome = progress.outcome;
  if (outcome.missing > 0) parts << network_text("%1 without a kernel").arg(layers_text(outcome.missing));
  const auto unconfirmed = std::ranges::count_if(outcome.layers, [](const study::NetworkLayerOutcome& layer) {
    return layer.trial >= 0 && !layer.confirmed;
  });
  if (unconfirmed > 0)
    parts << network_text("%1 not confirmed").arg(layers_text(unconfirmed));
  else if (outcome.missing == 0)
    parts << network_text("all confirmed");
  if (!progress.left_out.empty())
    parts << network_text("%1 left out").arg(layers_text(std::ssize(progress.left_out)));
  return parts.join(QStringLiteral(", "));
}

void show_disturbances(const study::NetworkProgress& progress, figures::HeadlineText& text) {
  if (progress.disturbed_by.empty()) return;
  const QString first = QString::fromStdString(progress.disturbed_by.front().text);
  const std::int64_t others = std::ssize(progress.disturbed_by) - 1;
  text.warning = style::sentence(
      others == 0 ? first : network_text("%1; and %2 more").arg(first, style::format_count(others)));
  QStringList lines;
  for (const study::LayerDisturbance& disturbance : progress.disturbances)
    lines << QStringLiteral("%1: %2").arg(
        QString::fromStdString(study::layer_label(progress.outcome.layers[disturbance.layer])),
        QString::fromStdString(disturbance.said.text));
  text.warning_tip = lines.join(QLatin1Char('\n'));
}

/** Says which numbers of the sum are those of a machine at another speed. */
void show_caveats(const study::NetworkProgress& progress, figures::HeadlineText& text) {
  const std::vector<std::string> caveats = study::sum_caveats(progress.outcome);
  for (auto caveat = caveats.rbegin(); caveat != caveats.rend(); ++caveat)
    figures::add_warning(text, QString::fromStdString(*caveat));
}

}  // namespace

bool network_can_resume(const store::StudySummary& study) { return study.done_runs < study.record.run_count; }

QString network_state_text(const study::NetworkProgress& progress, const NetworkRunState& run) {
  const QString trials = trials_of_budget(progress);
  if (run.ours) {
    const std::int64_t budget = progress.definition.budget.trials;
    const bool used = !progress.definition.scheduler.empty() && budget > 0 && progress.trials >= budget;
    const bool waits = !run.ours->awaited.empty() && !run.ours->stopping;
    if (waits) return QStringLiteral("%1; %2").arg(QString::fromStdString(run.ours->awaited), trials);
    QString text = run.ours->stopping ? network_text("stopping, %1").arg(trials)
                   : used             ? network_text("measuring the best again, %1").arg(trials)
                                      : network_text("running, %1").arg(trials);
    if (run.ours->progress.seconds_left >= 0 && !run.ours->stopping)
      text += QStringLiteral(", ") + style::format_duration_left(run.ours->progress.seconds_left);
    return text;
  }
  if (run.waits) return network_text("waits for another study, %1").arg(trials);
  if (run.elsewhere) return network_text("running in another process, read-only here, %1").arg(trials);
  const bool ended = std::ranges::all_of(
      progress.outcome.layers,
      [](const study::NetworkLayerOutcome& layer) { return layer.trial < 0 || layer.confirmed; });
  return ended && progress.waiting.empty() ? network_text("ended, %1").arg(trials)
                                           : network_text("stopped, %1").arg(trials);
}

QString network_turn_text(const study::NetworkProgress& progress, const NetworkRunState& run) {
  if (!run.ours && !run.elsewhere) return {};
  if (run.ours && !run.ours->awaited.empty()) return {};  // no layer is being tuned
  const auto of = [&](std::size_t layer) {
    return QString::fromStdString(study::layer_label(progress.outcome.layers[layer]));
  };
  if (progress.in_round && !progress.rounds.empty()) {
    const study::NetworkRound& round = progress.rounds.back();
    const QString now = network_text("Now %1").arg(of(round.layer));
    return round.choice
               ? QStringLiteral("%1: %2").arg(now, QString::fromStdString(study::choice_text(*round.choice)))
               : now;
  }
  if (!progress.next) return {};
  return network_text("Next %1: %2")
      .arg(of(progress.next->layer), QString::fromStdString(study::choice_text(*progress.next)));
}

figures::HeadlineText preview_headline(const task::WholeNetwork* network,
                                       const std::vector<models::NetworkLayerRow>& layers) {
  figures::HeadlineText text;
  text.state = network_text("not run");
  if (network == nullptr) {
    text.what = network_text("No network");
    return text;
  }
  std::int64_t calls = 0;
  for (const task::WholeLayer& layer : network->layers) calls += layer.multiplicity;
  double bytes = 0;
  for (const models::NetworkLayerRow& row : layers) bytes += row.bytes;
  text.what = QString::fromStdString(network->name + ": " + network->description);
  text.speed = layers_text(std::ssize(network->layers));
  text.spread =
      network_text("%1 calls, %2")
          .arg(style::format_count(calls), style::format_quantity(network->flops(), QStringLiteral("FLOP")));
  if (bytes > 0)
    text.comparisons << network_text("at least %1 read and written").arg(style::format_bytes(bytes));
  const auto none = std::ranges::count_if(
      layers, [](const models::NetworkLayerRow& row) { return !row.obstacle.isEmpty(); });
  if (none > 0) text.trust = network_text("no template fits %1").arg(layers_text(none));
  return text;
}

figures::HeadlineText network_headline(const study::NetworkProgress& progress, const NetworkRunState& run) {
  const study::Definition& study = progress.definition;
  figures::HeadlineText text;
  QStringList parts{QString::fromStdString(study.network)};
  if (!study.tasks.empty()) parts << QString::fromStdString(study.tasks.front().target);
  if (!study.arms.empty()) parts << QString::fromStdString(study.arms.front().name);
  parts << (study.scheduler.empty() ? network_text("each layer by itself")
                                    : QString::fromStdString(study.scheduler));
  if (study.layers_at_once > 1) parts << network_text("%1 layers at a time").arg(study.layers_at_once);
  parts << network_text("seed %1").arg(study.seed);
  text.what = parts.join(QStringLiteral(" · "));
  text.state = network_state_text(progress, run);
  show_disturbances(progress, text);
  show_caveats(progress, text);
  const study::NetworkOutcome& outcome = progress.outcome;
  const std::int64_t all = std::ssize(outcome.layers);
  if (outcome.missing == all) {
    text.speed = progress.trials == 0 ? network_text("no trial yet") : network_text("no kernel yet");
    return text;
  }
  text.speed = style::format_quantity(outcome.seconds, QStringLiteral("s"));
  text.spread =
      outcome.missing == 0
          ? network_text("over %1").arg(layers_text(all))
          : network_text("over %1 of %2").arg(style::format_count(all - outcome.missing), layers_text(all));
  text.comparisons = comparisons(progress);
  text.trust = trust_of_layers(progress);
  if (!outcome.vendor_notice.empty())
    figures::add_warning(text, QString::fromStdString(outcome.vendor_notice));
  return text;
}

}  // namespace kernelscape::views
