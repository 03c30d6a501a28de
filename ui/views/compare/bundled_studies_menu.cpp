#include "ui/views/compare/bundled_studies_menu.h"

#include <QAction>
#include <algorithm>

#include "core/study/execution.h"
#include "core/study/planned_comparison.h"
#include "ui/style/numbers.h"
#include "ui/style/plain_texts.h"

namespace kernelscape::views {
namespace {

/** Rough duration of a trial on this machine in seconds; only for the estimate. */
constexpr double seconds_per_trial = 0.7;

/** Returns the cost of a study as a short text, which is shown at the right of its name. */
QString cost_words(const study::Definition& study) {
  if (study::measures_here(study))
    return BundledStudiesMenu::tr("roughly %1").arg(style::format_duration(measuring_seconds(study)));
  if (study.arms.empty()) return BundledStudiesMenu::tr("whole spaces");
  study::Definition planned = study;
  study::add_controls(planned);
  const std::size_t runs =
      planned.arms.size() * planned.tasks.size() * static_cast<std::size_t>(planned.repeats);
  return BundledStudiesMenu::tr("%1 runs").arg(style::format_count(static_cast<std::int64_t>(runs)));
}

/** Escapes a text for a menu, in which an ampersand marks a mnemonic and a tab a shortcut. */
QString menu_words(QString text) {
  return text.replace(QLatin1Char('&'), QLatin1String("&&")).replace(QLatin1Char('\t'), QLatin1Char(' '));
}

}  // namespace

double measuring_seconds(const study::Definition& study) {
  study::Definition planned = study;
  study::add_controls(planned);
  const auto real =
      std::ranges::count_if(study.tasks, [](const study::Task& task) { return !task.recorded(); });
  double seconds = static_cast<double>(study.budget.trials) * seconds_per_trial;
  if (study.budget.minutes > 0)
    seconds = seconds > 0 ? std::min(seconds, study.budget.minutes * 60) : study.budget.minutes * 60;
  return seconds * static_cast<double>(planned.arms.size()) * static_cast<double>(study.repeats) *
         static_cast<double>(real);
}

BundledStudiesMenu::BundledStudiesMenu(QWidget* parent) : QMenu(parent) {
  setAccessibleName(tr("Built-in studies"));
  setToolTipsVisible(true);
  addAction(tr("Reading ..."))->setEnabled(false);
  job_.start([](const workspace::JobControl&) { return read_bundled(); },
             [this](const std::vector<BundledStudy>& bundled) { fill(bundled); });
}

std::vector<BundledStudiesMenu::BundledStudy> BundledStudiesMenu::read_bundled() {
  std::vector<BundledStudy> bundled;
  for (const std::filesystem::path& file : study::bundled_studies()) {
    const Result<study::Definition> study = study::load_study(file);
    if (!study) continue;
    study::Definition present = *study;
    study::leave_out_missing(present);
    bundled.push_back({file, *study, present.tasks.empty() && !study->tasks.empty()});
  }
  return bundled;
}

void BundledStudiesMenu::fill(const std::vector<BundledStudy>& bundled) {
  clear();
  const auto add_group = [&](const QString& title, bool measured) {
    addSection(title);
    for (const BundledStudy& one : bundled)
      if (study::measures_here(one.study) == measured) add_study(one);
  };
  add_group(tr("Replayed from recordings: take minutes, measure nothing"), false);
  add_group(tr("Measured on this machine: take up to days, shown before they start"), true);
  if (bundled.empty()) {
    clear();
    addAction(tr("This installation has no built-in studies"))->setEnabled(false);
  }
}

void BundledStudiesMenu::add_study(const BundledStudy& bundled) {
  const study::Definition& study = bundled.study;
  const bool measured = study::measures_here(study);
  const QString title = menu_words(QString::fromStdString(study.name));
  QAction* action = addAction(
      QStringLiteral("%1%2\t%3").arg(title, measured ? QStringLiteral("...") : QString(), cost_words(study)));
  QStringList tip{style::tip_lines(QString::fromStdString(study.about))};
  tip.append(QStringLiteral("kernelscape study ") + QString::fromStdString(bundled.file.stem().string()));
  if (bundled.absent) tip.append(tr("Its recordings are not built in, and none of them is in the database."));
  action->setToolTip(tip.join(QStringLiteral("\n\n")));
  action->setEnabled(!bundled.absent);
  connect(action, &QAction::triggered, this, [this, file = bundled.file, study, measured] {
    if (measured) {
      emit measuring_chosen(study);
    } else {
      emit replay_chosen(file);
    }
  });
}

}  // namespace kernelscape::views
