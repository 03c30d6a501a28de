#include "ui/frame/view_registry.h"

#include "core/session/request_json.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/fleet/fleet_view.h"
#include "ui/views/learn/learn_view.h"
#include "ui/views/library/library_view.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/network_view.h"
#include "ui/views/tune/live_charts.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"

namespace kernelscape::frame {

const std::vector<ViewRegistration>& view_registrations() {
  static const std::vector<ViewRegistration> registrations = {
      {QStringLiteral("Tune"), QStringLiteral("tune"),
       [](views::ViewContext context) -> views::View* { return new views::TuneView(context); }},
      {QStringLiteral("Explore"), QStringLiteral("explore"),
       [](views::ViewContext context) -> views::View* { return new views::ExploreView(context); }},
      {QStringLiteral("Compare"), QStringLiteral("compare"),
       [](views::ViewContext context) -> views::View* { return new views::CompareView(context); }},
      {QStringLiteral("Network"), QStringLiteral("network"),
       [](views::ViewContext context) -> views::View* { return new views::NetworkView(context); }},
      {QStringLiteral("Library"), QStringLiteral("library"),
       [](views::ViewContext context) -> views::View* { return new views::LibraryView(context); }},
      {QStringLiteral("Learn"), QStringLiteral("learn"),
       [](views::ViewContext context) -> views::View* { return new views::LearnView(context); }},
      {QStringLiteral("Fleet"), QStringLiteral("fleet"),
       [](views::ViewContext context) -> views::View* { return new views::FleetView(context); }},
  };
  return registrations;
}

bool fill_request(views::View& view, const session::TuningRequest& request) {
  auto* tune = qobject_cast<views::TuneView*>(&view);
  if (tune != nullptr) tune->prepare_run(request);
  return tune != nullptr;
}

bool choose_target(views::View& view, const QString& target) {
  auto* tune = qobject_cast<views::TuneView*>(&view);
  if (tune != nullptr) tune->tune_on(target.toStdString());
  return tune != nullptr;
}

bool open_project(views::View& view, const QString& path) {
  auto* tune = qobject_cast<views::TuneView*>(&view);
  if (tune != nullptr) tune->open_project(path);
  return tune != nullptr;
}

bool open_network(views::View& view, const QString& name_or_file) {
  auto* network = qobject_cast<views::NetworkView*>(&view);
  if (network != nullptr) network->open_network(name_or_file);
  return network != nullptr;
}

void offer_networks(views::View& view, const QStringList& files) {
  if (auto* network = qobject_cast<views::NetworkView*>(&view)) network->form().set_recent(files);
}

QStringList offered_networks(const views::View& view) {
  const auto* network = qobject_cast<const views::NetworkView*>(&view);
  return network != nullptr ? network->form().recent() : QStringList();
}

void offer_fleet(views::View& view, const QString& address, const QString& password_file) {
  if (auto* fleet = qobject_cast<views::FleetView*>(&view))
    fleet->offer({.address = address.toStdString(), .password_file = password_file.toStdString()});
}

std::pair<QString, QString> offered_fleet(const views::View& view) {
  const auto* fleet = qobject_cast<const views::FleetView*>(&view);
  if (fleet == nullptr) return {};
  const workspace::FleetPlace place = fleet->offered();
  return {QString::fromStdString(place.address), QString::fromStdString(place.password_file)};
}

void fill_kept_form(views::View& view, const QString& json) {
  auto* tune = qobject_cast<views::TuneView*>(&view);
  if (tune == nullptr || json.isEmpty()) return;
  if (const Result<session::TuningRequest> request = session::request_from_json(json.toStdString()))
    tune->form().set_request(*request);
}

QString kept_form(const views::View& view) {
  // Reading a form does not change it.
  const auto* tune = qobject_cast<const views::TuneView*>(&view);
  if (tune == nullptr) return {};
  const session::TuningRequest request = tune->form().request();
  const bool names_any = !request.task.empty() || session::is_recorded_target(request.target);
  return names_any ? QString::fromStdString(session::request_to_json(request)) : QString();
}

void show_whole_axis(views::View& view, bool whole) {
  if (auto* tune = qobject_cast<views::TuneView*>(&view)) tune->charts().set_show_all(whole);
}

bool shows_whole_axis(const views::View& view) {
  const auto* tune = qobject_cast<const views::TuneView*>(&view);
  return tune != nullptr && tune->charts().show_all();
}

void prefer_threads(views::View& view, int threads) {
  if (auto* network = qobject_cast<views::NetworkView*>(&view))
    return network->form().prefer_threads(threads);
  auto* tune = qobject_cast<views::TuneView*>(&view);
  if (tune == nullptr) return;
  session::TuningRequest request = tune->form().request();
  request.measuring.threads = threads;
  tune->form().set_request(request);
}

}  // namespace kernelscape::frame
