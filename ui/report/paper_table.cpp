#include "ui/report/paper_table.h"

#include <algorithm>
#include <numeric>

namespace kernelscape::report {
namespace {

constexpr double gap = 12;
constexpr double cell_padding = 2;
constexpr double widest_font = 10;
constexpr double narrowest_font = 6;
/** Maximum number of characters that are examined to determine the width of a text. */
constexpr qsizetype looked_at = 400;

class TableWriter {
 public:
  TableWriter(Paper& paper, const Table& table, double font_pixels)
      : paper_(paper),
        table_(table),
        text_(font_pixels),
        code_(font_pixels, false, PaperFont::Family::Code),
        widths_(table.columns.size()) {
    find_widths();
  }

  /** Returns true if every word fits on one line. */
  bool fits() const { return fits_; }

  void write() {
    const double head = write_head_height();
    paper_.need(head + 3 * text_.line_height());
    write_head();
    for (const QStringList& row : table_.rows) write_row(row);
  }

 private:
  const PaperFont& font_of_column(std::size_t column) const {
    return table_.columns[column].code ? code_ : text_;
  }

  /**
   * Determines the preferred widths of columns: the widths of their longest line and of their longest word.
   */
  void find_widths() {
    std::vector<double> whole(widths_.size());
    std::vector<double> word(widths_.size());
    for (std::size_t column = 0; column < widths_.size(); ++column) {
      const auto look_at = [&](const QString& text, const PaperFont& font) {
        const QString part = text.left(looked_at);
        for (const QString& line : part.split(QLatin1Char('\n')))
          whole[column] = std::max(whole[column], font.width(line));
        if (table_.columns[column].numeric) return;
        for (const QString& one : part.split(QLatin1Char(' ')))
          word[column] = std::max(word[column], font.width(one.section(QLatin1Char('\n'), 0, 0)));
      };
      for (const QStringList& row : table_.rows)
        look_at(row.value(static_cast<qsizetype>(column)), font_of_column(column));
      if (table_.columns[column].numeric) word[column] = whole[column];
      for (const QString& one : table_.columns[column].title.split(QLatin1Char(' ')))
        word[column] = std::max(word[column], text_.width(one));
      look_at(table_.columns[column].title, text_);
      // A long word, such as a path, is broken rather than narrowing the other columns.
      word[column] = std::min(word[column], paper_.width() / 3);
    }
    share_room(whole, word);
  }

  /**
   * Every column gets its preferred width; if that is too wide, the room beyond the longest words is divided
   * in proportion to the additional preferred widths.
   */
  void share_room(const std::vector<double>& whole, const std::vector<double>& word) {
    const double room = paper_.width() - gap * static_cast<double>(widths_.size() - 1);
    const double wanted = std::accumulate(whole.begin(), whole.end(), 0.0);
    const double needed = std::accumulate(word.begin(), word.end(), 0.0);
    fits_ = needed <= room;
    if (wanted <= room) {
      widths_ = whole;
      return;
    }
    const double spare = std::max(0.0, room - needed);
    const double shrink = needed > room ? room / needed : 1;
    for (std::size_t column = 0; column < widths_.size(); ++column) {
      const double beyond = std::max(0.0, whole[column] - word[column]) / std::max(1.0, wanted - needed);
      widths_[column] = word[column] * shrink + spare * std::min(1.0, beyond);
    }
  }

  std::vector<QStringList> title_lines() const {
    std::vector<QStringList> lines;
    for (std::size_t column = 0; column < widths_.size(); ++column)
      lines.push_back(text_.lines(table_.columns[column].title, widths_[column] + 0.5));
    return lines;
  }

  static qsizetype max_lines(const std::vector<QStringList>& cells) {
    qsizetype most = 1;
    for (const QStringList& cell : cells) most = std::max(most, cell.size());
    return most;
  }

  double write_head_height() const {
    return static_cast<double>(max_lines(title_lines())) * text_.line_height() + 2 * cell_padding;
  }

  void write_head() {
    write_lines(title_lines(), style::light_colours().muted_text, 0, max_lines(title_lines()), false);
    end_row();
  }

  void end_row() {
    paper_.advance(cell_padding);
    const double width = std::accumulate(widths_.begin(), widths_.end(), 0.0);
    paper_.draw_line(0, paper_.y(), width + gap * static_cast<double>(widths_.size() - 1),
                     style::light_colours().hairline);
    paper_.advance(cell_padding);
  }

  void write_row(const QStringList& row) {
    std::vector<QStringList> cells;
    for (std::size_t column = 0; column < widths_.size(); ++column)
      cells.push_back(
          font_of_column(column).lines(row.value(static_cast<qsizetype>(column)), widths_[column] + 0.5));
    const qsizetype all = max_lines(cells);
    const double line_height = text_.line_height();
    const double height = static_cast<double>(all) * line_height + 2 * cell_padding;
    const bool whole = height <= paper_.height() - write_head_height();
    if (paper_.room() < (whole ? height : 4 * line_height)) next_page();
    for (qsizetype first = 0; first < all;) {
      const auto fitting =
          std::max<qsizetype>(1, static_cast<qsizetype>((paper_.room() - 2 * cell_padding) / line_height));
      const qsizetype last = std::min(all, first + fitting);
      write_lines(cells, style::light_colours().text, first, last, true);
      first = last;
      if (first < all) next_page();
    }
    end_row();
  }

  void next_page() {
    paper_.new_page();
    write_head();
  }

  /** Writes the lines of a row. @param is_code false: the head, which is text in every column */
  void write_lines(const std::vector<QStringList>& cells, const QColor& colour, qsizetype first,
                   qsizetype last, bool is_code) {
    double x = 0;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const bool code = is_code && table_.columns[column].code;
      const PaperFont& font = code ? code_ : text_;
      double y = paper_.y();
      for (qsizetype line = first; line < std::min(last, cells[column].size()); ++line) {
        const QString text = cells[column][line].trimmed();
        const double left = table_.columns[column].numeric ? x + widths_[column] - font.width(text) : x;
        paper_.draw_text(left, y, code ? cells[column][line] : text, font, colour);
        y += text_.line_height();
      }
      x += widths_[column] + gap;
    }
    paper_.advance(static_cast<double>(last - first) * text_.line_height());
  }

  Paper& paper_;
  const Table& table_;
  PaperFont text_;
  PaperFont code_;
  std::vector<double> widths_;
  bool fits_ = true;
};

}  // namespace

void write_table(Paper& paper, const Table& table) {
  if (table.columns.empty()) return;
  double pixels = widest_font;
  while (pixels > narrowest_font && !TableWriter(paper, table, pixels).fits()) pixels -= 1;
  TableWriter(paper, table, pixels).write();
}

}  // namespace kernelscape::report
