#include "ui/views/network/network_setup.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <algorithm>

#include "core/base/media/shell_script.h"
#include "core/schedule/template.h"
#include "core/session/preparation.h"
#include "core/study/model_export.h"
#include "core/task/catalogue.h"
#include "ui/style/numbers.h"
#include "ui/views/runs/known_target.h"

namespace kernelscape::views {
namespace {

QString setup_words(const char* text) { return QCoreApplication::translate("NetworkSetup", text); }

/**
 * Removes `"name"` from the beginning of a text and returns it; nullopt if the text does not begin with a
 * quoted name.
 */
std::optional<std::string> take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  const std::size_t end = text.find('"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  std::string quoted(text.substr(1, end - 1));
  text.remove_prefix(end + 1);
  return quoted;
}

bool take_words(std::string_view& text, std::string_view words) {
  if (!text.starts_with(words)) return false;
  text.remove_prefix(words.size());
  return true;
}

/** Returns the templates that fit at least one layer. */
std::vector<std::string> fitting_templates(const task::WholeNetwork& network,
                                           const schedule::TargetDescription& target) {
  std::vector<std::string> names;
  for (const schedule::TemplateDeclaration& declaration : schedule::template_registry()) {
    if (!schedule::supports(declaration, target.kind)) continue;
    const bool fits = std::ranges::any_of(network.layers, [&](const task::WholeLayer& layer) {
      return declaration.fits(layer.task, target).has_value();
    });
    if (fits) names.push_back(declaration.name);
  }
  return names;
}

}  // namespace

std::string network_command_line(const NetworkSetup& setup) {
  session::TuningRequest tuning;
  tuning.target = setup.request.target;
  tuning.template_name = setup.request.template_name;
  tuning.tuner = setup.request.tuner;
  tuning.settings = setup.request.settings;
  tuning.budget = setup.request.budget;
  tuning.measuring = setup.request.measuring;
  tuning.seed = setup.seed;
  tuning.name = setup.request.name;
  base::ShellText added = base::write<base::ShellScript>(" --network {}", setup.network);
  for (const measure::ModelDimension& dimension : setup.dimensions)
    added +=
        base::write<base::ShellScript>(" --dim {}", fmt::format("{}={}", dimension.name, dimension.value));
  if (!setup.request.scheduler.empty())
    added += base::write<base::ShellScript>(" --scheduler {}", setup.request.scheduler);
  return session::command_line_of(tuning) + added.text();
}

std::vector<OpenDimension> open_dimensions(const Error& error) {
  constexpr std::string_view begin = "the model leaves open how long a dimension is: ";
  std::string_view text = error.message;
  const std::size_t place = text.find(begin);
  if (place == std::string_view::npos) return {};
  text.remove_prefix(place + begin.size());
  std::vector<OpenDimension> open;
  do {
    std::optional<std::string> name = take_quoted(text);
    if (!name || !take_words(text, " of input ")) return {};
    std::optional<std::string> input = take_quoted(text);
    if (!input) return {};
    open.push_back({std::move(*name), std::move(*input)});
  } while (take_words(text, ", "));
  return open;
}

NetworkReading read_network(const std::string& network,
                            const std::vector<measure::ModelDimension>& dimensions,
                            const measure::Interruption& interruption) {
  const Result<task::Catalogue> catalogue = task::Catalogue::load_default();
  if (!catalogue) return {nullptr, catalogue.error()};
  Result<task::WholeNetwork> opened = network::open_network(network, dimensions, *catalogue, interruption);
  if (!opened) return {nullptr, opened.error()};
  return {std::make_shared<const task::WholeNetwork>(std::move(*opened)), {}};
}

const Error* NetworkCheck::problem() const {
  for (const std::optional<Error>* error : {&target_error, &template_error, &other_error})
    if (*error) return &**error;
  return nullptr;
}

NetworkCheck check_network(const NetworkSetup& setup, const task::WholeNetwork& network,
                           const workspace::DeviceSurvey* devices) {
  NetworkCheck check;
  check.model = study::model_source_of(setup.network, setup.dimensions);
  Result<schedule::TargetDescription> target = known_target(setup.request.target, {}, devices);
  if (!target) {
    check.target_error = target.error();
    return check;
  }
  check.target = std::move(*target);
  check.templates = fitting_templates(network, *check.target);
  check.layers = models::network_layer_rows(network, *check.target, setup.request);
  const Result<task::Catalogue> catalogue = task::Catalogue::load_default();
  if (!catalogue) {
    check.other_error = catalogue.error();
    return check;
  }
  const bool any = std::ranges::any_of(
      check.layers, [](const models::NetworkLayerRow& row) { return row.obstacle.isEmpty(); });
  study::NetworkRequest request = setup.request;
  request.model_source = check.model;
  Result<study::NetworkPlan> plan = study::plan_network(request, network, *catalogue, *check.target);
  if (!plan) {
    (any ? check.other_error : check.template_error) = plan.error();
  } else if (const Status sensible = trial::check_measure_options(setup.request.measuring); !sensible) {
    check.other_error = sensible.error();
  } else {
    check.study = std::move(plan->study);
  }
  return check;
}

QString budget_warning(const NetworkSetup& setup, std::int64_t layers) {
  const trial::Budget& budget = setup.request.budget;
  if (setup.request.scheduler.empty() || budget.trials == 0 || budget.trials >= layers) return {};
  return setup_words(
             "%1 trials are fewer than the %2 layers: at least %3 layers will have no kernel, and the "
             "network will have no time.")
      .arg(style::format_count(budget.trials), style::format_count(layers),
           style::format_count(layers - budget.trials));
}

}  // namespace kernelscape::views
