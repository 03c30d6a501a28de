#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "core/machine_code/machine_code.h"
#include "ui/widgets/code_view.h"

namespace kernelscape::views {

/** A range of machine code below a line that summarises it. */
struct ListingSection {
  std::size_t first = 0;  ///< index into MachineCode::lines
  std::size_t last = 0;   ///< inclusive
  QString summary;        ///< "812 lines before the hot loop, 3 loops among them"
  bool hot = false;       ///< this is the hot loop itself
  bool open = true;       ///< its lines are shown
};

/**
 * Arranges machine code as lines of a view: the hot loop is open; the code before, around and after it is
 * folded into one line each. Code without a loop is one open section.
 */
class InstructionListing {
 public:
  InstructionListing() = default;
  explicit InstructionListing(std::shared_ptr<const machine_code::MachineCode> code);

  /**
   * Returns the sections from the top. Each is a line of the view, followed by its own lines if it is open.
   */
  const std::vector<ListingSection>& sections() const { return sections_; }
  /** Opens or folds a section. */
  void set_open(std::size_t section, bool open);
  /** Opens all sections, or only the hot loop. */
  void open_all(bool open);
  bool all_open() const;  ///< nothing is folded
  /** Returns true if an open section contains the text, ignoring case. */
  bool shows(const QString& text) const;
  /** Opens the sections that contain the text, ignoring case. */
  void open_those_with(const QString& text);

  /** Returns the text to show: labels are the lines' numbers, with "!" where a register is spilled. */
  widgets::MarkedCode shown() const;
  /**
   * Returns the section whose summary is this line of the view; -1: the line is an instruction or a label.
   */
  int section_of(int view_line) const;
  /** Returns the line of machine code that a line of the view shows; -1: the line is a section's summary. */
  int machine_line(int view_line) const;
  /**
   * Returns the line of the view that shows a line of machine code: its own line, or the summary of the
   * folded section that contains it.
   */
  int view_line(std::size_t machine_line) const;

 private:
  void add_section(std::size_t first, std::size_t end, const QString& place);
  void number_lines();
  bool has(const ListingSection& section, const QString& text) const;

  std::shared_ptr<const machine_code::MachineCode> code_;
  std::vector<ListingSection> sections_;
  std::vector<int> starts_;  ///< line of the view of each section's summary
};

/** Returns a line of the listing: an instruction is indented below its label. */
QString listing_text(const machine_code::MachineLine& line);

}  // namespace kernelscape::views
