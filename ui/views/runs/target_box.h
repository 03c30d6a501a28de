#pragma once

#include <QComboBox>
#include <memory>
#include <string>
#include <vector>

#include "ui/workspace/devices.h"
#include "ui/workspace/fleet_watch.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::views {

/**
 * Chooses a target: a device of this machine, CUDA without a device, a device class of a fleet, or a recorded
 * space. A platform without a device is listed too, and so is the fleet if none is known: they can't be
 * chosen, and their tool tips say why and what to do.
 */
class TargetBox : public QComboBox {
  Q_OBJECT

 public:
  explicit TargetBox(QWidget* parent = nullptr);

  /** Sets the devices. @param survey null: devices were not searched yet */
  void set_devices(std::shared_ptr<const workspace::DeviceSurvey> survey, bool looking);
  /** Lists the device classes of a fleet. @param fleet null: none is known */
  void set_fleet(const workspace::FleetStatePointer& fleet);
  /** Lists the recorded spaces among these sessions. */
  void set_recorded(const std::vector<workspace::SessionEntry>& sessions);

  /**
   * Returns the target as a request names it: "cpu", "cuda:0", "recorded:7"; "cuda" for CUDA without a
   * device.
   */
  std::string target() const;
  /** Returns true if kernels are built for a CUDA architecture, whatever devices there are. */
  bool without_device() const;
  /**
   * Chooses a target. If it is not listed, such as a file or a device that was not found, it is added to the
   * list.
   */
  void choose(const std::string& target, bool without_device);

 private:
  struct Entry {
    QString text;
    QString target;  ///< empty: can't be chosen
    QString help;

    bool operator==(const Entry&) const = default;
  };

  std::vector<Entry> wanted_entries() const;
  static Entry unknown_entry(const QString& target);
  void add(const Entry& entry);
  void fill();

  std::shared_ptr<const workspace::DeviceSurvey> survey_;
  bool looking_ = false;
  std::vector<Entry> fleet_;
  std::vector<Entry> recorded_;
  QString chosen_;  ///< stays listed even if it is not found
  std::vector<Entry> shown_;
};

/** Returns "No CUDA device was found: ..." and what to do. */
QString missing_platform_text(const workspace::MissingPlatform& platform);

}  // namespace kernelscape::views
