#pragma once

#include <functional>

#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/instruction_listing.h"

class QAction;
class QComboBox;

namespace kernelscape {

/** Machine code that opens on its hot loop, with the rest folded, and a menu of what can be done with it. */
class InstructionPanel : public CodePanel {
  Q_OBJECT

 public:
  explicit InstructionPanel(QWidget* parent = nullptr);

  /** One of these is shown, the first one at first; a box offers them where there are several. Not empty,
   * none null. */
  void set_codes(std::vector<std::shared_ptr<const MachineCode>> codes);
  /** That is shown; null before there was one. */
  const std::shared_ptr<const MachineCode>& code() const { return code_; }
  const InstructionListing& listing() const { return listing_; }  ///< which of its lines are shown

  /** Tints lines of the machine code, or the folded lines that have them. */
  void set_linked_lines(const std::vector<int>& machine_lines);
  /** The same, softly. */
  void set_hinted_lines(const std::vector<int>& machine_lines);
  /** Scrolls one of these lines of the machine code into view: one of the hot loop, else one that is shown,
   * else the first, which is unfolded. Ascending, not empty. */
  void reveal_one_of(const std::vector<int>& machine_lines);

  QString whole_text() const override;
  QAction& show_all_action() { return *show_all_; }  ///< checkable: nothing is folded
  QComboBox& code_choice() { return *choice_; }      ///< which code; hidden where there is one alone

 signals:
  /** Another code is shown: links have to be made anew. */
  void code_changed();
  /** The user chose lines first ... last of the machine code: one, or those of a section. */
  void machine_lines_chosen(int first, int last);
  /** The pointer is on this line of the machine code; -1: on none. */
  void machine_line_hovered(int line);
  /** Save the listing to a file. */
  void save_requested();
  /** Show the kernel in a window of its own. */
  void window_requested();

 protected:
  /** A text that is only in folded lines unfolds these. */
  void prepare_search(const QString& text) override;

 private:
  void make_controls();
  void make_menu();
  void show_code(int index);
  void change_listing(const std::function<void(InstructionListing&)>& change);
  void show_listing();
  void choose(int view_line);
  void toggle_section(int view_line);
  bool folded(int machine_line) const;
  std::vector<int> view_lines_of(const std::vector<int>& machine_lines) const;

  std::vector<std::shared_ptr<const MachineCode>> codes_;
  std::shared_ptr<const MachineCode> code_;
  InstructionListing listing_;
  std::vector<int> linked_;  ///< lines of the machine code
  QComboBox* choice_ = nullptr;
  QAction* show_all_ = nullptr;
};

}  // namespace kernelscape
