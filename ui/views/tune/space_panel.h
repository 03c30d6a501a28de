#pragma once

#include <QWidget>
#include <optional>

#include "core/session/preparation.h"

class QLabel;
class QPushButton;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kernelscape::views {

/** Numbers of feasible configurations of a space; nullopt: not known. */
struct SpaceCounts {
  std::optional<base::uint128> members;     ///< without limits and restrictions
  bool limits_known = false;                ///< there are device limits, and they are known
  std::optional<base::uint128> limited;     ///< within the device limits, if these are known
  std::optional<base::uint128> restricted;  ///< as it is searched, with the user's restrictions
};

/** Shows the size and the knobs of the chosen space; the values of each knob's elements can be restricted. */
class SpacePanel : public QWidget {
  Q_OBJECT

 public:
  explicit SpacePanel(QWidget* parent = nullptr);

  /**
   * Shows a space.
   * @param space of the template without restrictions
   */
  void show_space(const space::SearchSpace& space, const SpaceCounts& counts);
  /** Shows why there is no space: the task is being looked up, or is invalid. */
  void show_nothing(const QString& why);

  /** Returns the allowed values by knob; empty: all values are allowed. */
  std::vector<session::KnobRestriction> restrictions() const { return restrictions_; }
  /** Replaces the restrictions without emitting `restrictions_changed`. */
  void set_restrictions(const std::vector<session::KnobRestriction>& restrictions);

 signals:
  /** Emitted when the user allowed or excluded values. */
  void restrictions_changed();

 private:
  void fill(const space::SearchSpace& space);
  void read_restrictions(QTreeWidgetItem* changed);
  void check_restricted();
  void show_knobs(bool shown);

  QLabel* size_ = nullptr;
  QToolButton* toggle_ = nullptr;
  QPushButton* allow_all_ = nullptr;
  QTreeWidget* knobs_ = nullptr;
  std::optional<std::uint64_t> filled_;  ///< fingerprint of the space that the tree shows
  std::vector<session::KnobRestriction> restrictions_;
  bool filling_ = false;
};

}  // namespace kernelscape::views
