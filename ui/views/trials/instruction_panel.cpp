#include "ui/views/trials/instruction_panel.h"

#include <QAction>
#include <QComboBox>
#include <QMenu>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>

#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/why_text.h"

namespace kernelscape::views {

InstructionPanel::InstructionPanel(QWidget* parent)
    : CodePanel(widgets::CodeLanguage::Assembly, tr("Instructions"), parent) {
  make_controls();
  connect(&view(), &widgets::CodeView::line_chosen, this, &InstructionPanel::choose);
  connect(&view(), &widgets::CodeView::line_activated, this, &InstructionPanel::toggle_section);
  connect(&view(), &widgets::CodeView::line_hovered, this,
          [this](int line) { emit machine_line_hovered(listing_.machine_line(line)); });
}

void InstructionPanel::make_controls() {
  choice_ = new QComboBox;
  choice_->setAccessibleName(tr("Shown code"));
  choice_->setToolTip(tr("SASS runs on the GPU; PTX is the compiler's output for the driver's assembler"));
  choice_->hide();
  add_control(choice_);
  connect(choice_, &QComboBox::activated, this, &InstructionPanel::show_code);
  show_all_ = new QAction(tr("Show all"), this);
  show_all_->setCheckable(true);
  show_all_->setToolTip(tr("All lines, or the hot loop with the rest folded"));
  connect(show_all_, &QAction::triggered, this, [this](bool all) {
    change_listing([all](InstructionListing& listing) { listing.open_all(all); });
    if (!linked_.empty()) reveal_one_of(linked_);
  });
  auto* all = new QToolButton;
  all->setDefaultAction(show_all_);
  all->setAutoRaise(true);
  all->setAccessibleName(tr("Show all instructions"));
  all->setFocusPolicy(Qt::StrongFocus);
  add_last_control(all);
  make_menu();
}

void InstructionPanel::make_menu() {
  auto* more = new QToolButton;
  more->setIcon(style::icon(QStringLiteral("menu")));
  more->setAutoRaise(true);
  more->setPopupMode(QToolButton::InstantPopup);
  more->setAccessibleName(tr("More actions on the instructions"));
  more->setFocusPolicy(Qt::StrongFocus);
  auto* menu = new QMenu(more);
  menu->setToolTipsVisible(true);
  menu->addAction(show_all_);
  QAction* own_window = menu->addAction(tr("Show in a window"));
  own_window->setToolTip(
      tr("Shows this kernel in a separate window, which does not change when another trial is chosen"));
  connect(own_window, &QAction::triggered, this, &InstructionPanel::window_requested);
  QAction* copy_all = menu->addAction(tr("Copy all"));
  connect(copy_all, &QAction::triggered, this, &CodePanel::copy);
  QAction* save = menu->addAction(tr("Save listing…"));
  save->setToolTip(tr("Writes the instructions as text, each below its source line"));
  connect(save, &QAction::triggered, this, &InstructionPanel::save_requested);
  more->setMenu(menu);
  add_last_control(more);
}

void InstructionPanel::set_codes(std::vector<std::shared_ptr<const machine_code::MachineCode>> codes) {
  codes_ = std::move(codes);
  const QSignalBlocker quiet(choice_);
  choice_->clear();
  for (const auto& code : codes_) choice_->addItem(machine_language_name(code->language));
  choice_->setVisible(codes_.size() > 1);
  show_code(0);
}

void InstructionPanel::show_code(int index) {
  code_ = codes_[static_cast<std::size_t>(index)];
  listing_ = InstructionListing(code_);
  linked_.clear();
  machine_shares_.clear();
  show_listing();
  emit code_changed();
}

/** Opens or folds sections. The caret and the top line stay if they are still shown. */
void InstructionPanel::change_listing(const std::function<void(InstructionListing&)>& change) {
  if (!state().isEmpty()) return;  // there is no code; the panel shows the reason
  const int caret = listing_.machine_line(view().textCursor().blockNumber());
  const int top = view().verticalScrollBar()->value();
  const int top_line = listing_.machine_line(top);
  change(listing_);
  show_listing();
  if (caret >= 0) view().put_caret(listing_.view_line(static_cast<std::size_t>(caret)));
  view().verticalScrollBar()->setValue(top_line >= 0 ? listing_.view_line(static_cast<std::size_t>(top_line))
                                                     : top);
}

void InstructionPanel::show_listing() {
  set_marked_code(listing_.shown(),
                  tr("%1, %2 lines")
                      .arg(machine_language_name(code_->language),
                           style::format_count(static_cast<std::int64_t>(code_->lines.size()))));
  view().set_linked_lines(view_lines_of(linked_));
  show_shares();
  show_all_->setChecked(listing_.all_open());
}

void InstructionPanel::set_machine_shares(std::vector<double> shares, const QString& meaning) {
  machine_shares_ = std::move(shares);
  meaning_of_shares_ = meaning;
  show_shares();
}

/** Shows the shares at the lines of the view; the line of a folded section has the sum of its lines. */
void InstructionPanel::show_shares() {
  std::vector<double> shares;
  for (std::size_t line = 0; line < machine_shares_.size(); ++line) {
    const int shown = listing_.view_line(line);
    if (shown < 0) continue;
    const auto place = static_cast<std::size_t>(shown);
    if (shares.size() <= place) shares.resize(place + 1);
    shares[place] += machine_shares_[line];
  }
  view().set_line_shares(std::move(shares), meaning_of_shares_);
}

std::vector<int> InstructionPanel::view_lines_of(const std::vector<int>& machine_lines) const {
  std::vector<int> lines;
  for (const int line : machine_lines) lines.push_back(listing_.view_line(static_cast<std::size_t>(line)));
  return lines;
}

void InstructionPanel::set_linked_lines(const std::vector<int>& machine_lines) {
  linked_ = machine_lines;
  view().set_linked_lines(view_lines_of(linked_));
}

void InstructionPanel::set_hinted_lines(const std::vector<int>& machine_lines) {
  view().set_hinted_lines(view_lines_of(machine_lines));
}

bool InstructionPanel::folded(int machine_line) const {
  return listing_.machine_line(listing_.view_line(static_cast<std::size_t>(machine_line))) < 0;
}

void InstructionPanel::reveal_one_of(const std::vector<int>& machine_lines) {
  const machine_code::MachineLoop* hot = code_->hot();
  const auto in_hot_loop = [&](int line) {
    const auto place = static_cast<std::size_t>(line);
    return hot && place >= hot->first_line && place <= hot->last_line && !folded(line);
  };
  auto chosen = std::ranges::find_if(machine_lines, in_hot_loop);
  if (chosen == machine_lines.end())
    chosen = std::ranges::find_if(machine_lines, [this](int line) { return !folded(line); });
  if (chosen == machine_lines.end()) {
    chosen = machine_lines.begin();
    const int section = listing_.section_of(listing_.view_line(static_cast<std::size_t>(*chosen)));
    if (section < 0) return;
    change_listing([section](InstructionListing& listing) {
      listing.set_open(static_cast<std::size_t>(section), true);
    });
  }
  view().put_caret(listing_.view_line(static_cast<std::size_t>(*chosen)));
}

void InstructionPanel::choose(int view_line) {
  const int machine_line = listing_.machine_line(view_line);
  if (machine_line >= 0) return emit machine_lines_chosen(machine_line, machine_line);
  const int section = listing_.section_of(view_line);
  if (section < 0) return;
  const ListingSection& chosen = listing_.sections()[static_cast<std::size_t>(section)];
  emit machine_lines_chosen(static_cast<int>(chosen.first), static_cast<int>(chosen.last));
}

void InstructionPanel::toggle_section(int view_line) {
  const int section = listing_.section_of(view_line);
  if (section < 0) return;
  const auto place = static_cast<std::size_t>(section);
  const bool open = !listing_.sections()[place].open;
  change_listing([place, open](InstructionListing& listing) { listing.set_open(place, open); });
  view().put_caret(view_line);
}

QString InstructionPanel::whole_text() const {
  return code_ ? QString::fromStdString(code_->text()) : QString();
}

void InstructionPanel::prepare_search(const QString& text) {
  if (!code_ || listing_.shows(text)) return;
  change_listing([&text](InstructionListing& listing) { listing.open_those_with(text); });
}

}  // namespace kernelscape::views
