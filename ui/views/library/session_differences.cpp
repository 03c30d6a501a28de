#include "ui/views/library/session_differences.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>
#include <set>

#include "ui/models/session_text.h"
#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

using nlohmann::json;

QString translated(const char* text) { return QCoreApplication::translate("SessionDifferences", text); }

QString text_of(const std::string& text) {
  return text.empty() ? style::no_number() : QString::fromStdString(text);
}

QString budget_text(const trial::Budget& budget) {
  QStringList parts;
  if (budget.trials > 0)
    parts += budget.trials == 1 ? translated("1 trial")
                                : translated("%1 trials").arg(style::format_count(budget.trials));
  if (budget.minutes > 0) parts += translated("%1 min").arg(style::format_number(budget.minutes));
  if (budget.target_gflops > 0)
    parts += translated("up to %1 GFLOPS").arg(style::format_number(budget.target_gflops));
  if (budget.patience > 0) parts += translated("patience %1").arg(style::format_count(budget.patience));
  return parts.isEmpty() ? translated("not limited") : parts.join(QStringLiteral(", "));
}

QString target_text(const workspace::SourceData& source) {
  const QString name = text_of(source.record().target_name);
  const auto& target = source.origin->target;
  return target && !target->device.empty() ? QStringLiteral("%1, %2").arg(name, text_of(target->device))
                                           : name;
}

QString compiler_text(const workspace::SourceData& source) {
  const auto& target = source.origin->target;
  return target ? text_of(target->compiler_version) : style::no_number();
}

QString value_text(const json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) return style::no_number();
  return QString::fromStdString(found->is_string()
                                    ? found->get<std::string>()
                                    : found->dump(-1, ' ', false, json::error_handler_t::replace));
}

class Lines {
 public:
  Lines(const workspace::SourceData& first, const workspace::SourceData& second)
      : first_(first), second_(second) {}

  template <typename TextOf>
  void add(const char* what, TextOf text_of_source, bool outcome = false) {
    lines_.push_back({translated(what), text_of_source(first_), text_of_source(second_), outcome});
  }

  /** Adds the values of two flat JSON objects that differ. */
  void add_different(const QString& prefix, const std::string& first_json, const std::string& second_json) {
    const json first = json::parse(first_json, nullptr, false);
    const json second = json::parse(second_json, nullptr, false);
    if (!first.is_object() || !second.is_object()) return;
    std::set<std::string> keys;
    for (const auto& [key, value] : first.items()) keys.insert(key);
    for (const auto& [key, value] : second.items()) keys.insert(key);
    for (const std::string& key : keys) {
      SessionDifference line{prefix + QString::fromStdString(key).replace(QLatin1Char('_'), QLatin1Char(' ')),
                             value_text(first, key), value_text(second, key), false};
      if (line.differs()) lines_.push_back(std::move(line));
    }
  }

  /** Adds the knobs in which the two best configurations differ. */
  void add_best_knobs() {
    if (first_.headline.row == analysis::no_row || second_.headline.row == analysis::no_row) return;
    const json first = configuration(first_);
    const json second = configuration(second_);
    if (!first.is_object() || !second.is_object()) return;
    std::set<std::string> keys;
    for (const auto& [key, value] : first.items()) keys.insert(key);
    for (const auto& [key, value] : second.items()) keys.insert(key);
    for (const std::string& key : keys) {
      SessionDifference line{translated("best: %1").arg(QString::fromStdString(key)), value_text(first, key),
                             value_text(second, key), true};
      if (line.differs()) lines_.push_back(std::move(line));
    }
  }

  std::vector<SessionDifference> take() { return std::move(lines_); }

 private:
  static json configuration(const workspace::SourceData& source) {
    const space::Configuration best = source.trials.configuration(source.headline.row);
    return json::parse(source.space().configuration_to_json(best), nullptr, false);
  }

  const workspace::SourceData& first_;
  const workspace::SourceData& second_;
  std::vector<SessionDifference> lines_;
};

void add_setup(Lines& lines, const workspace::SourceData& first, const workspace::SourceData& second) {
  lines.add("task", [](const workspace::SourceData& s) { return text_of(s.record().task_name); });
  lines.add("target", target_text);
  lines.add("compiler", compiler_text);
  const bool projects = first.of_project() || second.of_project();
  lines.add(projects ? "template or project" : "template",
            [](const workspace::SourceData& s) { return models::kernel_maker_text(s.record()); });
  lines.add("tuner", [](const workspace::SourceData& s) { return text_of(s.record().tuner); });
  // Settings of different tuners can't be compared.
  if (first.record().tuner == second.record().tuner)
    lines.add_different(QString(), first.record().settings_json, second.record().settings_json);
  lines.add("seed", [](const workspace::SourceData& s) { return QString::number(s.record().seed); });
  lines.add("budget", [](const workspace::SourceData& s) { return budget_text(s.budget.budget); });
  lines.add_different(QString(), first.record().options_json, second.record().options_json);
}

void add_outcome(Lines& lines) {
  lines.add(
      "best",
      [](const workspace::SourceData& s) {
        const QString speed = models::speed_or_time_text(s, s.headline.value.seconds);
        const std::string objective = analysis::objective_text(s.headline.value.kind);
        return objective.empty() ? speed : QStringLiteral("%1, %2").arg(speed, text_of(objective));
      },
      true);
  lines.add(
      "quartiles",
      [](const workspace::SourceData& s) {
        const analysis::TrialValue& value = s.headline.value;
        if (s.headline.trial < 0) return style::no_number();
        if (value.kind != trial::ObjectiveKind::Median) return text_of(analysis::samples_text(value.samples));
        if (!value.has_own_quartiles()) return style::no_number();
        return QStringLiteral("%1 \u2013 %2")
            .arg(models::speed_or_time_text(s, value.samples.third),
                 models::speed_or_time_text(s, value.samples.first));
      },
      true);
  lines.add(
      "state of the best",
      [](const workspace::SourceData& s) {
        if (s.build_only()) return translated("build only");
        if (s.headline.trial < 0) return translated("no valid trial");
        return models::trust_text(s.record(), s.headline);
      },
      true);
  lines.add(
      "vendor",
      [](const workspace::SourceData& s) {
        const trial::VendorResult& vendor = s.baselines.vendor;
        return vendor.available() ? text_of(trial::vendor_title(vendor)) : style::no_number();
      },
      true);
  lines.add(
      "share of vendor",
      [](const workspace::SourceData& s) {
        const double share = s.compared.vendor.share;
        return share > 0 ? style::format_percent(share) : style::no_number();
      },
      true);
  lines.add(
      "best trial",
      [](const workspace::SourceData& s) {
        return s.headline.trial < 0 ? style::no_number() : style::format_count(s.headline.trial);
      },
      true);
  lines.add(
      "trials", [](const workspace::SourceData& s) { return style::format_count(s.trials.size()); }, true);
  lines.add(
      "failed trials",
      [](const workspace::SourceData& s) {
        const std::int64_t failed = s.errors.all().trials - s.errors.of(trial::ErrorCategory::NoError).trials;
        if (s.trials.size() == 0) return style::no_number();
        return QStringLiteral("%1 (%2)").arg(
            style::format_count(failed),
            style::format_percent(static_cast<double>(failed) / static_cast<double>(s.trials.size())));
      },
      true);
  lines.add(
      "session time",
      [](const workspace::SourceData& s) { return style::format_duration(s.status.session_seconds); }, true);
  lines.add(
      "state", [](const workspace::SourceData& s) { return models::session_state_text(s.status, s.owner); },
      true);
}

}  // namespace

std::vector<SessionDifference> session_differences(const workspace::SourceData& first,
                                                   const workspace::SourceData& second) {
  Lines lines(first, second);
  add_setup(lines, first, second);
  add_outcome(lines);
  lines.add_best_knobs();
  return lines.take();
}

}  // namespace kernelscape::views
