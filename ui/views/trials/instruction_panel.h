#pragma once

#include <functional>

#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/instruction_listing.h"

class QAction;
class QComboBox;

namespace kernelscape::views {

/** Shows machine code with its hot loop open and the rest folded, and a menu of actions. */
class InstructionPanel : public CodePanel {
  Q_OBJECT

 public:
  explicit InstructionPanel(QWidget* parent = nullptr);

  /**
   * Sets the codes to choose from and shows the first; a box offers them if there are several. The list must
   * not be empty or contain null.
   */
  void set_codes(std::vector<std::shared_ptr<const machine_code::MachineCode>> codes);
  /** Returns the shown code; null before `set_codes`. */
  const std::shared_ptr<const machine_code::MachineCode>& code() const { return code_; }
  const InstructionListing& listing() const { return listing_; }  ///< which lines of the code are shown

  /** Tints lines of the machine code, or the folded lines that contain them. */
  void set_linked_lines(const std::vector<int>& machine_lines);
  /** Tints the lines softly, otherwise like `set_linked_lines`. */
  void set_hinted_lines(const std::vector<int>& machine_lines);
  /**
   * Scrolls one of these lines of the machine code into view: one of the hot loop if possible, else one that
   * is shown, else the first, which is unfolded. The lines must be ascending, and at least one.
   */
  void reveal_one_of(const std::vector<int>& machine_lines);

  QString whole_text() const override;
  /**
   * Shows the share of each instruction in the margin; they stay while sections are unfolded and folded.
   * @param shares by line of the machine code; empty: none are known
   */
  void set_machine_shares(std::vector<double> shares, const QString& meaning);
  QAction& show_all_action() { return *show_all_; }  ///< checkable: nothing is folded
  QComboBox& code_choice() { return *choice_; }      ///< which code; hidden if there is only one

 signals:
  /** Emitted when another code is shown, so that links have to be computed again. */
  void code_changed();
  /**
   * Emitted when the user chose lines first ... last of the machine code: one line, or the lines of a
   * section.
   */
  void machine_lines_chosen(int first, int last);
  /** Emitted when the pointer is on this line of the machine code; -1: on none. */
  void machine_line_hovered(int line);
  /** Emitted to save the listing to a file. */
  void save_requested();
  /** Emitted to show the kernel in a separate window. */
  void window_requested();

 protected:
  /** Unfolds the lines that contain the text if no shown line does. */
  void prepare_search(const QString& text) override;

 private:
  void make_controls();
  void make_menu();
  void show_code(int index);
  void change_listing(const std::function<void(InstructionListing&)>& change);
  void show_listing();
  void show_shares();
  void choose(int view_line);
  void toggle_section(int view_line);
  bool folded(int machine_line) const;
  std::vector<int> view_lines_of(const std::vector<int>& machine_lines) const;

  std::vector<std::shared_ptr<const machine_code::MachineCode>> codes_;
  std::shared_ptr<const machine_code::MachineCode> code_;
  InstructionListing listing_;
  std::vector<int> linked_;             ///< lines of the machine code
  std::vector<double> machine_shares_;  ///< by line of the machine code
  QString meaning_of_shares_;
  QComboBox* choice_ = nullptr;
  QAction* show_all_ = nullptr;
};

}  // namespace kernelscape::views
