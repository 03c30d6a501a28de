#pragma once

#include <QComboBox>
#include <memory>
#include <string>
#include <vector>

#include "ui/workspace/devices.h"
#include "ui/workspace/fleet_watch.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape {

/**
 * A choice of a target: the devices of this machine, CUDA without a device, the classes of a fleet, recorded
 * spaces. A platform without a device is listed as well, and so is a fleet where none is known: they can't be
 * chosen, and their tooltips say why and what to do.
 */
class TargetBox : public QComboBox {
  Q_OBJECT

 public:
  explicit TargetBox(QWidget* parent = nullptr);

  /** @param survey null: nobody has looked yet */
  void set_devices(std::shared_ptr<const DeviceSurvey> survey, bool looking);
  /** Its classes are listed. @param fleet null: none is known */
  void set_fleet(const FleetStatePointer& fleet);
  /** Of these, the recorded spaces are listed. */
  void set_recorded(const std::vector<SessionEntry>& sessions);

  /** As a request names it: "cpu", "cuda:0", "recorded:7"; "cuda" where no device is meant. */
  std::string target() const;
  /** CUDA for an architecture, whatever devices there are. */
  bool without_device() const;
  /** One that is not listed, a file or a device that was not found, is listed from then on. */
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

  std::shared_ptr<const DeviceSurvey> survey_;
  bool looking_ = false;
  std::vector<Entry> fleet_;
  std::vector<Entry> recorded_;
  QString chosen_;  ///< stays listed, whatever is found
  std::vector<Entry> shown_;
};

/** "No CUDA device was found: ...", with the way out. */
QString missing_platform_text(const MissingPlatform& platform);

}  // namespace kernelscape
