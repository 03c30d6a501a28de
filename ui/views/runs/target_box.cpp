#include "ui/views/runs/target_box.h"

#include <QAbstractItemView>
#include <QStandardItemModel>
#include <algorithm>

#include "core/fleet/target.h"
#include "ui/models/device_text.h"

namespace kernelscape::views {
namespace {

constexpr int max_list_width = 480;

/** Returns a text that is no valid target of a request: "cuda" alone means the first device. */
QString architecture_target() { return QStringLiteral("cuda without a device"); }

/** Returns "fleet: CLASS"; the whole name if it has no class or is not a fleet target. */
QString fleet_text(const std::string& target) {
  const auto name = fleet::parse_fleet_target(target);
  if (!name || name->device_class.empty()) return QString::fromStdString(target);
  return TargetBox::tr("fleet: %1").arg(QString::fromStdString(name->device_class));
}

QString full_name(const std::string& target) {
  if (target == "cuda" || target == "opencl") return QString::fromStdString(target) + QStringLiteral(":0");
  return QString::fromStdString(target);
}

}  // namespace

TargetBox::TargetBox(QWidget* parent) : QComboBox(parent) {
  set_fleet(nullptr);
  setAccessibleName(tr("Target: a device, or a recorded space in place of a device"));
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  connect(this, &QComboBox::currentIndexChanged, this, [this] { chosen_ = currentData().toString(); });
  fill();
}

void TargetBox::set_devices(std::shared_ptr<const workspace::DeviceSurvey> survey, bool looking) {
  survey_ = std::move(survey);
  looking_ = looking;
  fill();
}

void TargetBox::set_fleet(const workspace::FleetStatePointer& fleet) {
  fleet_.clear();
  for (const std::string& name : fleet ? fleet->classes() : std::vector<std::string>()) {
    const std::string target = std::string(fleet::fleet_target_prefix) + fleet->address + '#' + name;
    fleet_.push_back(
        {fleet_text(target), QString::fromStdString(target),
         tr("Devices of this class of the fleet at %1 measure").arg(QString::fromStdString(fleet->address))});
  }
  if (fleet_.empty())
    fleet_.push_back({fleet ? tr("Fleet: no device") : tr("Fleet: not read yet"),
                      {},
                      tr("Other machines can measure for this one. Once the view Fleet shows them, their "
                         "device classes are listed here")});
  fill();
}

void TargetBox::set_recorded(const std::vector<workspace::SessionEntry>& sessions) {
  recorded_.clear();
  for (const workspace::SessionEntry& entry : sessions) {
    const store::SessionRecord& record = entry.summary.record;
    if (record.kind != store::SessionKind::Recorded) continue;
    recorded_.push_back({tr("recorded: %1").arg(QString::fromStdString(record.name)),
                         QStringLiteral("recorded:%1").arg(record.id),
                         tr("Trials are looked up in this recorded space instead of being measured")});
  }
  fill();
}

std::string TargetBox::target() const {
  return without_device() ? "cuda" : currentData().toString().toStdString();
}

bool TargetBox::without_device() const { return currentData().toString() == architecture_target(); }

void TargetBox::choose(const std::string& target, bool without_device) {
  const QString wanted = without_device ? architecture_target() : full_name(target);
  if (findData(wanted) < 0) {
    shown_.push_back(unknown_entry(wanted));
    add(shown_.back());
  }
  setCurrentIndex(findData(wanted));
}

TargetBox::Entry TargetBox::unknown_entry(const QString& target) {
  if (fleet::is_fleet_target(target.toStdString()))
    return {fleet_text(target.toStdString()), target,
            tr("%1, which the view Fleet does not show now").arg(target)};
  return {target, target, tr("Not found on this machine")};
}

/**
 * Returns the entries in order: those that can be chosen before those that can't, and last the recorded
 * spaces, of which there may be many.
 */
std::vector<TargetBox::Entry> TargetBox::wanted_entries() const {
  std::vector<Entry> entries;
  if (survey_ == nullptr || survey_->find("cpu") == nullptr)
    entries.push_back({QStringLiteral("cpu"), QStringLiteral("cpu"), {}});
  if (survey_ != nullptr) {
    for (const workspace::FoundDevice& device : survey_->devices) {
      const QString name = QString::fromStdString(device.target.name);
      const QString text = QStringLiteral("%1 · %2").arg(name, QString::fromStdString(device.target.device));
      entries.push_back({text, name, text});
    }
  }
  entries.push_back(
      {tr("CUDA without a device (build only)"), architecture_target(),
       tr("Kernels are compiled for an architecture and never run: errors and resources of real "
          "compiles, no timings")});
  if (survey_ != nullptr) {
    for (const workspace::MissingPlatform& platform : survey_->missing)
      entries.push_back({tr("%1: no device").arg(models::platform_name(platform.kind)),
                         {},
                         missing_platform_text(platform)});
  } else if (looking_) {
    entries.push_back({tr("Looking for GPUs…"), {}, {}});
  }
  entries.insert(entries.end(), fleet_.begin(), fleet_.end());
  entries.insert(entries.end(), recorded_.begin(), recorded_.end());
  if (!chosen_.isEmpty() && std::ranges::find(entries, chosen_, &Entry::target) == entries.end())
    entries.push_back(unknown_entry(chosen_));
  return entries;
}

void TargetBox::add(const Entry& entry) {
  addItem(entry.text, entry.target);
  setItemData(count() - 1, entry.help, Qt::ToolTipRole);
  auto* items = qobject_cast<QStandardItemModel*>(model());
  if (items != nullptr && entry.target.isEmpty()) items->item(count() - 1)->setEnabled(false);
}

/**
 * Fills the list and keeps the choice. An equal list is not replaced, so that an open list does not change
 * under the mouse.
 */
void TargetBox::fill() {
  std::vector<Entry> entries = wanted_entries();
  if (entries == shown_) return;
  const QSignalBlocker quiet(this);
  clear();
  for (const Entry& entry : entries) add(entry);
  shown_ = std::move(entries);
  setCurrentIndex(chosen_.isEmpty() ? 0 : findData(chosen_));
  view()->setMinimumWidth(std::min(view()->sizeHintForColumn(0), max_list_width));
}

QString missing_platform_text(const workspace::MissingPlatform& platform) {
  QString text = TargetBox::tr("No %1 device: %2")
                     .arg(models::platform_name(platform.kind), QString::fromStdString(platform.problem));
  if (!platform.hint.empty()) text += QStringLiteral("; ") + QString::fromStdString(platform.hint);
  return text;
}

}  // namespace kernelscape::views
