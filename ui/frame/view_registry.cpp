#include "ui/frame/view_registry.h"

#include "core/session/request_json.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/fleet/fleet_view.h"
#include "ui/views/learn/learn_view.h"
#include "ui/views/library/library_view.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_view.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"

namespace kernelscape {

const std::vector<ViewRegistration>& view_registrations() {
  static const std::vector<ViewRegistration> registrations = {
      {QStringLiteral("Tune"), QStringLiteral("tune"),
       [](ViewContext context) -> View* { return new TuneView(context); }},
      {QStringLiteral("Explore"), QStringLiteral("explore"),
       [](ViewContext context) -> View* { return new ExploreView(context); }},
      {QStringLiteral("Compare"), QStringLiteral("compare"),
       [](ViewContext context) -> View* { return new CompareView(context); }},
      {QStringLiteral("Network"), QStringLiteral("network"),
       [](ViewContext context) -> View* { return new NetworkView(context); }},
      {QStringLiteral("Library"), QStringLiteral("library"),
       [](ViewContext context) -> View* { return new LibraryView(context); }},
      {QStringLiteral("Learn"), QStringLiteral("learn"),
       [](ViewContext context) -> View* { return new LearnView(context); }},
      {QStringLiteral("Fleet"), QStringLiteral("fleet"),
       [](ViewContext context) -> View* { return new FleetView(context); }},
  };
  return registrations;
}

bool fill_request(View& view, const TuningRequest& request) {
  auto* tune = qobject_cast<TuneView*>(&view);
  if (tune != nullptr) tune->prepare_run(request);
  return tune != nullptr;
}

bool choose_target(View& view, const QString& target) {
  auto* tune = qobject_cast<TuneView*>(&view);
  if (tune != nullptr) tune->tune_on(target.toStdString());
  return tune != nullptr;
}

bool open_project(View& view, const QString& path) {
  auto* tune = qobject_cast<TuneView*>(&view);
  if (tune != nullptr) tune->open_project(path);
  return tune != nullptr;
}

bool open_network(View& view, const QString& name_or_file) {
  auto* network = qobject_cast<NetworkView*>(&view);
  if (network != nullptr) network->open_network(name_or_file);
  return network != nullptr;
}

void offer_networks(View& view, const QStringList& files) {
  if (auto* network = qobject_cast<NetworkView*>(&view)) network->form().set_recent(files);
}

QStringList offered_networks(const View& view) {
  const auto* network = qobject_cast<const NetworkView*>(&view);
  return network != nullptr ? network->form().recent() : QStringList();
}

void offer_fleet(View& view, const QString& address, const QString& password_file) {
  if (auto* fleet = qobject_cast<FleetView*>(&view))
    fleet->offer({.address = address.toStdString(), .password_file = password_file.toStdString()});
}

std::pair<QString, QString> offered_fleet(const View& view) {
  const auto* fleet = qobject_cast<const FleetView*>(&view);
  if (fleet == nullptr) return {};
  const FleetPlace place = fleet->offered();
  return {QString::fromStdString(place.address), QString::fromStdString(place.password_file)};
}

void fill_kept_form(View& view, const QString& json) {
  auto* tune = qobject_cast<TuneView*>(&view);
  if (tune == nullptr || json.isEmpty()) return;
  if (const Result<TuningRequest> request = request_from_json(json.toStdString()))
    tune->form().set_request(*request);
}

QString kept_form(const View& view) {
  // Reading a form does not change it.
  const auto* tune = qobject_cast<const TuneView*>(&view);
  if (tune == nullptr) return {};
  const TuningRequest request = tune->form().request();
  const bool names_any = !request.task.empty() || is_recorded_target(request.target);
  return names_any ? QString::fromStdString(request_to_json(request)) : QString();
}

void prefer_threads(View& view, int threads) {
  if (auto* network = qobject_cast<NetworkView*>(&view)) return network->form().prefer_threads(threads);
  auto* tune = qobject_cast<TuneView*>(&view);
  if (tune == nullptr) return;
  TuningRequest request = tune->form().request();
  request.measuring.threads = threads;
  tune->form().set_request(request);
}

}  // namespace kernelscape
