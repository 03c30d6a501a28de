#pragma once

#include <QWidget>
#include <optional>

#include "core/session/preparation.h"

class QLabel;
class QPushButton;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace kernelscape {

/** Size and knobs of the space that was chosen; the values of each knob's elements can be restricted. */
class SpacePanel : public QWidget {
  Q_OBJECT

 public:
  explicit SpacePanel(QWidget* parent = nullptr);

  /** @param space of the template without restrictions @param members of the restricted space, where known */
  void show_space(const SearchSpace& space, std::optional<uint128> members,
                  std::optional<uint128> restricted_members);
  /** Nothing to show, and why: the task is being looked up, or is wrong. */
  void show_nothing(const QString& why);

  /** Values allowed, by knob; empty: all are. */
  std::vector<KnobRestriction> restrictions() const { return restrictions_; }
  /** Replaces those of before; `restrictions_changed` is not emitted. */
  void set_restrictions(const std::vector<KnobRestriction>& restrictions);

 signals:
  /** By the user: values were allowed or ruled out. */
  void restrictions_changed();

 private:
  void fill(const SearchSpace& space);
  void read_restrictions(QTreeWidgetItem* changed);
  void check_restricted();
  void show_knobs(bool shown);

  QLabel* size_ = nullptr;
  QToolButton* toggle_ = nullptr;
  QPushButton* allow_all_ = nullptr;
  QTreeWidget* knobs_ = nullptr;
  std::optional<std::uint64_t> filled_;  ///< fingerprint of the space that the tree shows
  std::vector<KnobRestriction> restrictions_;
  bool filling_ = false;
};

}  // namespace kernelscape
