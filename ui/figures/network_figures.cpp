#include "ui/figures/network_figures.h"

#include <algorithm>

#include "core/study/sum_caveats.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int network_curve_height = 320;
constexpr int network_roofline_height = 420;
constexpr std::size_t max_named_layers = 6;
constexpr std::size_t max_layers_of_latency = 3;

QString name_of(const study::NetworkOutcome& outcome, std::size_t layer) {
  return QString::fromStdString(study::layer_title(outcome.layers[layer]));
}
QString name_of(const study::NetworkProgress& network, std::size_t layer) {
  return name_of(network.outcome, layer);
}

/** Returns the names of layers: "C1, C2 and 3 more". */
QString names_of(const study::NetworkOutcome& network, const std::vector<std::size_t>& layers) {
  QStringList names;
  for (const std::size_t layer : layers)
    if (names.size() < std::ssize(layers) && std::size_t(names.size()) < max_named_layers)
      names.append(name_of(network, layer));
  QString text = names.join(QStringLiteral(", "));
  if (layers.size() > max_named_layers)
    text =
        figure_text("%1 and %2 more")
            .arg(text, style::format_count(std::ssize(layers) - static_cast<std::int64_t>(max_named_layers)));
  return text;
}

/**
 * Returns the network's name and its number of layers: "resnet-18: 20 layers", or "of 21" if some have no
 * kernel.
 */
QString layers_text(const study::NetworkProgress& network) {
  const std::size_t all = network.outcome.layers.size();
  const std::size_t in_sum = all - network.without_kernel.size() - network.waiting.size();
  const QString name = QString::fromStdString(network.outcome.network);
  if (in_sum == all) return figure_text("%1, %2 layers").arg(name, style::format_count(std::int64_t(all)));
  return figure_text("%1, %2 of %3 layers")
      .arg(name, style::format_count(std::int64_t(in_sum)), style::format_count(std::int64_t(all)));
}

/** Returns what the sums do not include; empty: they are complete. */
QStringList lacking_texts(const study::NetworkProgress& network) {
  QStringList texts;
  if (!network.without_kernel.empty())
    texts << figure_text("Without %1, which have no valid kernel (%2 of the FLOPs have one).")
                 .arg(names_of(network.outcome, network.without_kernel),
                      style::format_percent(network.share_with_kernel));
  if (!network.left_out.empty())
    texts << figure_text("%1 layers are not included, since no template supports them.")
                 .arg(style::format_count(std::ssize(network.left_out)));
  if (!network.order_known)
    texts << figure_text(
        "The order of some rounds is an estimate: a layer was recreated or tuned outside of the network.");
  return texts;
}

QString missing_lines_text(const study::NetworkProgress& network) {
  QStringList texts;
  if (!network.without_vendor.empty() && network.without_vendor.size() < network.outcome.layers.size())
    texts << figure_text("The vendor's line is left out: its time is unknown for %1.")
                 .arg(names_of(network.outcome, network.without_vendor));
  if (!network.without_limit.empty())
    texts << figure_text("The machine's limit is left out: it is unknown for %1.")
                 .arg(names_of(network.outcome, network.without_limit));
  return texts.join(QLatin1Char(' '));
}

/** Returns why there is no sum. */
QString no_sum_notice(const study::NetworkProgress& network) {
  if (!network.points.empty()) return {};
  const std::size_t all = network.outcome.layers.size();
  if (network.waiting.empty())
    return figure_text(
        "No layer has a valid kernel. See Explore, Errors for the failures of their sessions.");
  const std::size_t with = all - network.waiting.size() - network.without_kernel.size();
  const QString begin =
      figure_text(
          "%1 of %2 layers have a kernel: %3 of the FLOPs. The curve of the network's time "
          "begins when all layers have one.")
          .arg(style::format_count(std::int64_t(with)), style::format_count(std::int64_t(all)),
               style::format_percent(network.share_with_kernel));
  return begin + QLatin1Char('\n') +
         figure_text("Not tuned yet: %1").arg(names_of(network.outcome, network.waiting)) +
         (network.running ? QString()
                          : QLatin1Char('\n') + figure_text("Resume the network, or increase its budget."));
}

/** Returns which layer became faster; the text of the first point is about the beginning of the sum. */
QString cause_of(const study::NetworkProgress& network, std::size_t point) {
  const study::NetworkPoint& now = network.points[point];
  if (!now.round) return figure_text("the initial kernels of the layers");
  const study::NetworkRound& round = network.rounds[*now.round];
  const QString layer = name_of(network, round.layer);
  if (point == 0) return figure_text("%1 was the last layer to get a kernel").arg(layer);
  const double saved = network.points[point - 1].seconds - now.seconds;
  return figure_text("%1 saved %2").arg(layer, style::format_quantity(saved, QStringLiteral("s")));
}

/** Returns why there is no latency of the whole model; empty: there is one. */
QString no_latency_notice(const study::NetworkProgress& network) {
  const study::LatencySeries& latencies = network.outcome.latencies;
  if (latencies.current() != nullptr) return {};
  if (!network.definition.model_source)
    return figure_text("Only a network that was read from a model's file has a latency of the whole model.");
  return latencies.skipped > 0
             ? figure_text(
                   "The whole model is measured as soon as that takes at most a tenth of the tuning "
                   "time.")
             : figure_text("The whole model was not measured after a round yet.");
}

/** Returns which layers take most of the latency: "C1 (22 %), C4 (12 %)". */
QString largest_layers_text(const study::NetworkProgress& network, const study::LatencyPoint& point) {
  std::vector<std::pair<double, std::size_t>> shares;
  for (std::size_t layer = 0; layer < network.outcome.layers.size(); ++layer)
    if (const std::optional<double> share = point.share_of(layer)) shares.emplace_back(*share, layer);
  std::ranges::sort(shares, std::greater());
  if (shares.size() > max_layers_of_latency) shares.resize(max_layers_of_latency);
  QStringList texts;
  for (const auto& [share, layer] : shares)
    texts << figure_text("%1 (%2)").arg(name_of(network, layer), style::format_percent(share));
  return texts.join(QStringLiteral(", "));
}

/** Returns where the time of a model goes. */
QStringList latency_parts_texts(const study::NetworkProgress& network, const study::LatencyPoint& point) {
  const study::LatencyParts& parts = point.parts;
  if (!(parts.sum() > 0)) return {};
  const auto share = [&](double seconds) { return style::format_percent(seconds / parts.sum()); };
  QStringList texts{
      figure_text(
          "Of the time, %1 are spent in layers, %2 in other operators and %3 in conversions of layouts.")
          .arg(share(parts.layers), share(parts.operators), share(parts.conversions))};
  if (const QString largest = largest_layers_text(network, point); !largest.isEmpty())
    texts << figure_text("The largest layers: %1.").arg(largest);
  return texts;
}

/** Returns which kernels are new at a point of the latency. */
QString latency_cause(const study::NetworkProgress& network, const study::LatencyPoint& point, bool first) {
  return first ? figure_text("the first kernels of the layers")
               : figure_text("new kernels of %1").arg(names_of(network.outcome, point.changed));
}

/** Returns the points whose kernels the model keeps. */
std::vector<charts::NetworkCurvePoint> latency_points(const study::NetworkProgress& network, bool by_trials) {
  std::vector<charts::NetworkCurvePoint> points;
  for (const study::LatencyPoint& point : network.outcome.latencies.points)
    if (!point.slower)
      points.push_back({by_trials ? static_cast<double>(point.trials) : point.elapsed_seconds,
                        point.times.median, latency_cause(network, point, points.empty())});
  return points;
}

}  // namespace

FigureOf<charts::NetworkCurveData> network_curve_figure(const study::NetworkProgress& network,
                                                        charts::ProgressX x) {
  Text text{.title = figure_text("Time of the network"),
            .of = layers_text(network),
            .notice = no_sum_notice(network)};
  charts::NetworkCurveData data;
  data.x = x;
  const bool by_trials = x == charts::ProgressX::Trials;
  for (std::size_t i = 0; i < network.points.size(); ++i) {
    const study::NetworkPoint& point = network.points[i];
    data.points.push_back({by_trials ? static_cast<double>(point.trials) : point.elapsed_seconds,
                           point.seconds, cause_of(network, i)});
  }
  data.end = by_trials ? static_cast<double>(network.trials) : network.elapsed_seconds;
  if (network.vendor_seconds > 0)
    data.references.push_back({QString::fromStdString(network.outcome.vendor_title), network.vendor_seconds});
  if (network.limit_seconds > 0)
    data.references.push_back({figure_text("the machine's limit"), network.limit_seconds});
  if (network.confirmed_seconds > 0) data.confirmed_seconds = network.confirmed_seconds;
  QStringList sentences{
      by_trials ? figure_text("Over the trials of all layers together.")
                : figure_text("Over the session time of all layers together: pauses do not count.")};
  sentences << lacking_texts(network);
  if (!network.points.empty()) {
    sentences << missing_lines_text(network);
    for (const std::string& caveat : study::sum_caveats(network.outcome))
      sentences << QString::fromStdString(caveat);
    if (network.vendor_seconds > 0) sentences << QString::fromStdString(network.outcome.vendor_notice);
    sentences << (data.confirmed_seconds ? figure_text("The diamond was measured again at the end.")
                                         : figure_text("Not all layers were measured again yet."));
  }
  sentences.removeAll(QString());
  text.caption = sentences.join(QLatin1Char(' '));
  return {std::move(text), std::move(data)};
}

FigureOf<charts::NetworkCurveData> model_latency_figure(const study::NetworkProgress& network,
                                                        charts::ProgressX x) {
  const bool by_trials = x == charts::ProgressX::Trials;
  FigureOf<charts::NetworkCurveData> figure{
      .text = {.title = figure_text("Latency of the whole model"),
               .of = QString::fromStdString(network.outcome.network),
               .notice = no_latency_notice(network)},
      .data = {.x = x,
               .points = latency_points(network, by_trials),
               .end = by_trials ? static_cast<double>(network.trials) : network.elapsed_seconds,
               .references = {}}};
  if (const std::optional<study::ModelLatency>& last = network.outcome.latency) {
    figure.data.confirmed_seconds = last->times.median;
    if (last->vendor)
      figure.data.references.push_back(
          {QString::fromStdString(last->vendor->name), last->vendor->times.median});
  }
  const study::LatencyPoint* now = network.outcome.latencies.current();
  if (now == nullptr) return figure;
  QStringList sentences = latency_parts_texts(network, *now);
  for (const std::string& sentence : study::latency_series_sentences(network.outcome.latencies))
    sentences << QString::fromStdString(sentence);
  figure.text.caption = sentences.join(QLatin1Char(' '));
  return figure;
}

FigureOf<charts::LayerTimeData> layer_time_figure(const study::NetworkProgress& network) {
  Text text{.title = figure_text("Time of each layer and possible saving"), .of = layers_text(network)};
  charts::LayerTimeData data;
  data.vendor = QString::fromStdString(network.outcome.vendor_title);
  for (std::size_t i = 0; i < network.outcome.layers.size(); ++i) {
    const study::NetworkLayerOutcome& outcome = network.outcome.layers[i];
    const auto calls = static_cast<double>(outcome.multiplicity);
    charts::LayerTime& layer = data.layers.emplace_back();
    layer.layer = i;
    layer.name = QString::fromStdString(study::layer_title(outcome));
    layer.multiplicity = outcome.multiplicity;
    if (outcome.trial >= 0) layer.tuned_seconds = calls * outcome.seconds;
    layer.vendor_seconds = calls * outcome.vendor_seconds;
    layer.limit_seconds = calls * network.layers[i].limit_seconds;
    layer.confirmed = outcome.confirmed;
    layer.missing = QString::fromStdString(outcome.missing);
  }
  std::ranges::stable_sort(data.layers, std::greater(), &charts::LayerTime::left_seconds);
  QStringList sentences{figure_text("Sum over all calls of a layer in one run of the network.")};
  if (!data.vendor.isEmpty())
    sentences << figure_text("Behind a bar are its time and its speed relative to %1.").arg(data.vendor);
  sentences << QString::fromStdString(network.outcome.vendor_notice);
  const auto unconfirmed = std::ranges::count_if(data.layers, [](const charts::LayerTime& layer) {
    return layer.tuned_seconds > 0 && !layer.confirmed;
  });
  if (unconfirmed > 0)
    sentences << figure_text("%1 layers are not confirmed: they were not measured again.")
                     .arg(style::format_count(unconfirmed));
  sentences << lacking_texts(network);
  sentences.removeAll(QString());
  text.caption = sentences.join(QLatin1Char(' '));
  const bool any = std::ranges::any_of(data.layers, [](const charts::LayerTime& layer) {
    return layer.tuned_seconds > 0 || layer.vendor_seconds > 0;
  });
  if (!any)
    text.notice = figure_text("No layer has a kernel yet: the first bars appear after the first round.");
  return {std::move(text), std::move(data)};
}

std::vector<charts::RooflineTrial> roofline_layers(const study::NetworkOutcome& network,
                                                   const study::NetworkRoofline& roofline) {
  std::vector<charts::RooflineTrial> layers;
  for (const study::LayerRoofline& layer : roofline.layers) {
    charts::RooflineTrial& mark = layers.emplace_back();
    mark.row = static_cast<std::int64_t>(layer.layer);
    mark.number = layer.trial;
    mark.layer = name_of(network, layer.layer);
    mark.gflops = layer.kernel.gflops();
    for (std::size_t level = 0; level < base::memory_level_count; ++level) {
      const std::optional<double>& bytes = layer.kernel.traffic[level].bytes;
      if (bytes && *bytes > 0) mark.intensities[level] = layer.kernel.flops / *bytes;
    }
    mark.place = layer.place;
  }
  return layers;
}

FigureOf<charts::RooflineData> network_roofline_figure(const study::NetworkProgress& network,
                                                       const std::filesystem::path& database,
                                                       base::MemoryLevel level) {
  FigureOf<charts::RooflineData> figure;
  figure.text.title = figure_text("Layers under the machine's roofs");
  figure.text.of = layers_text(network);
  figure.data.level = level;
  const Result<store::Store> store = store::Store::open(database, store::OpenMode::ReadOnly);
  if (!store) {
    figure.text.notice = QString::fromStdString(describe(store.error()));
    return figure;
  }
  const study::NetworkRoofline roofline = study::network_roofline(*store, network.outcome);
  if (roofline.layers.empty()) {
    figure.text.notice = QString::fromStdString(roofline.obstacle);
    return figure;
  }
  figure.data.ceilings = *roofline.ceilings;
  figure.data.layers = roofline_layers(network.outcome, roofline);
  figure.text.caption = layers_caption(network.outcome, roofline);
  return figure;
}

QString layers_caption(const study::NetworkOutcome& network, const study::NetworkRoofline& roofline) {
  QStringList sentences{
      figure_text("A square is a layer's best kernel; the lines are the measured peaks of the machine. "
                  "Bytes are an estimate from the loop nest unless a readout says that they were counted.")};
  std::vector<std::size_t> without;
  for (const study::LayerWithoutRoofline& layer : roofline.left_out) without.push_back(layer.layer);
  if (!without.empty())
    sentences << figure_text("%1 cannot be placed: %2.")
                     .arg(names_of(network, without),
                          QString::fromStdString(roofline.left_out.front().reason));
  for (const std::string& notice :
       roofline.ceilings ? roofline.ceilings->notices : std::vector<std::string>())
    sentences << figure_text("Ceilings: %1.").arg(QString::fromStdString(notice));
  return sentences.join(QLatin1Char(' '));
}

namespace {

/** Returns the network's time over session time, then over trials. */
std::vector<Figure> network_curve_figures(const Source& source, const workspace::JobControl&) {
  std::vector<Figure> figures;
  if (!source.network) return figures;
  for (const charts::ProgressX x : {charts::ProgressX::Seconds, charts::ProgressX::Trials})
    figures.push_back(make_figure<charts::NetworkCurveChart>(network_curve_figure(*source.network, x),
                                                             network_curve_height));
  return figures;
}

/** Returns the model's latency over session time. */
std::vector<Figure> model_latency_figures(const Source& source, const workspace::JobControl&) {
  if (!source.network) return {};
  return {make_figure<charts::ModelLatencyChart>(
      model_latency_figure(*source.network, charts::ProgressX::Seconds), network_curve_height)};
}

std::vector<Figure> layer_time_figures(const Source& source, const workspace::JobControl&) {
  if (!source.network) return {};
  const std::size_t layers = source.network->outcome.layers.size();
  return {make_figure<charts::LayerTimeChart>(layer_time_figure(*source.network), bars_height(layers) + 60)};
}

/** Returns the layers in the roofline of main memory. */
std::vector<Figure> network_roofline_figures(const Source& source, const workspace::JobControl&) {
  if (!source.network || source.database.empty()) return {};
  return {make_figure<charts::RooflineChart>(
      network_roofline_figure(*source.network, source.database, base::MemoryLevel::Memory),
      network_roofline_height)};
}

}  // namespace

Kind network_curve_figure_kind() {
  return figure_kind<charts::NetworkCurveChart>("network time", Place::Network, ReportPart::Network,
                                                network_curve_figures);
}

Kind layer_time_figure_kind() {
  return figure_kind<charts::LayerTimeChart>("layer times", Place::Network, ReportPart::Network,
                                             layer_time_figures);
}

Kind model_latency_figure_kind() {
  return figure_kind<charts::ModelLatencyChart>(model_latency_figure_name, Place::Network,
                                                ReportPart::Network, model_latency_figures);
}

Kind network_roofline_figure_kind() {
  return figure_kind<charts::RooflineChart>("layers in the roofline", Place::Network, ReportPart::Network,
                                            network_roofline_figures);
}

}  // namespace kernelscape::figures
