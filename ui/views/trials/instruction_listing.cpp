#include "ui/views/trials/instruction_listing.h"

#include <QCoreApplication>
#include <algorithm>
#include <span>

#include "ui/style/numbers.h"

namespace kernelscape::views {
namespace {

QString listing_translation(const char* text) {
  return QCoreApplication::translate("InstructionListing", text);
}

QString listing_count(std::size_t count, const char* one, const char* many) {
  return count == 1 ? listing_translation(one)
                    : listing_translation(many).arg(style::format_count(static_cast<std::int64_t>(count)));
}

bool spills_register(const machine_code::MachineLine& line) {
  return line.instruction() && (line.facts.instruction_class == machine_code::InstructionClass::SpillLoad ||
                                line.facts.instruction_class == machine_code::InstructionClass::SpillStore ||
                                line.facts.spilled_operand);
}

/** Returns "812 lines before the hot loop: 2 loops, 16 multiply-adds, 3 spills". */
QString section_summary(const machine_code::MachineCode& code, std::size_t first, std::size_t last,
                        const QString& place) {
  const std::span lines = std::span(code.lines).subspan(first, last + 1 - first);
  const auto loops =
      static_cast<std::size_t>(std::ranges::count_if(code.loops, [&](const machine_code::MachineLoop& loop) {
        return loop.first_line >= first && loop.last_line <= last;
      }));
  const auto multiply_adds =
      static_cast<std::size_t>(std::ranges::count_if(lines, [](const machine_code::MachineLine& line) {
        return line.instruction() &&
               line.facts.instruction_class == machine_code::InstructionClass::MultiplyAdd;
      }));
  const auto spills = static_cast<std::size_t>(std::ranges::count_if(lines, spills_register));
  QStringList parts;
  if (loops > 0) parts.append(listing_count(loops, "1 loop", "%1 loops"));
  if (multiply_adds > 0) parts.append(listing_count(multiply_adds, "1 multiply-add", "%1 multiply-adds"));
  if (spills > 0) parts.append(listing_count(spills, "1 spill", "%1 spills"));
  const QString what = QStringLiteral("%1 %2").arg(listing_count(lines.size(), "1 line", "%1 lines"), place);
  return parts.isEmpty() ? what : what + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
}

/** Returns "hot loop, 24 lines, run 12,544 times per call of the kernel". */
QString hot_summary(const machine_code::MachineLoop& loop) {
  QString text = listing_translation("hot loop, ") +
                 listing_count(loop.last_line + 1 - loop.first_line, "1 line", "%1 lines");
  if (loop.iterations > 0)
    text += (loop.exact ? listing_translation(", run %1 times per call of the kernel")
                        : listing_translation(", run at most %1 times per call of the kernel"))
                .arg(style::format_number(loop.iterations));
  return text;
}

/** Returns the loops around a loop, the outermost first. */
std::vector<const machine_code::MachineLoop*> loops_around(const machine_code::MachineCode& code,
                                                           const machine_code::MachineLoop& loop) {
  std::vector<const machine_code::MachineLoop*> around;
  for (int parent = loop.parent; parent >= 0 && around.size() < code.loops.size();
       parent = code.loops[static_cast<std::size_t>(parent)].parent)
    around.push_back(&code.loops[static_cast<std::size_t>(parent)]);
  std::ranges::reverse(around);
  return around;
}

}  // namespace

QString listing_text(const machine_code::MachineLine& line) {
  const QString text = QString::fromStdString(line.text);
  return line.instruction() ? QStringLiteral("    ") + text : text;
}

InstructionListing::InstructionListing(std::shared_ptr<const machine_code::MachineCode> code)
    : code_(std::move(code)) {
  const std::size_t end = code_->lines.size();
  const machine_code::MachineLoop* hot = code_->hot();
  if (!hot) {
    add_section(0, end, listing_translation("without a loop"));
    open_all(true);
    return;
  }
  const std::vector<const machine_code::MachineLoop*> around = loops_around(*code_, *hot);
  std::size_t place = 0;
  for (const machine_code::MachineLoop* loop : around) {
    add_section(place, loop->first_line,
                loop == around.front() ? listing_translation("before the loops around the hot loop")
                                       : listing_translation("of a loop around the hot loop, before it"));
    place = std::max(place, loop->first_line);
  }
  add_section(place, hot->first_line,
              around.empty() ? listing_translation("before the hot loop")
                             : listing_translation("of the loop directly around the hot loop, before it"));
  sections_.push_back({hot->first_line, hot->last_line, hot_summary(*hot), true, true});
  place = hot->last_line + 1;
  for (auto loop = around.rbegin(); loop != around.rend(); ++loop) {
    add_section(place, (*loop)->last_line + 1,
                loop == around.rbegin()
                    ? listing_translation("of the loop directly around the hot loop, after it")
                    : listing_translation("of a loop around the hot loop, after it"));
    place = std::max(place, (*loop)->last_line + 1);
  }
  add_section(place, end, listing_translation("after the hot loop"));
  number_lines();
}

/** Adds a folded section, unless it is empty. */
void InstructionListing::add_section(std::size_t first, std::size_t end, const QString& place) {
  if (first >= end) return;
  sections_.push_back({first, end - 1, section_summary(*code_, first, end - 1, place), false, false});
}

void InstructionListing::number_lines() {
  starts_.clear();
  int line = 0;
  for (const ListingSection& section : sections_) {
    starts_.push_back(line);
    line += section.open ? static_cast<int>(section.last - section.first) + 2 : 1;
  }
}

void InstructionListing::set_open(std::size_t section, bool open) {
  sections_[section].open = open;
  number_lines();
}

void InstructionListing::open_all(bool open) {
  const bool hot = code_ && code_->hot() != nullptr;
  for (ListingSection& section : sections_) section.open = open || section.hot || !hot;
  number_lines();
}

bool InstructionListing::all_open() const { return std::ranges::all_of(sections_, &ListingSection::open); }

bool InstructionListing::has(const ListingSection& section, const QString& text) const {
  const std::span lines = std::span(code_->lines).subspan(section.first, section.last + 1 - section.first);
  return std::ranges::any_of(lines, [&](const machine_code::MachineLine& line) {
    return listing_text(line).contains(text, Qt::CaseInsensitive);
  });
}

bool InstructionListing::shows(const QString& text) const {
  return std::ranges::any_of(
      sections_, [&](const ListingSection& section) { return section.open && has(section, text); });
}

void InstructionListing::open_those_with(const QString& text) {
  for (ListingSection& section : sections_) section.open = section.open || has(section, text);
  number_lines();
}

widgets::MarkedCode InstructionListing::shown() const {
  widgets::MarkedCode code;
  QStringList texts;
  for (const ListingSection& section : sections_) {
    texts.append((section.open ? QStringLiteral("▾ ") : QStringLiteral("▸ ")) + section.summary);
    code.labels.append(QString());
    code.marks.push_back(widgets::LineMark::Folded);
    if (!section.open) continue;
    for (std::size_t place = section.first; place <= section.last; ++place) {
      const machine_code::MachineLine& line = code_->lines[place];
      const bool spill = spills_register(line);
      texts.append(listing_text(line));
      code.labels.append((spill ? QStringLiteral("! ") : QString()) + QString::number(place + 1));
      code.marks.push_back(spill ? widgets::LineMark::Warning : widgets::LineMark::None);
    }
  }
  code.text = texts.join(QLatin1Char('\n'));
  return code;
}

int InstructionListing::section_of(int view_line) const {
  const auto start = std::ranges::find(starts_, view_line);
  return start == starts_.end() ? -1 : static_cast<int>(start - starts_.begin());
}

int InstructionListing::machine_line(int view_line) const {
  if (view_line < 0) return -1;
  const auto after = std::ranges::upper_bound(starts_, view_line);
  if (after == starts_.begin()) return -1;
  const auto section = static_cast<std::size_t>(after - starts_.begin()) - 1;
  const int inside = view_line - starts_[section] - 1;
  const ListingSection& of = sections_[section];
  if (inside < 0 || !of.open || static_cast<std::size_t>(inside) > of.last - of.first) return -1;
  return static_cast<int>(of.first) + inside;
}

int InstructionListing::view_line(std::size_t machine_line) const {
  const auto after = std::ranges::upper_bound(sections_, machine_line, {}, &ListingSection::first);
  if (after == sections_.begin()) return -1;
  const auto section = static_cast<std::size_t>(after - sections_.begin()) - 1;
  const ListingSection& of = sections_[section];
  if (!of.open) return starts_[section];
  return starts_[section] + 1 + static_cast<int>(machine_line - of.first);
}

}  // namespace kernelscape::views
