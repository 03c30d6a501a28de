#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "core/machine_code/machine_code.h"
#include "ui/widgets/code_view.h"

namespace kernelscape {

/** A stretch of machine code below a line that says what it is. */
struct ListingSection {
  std::size_t first = 0;  ///< into MachineCode::lines
  std::size_t last = 0;   ///< belongs to it
  QString summary;        ///< "812 lines before the hot loop, 3 loops among them"
  bool hot = false;       ///< the hot loop itself
  bool open = true;       ///< its lines are shown
};

/**
 * Machine code as lines of a view: the hot loop open, what is before, around and behind it folded into a line
 * each. Code without a loop is one open section.
 */
class InstructionListing {
 public:
  InstructionListing() = default;
  explicit InstructionListing(std::shared_ptr<const MachineCode> code);

  /** From the top; each is a line of the view, with its own lines below it where it is open. */
  const std::vector<ListingSection>& sections() const { return sections_; }
  /** Shows or folds a section. */
  void set_open(std::size_t section, bool open);
  /** All of it, or the hot loop alone. */
  void open_all(bool open);
  bool all_open() const;  ///< nothing is folded
  /** Whether an open section has the text, capitals or not. */
  bool shows(const QString& text) const;
  /** Opens the sections that have the text, capitals or not. */
  void open_those_with(const QString& text);

  /** As it is to be shown: labels are the lines' numbers, "!" where a register is spilled. */
  MarkedCode shown() const;
  /** The section whose own line this line of the view is; -1: it is an instruction's or a label's. */
  int section_of(int view_line) const;
  /** The line of machine code that a line of the view shows; -1: it is a section's own. */
  int machine_line(int view_line) const;
  /** Where a line of machine code is shown: its own line, or that of the folded section that has it. */
  int view_line(std::size_t machine_line) const;

 private:
  void add_section(std::size_t first, std::size_t end, const QString& place);
  void number_lines();
  bool has(const ListingSection& section, const QString& text) const;

  std::shared_ptr<const MachineCode> code_;
  std::vector<ListingSection> sections_;
  std::vector<int> starts_;  ///< line of the view of each section's own line
};

/** A line of the listing: an instruction is indented below its label. */
QString listing_text(const MachineLine& line);

}  // namespace kernelscape
