#include <QBuffer>
#include <algorithm>

#include "ui/report/paper.h"
#include "ui/report/paper_table.h"
#include "ui/report/writers.h"
#include "ui/style/theme.h"

namespace kernelscape::report {
namespace {

constexpr double smallest_share = 0.6;  ///< of a figure's height, to fit on the rest of a page
constexpr double text_pixels = 11.5;
constexpr double small_pixels = 10;
constexpr double block_gap = 8;
constexpr double section_gap = 18;
/** Code is not typed from paper: longer code is cut, and can be copied from the web page. */
constexpr qsizetype max_code_lines = 24;

QStringList printable_row(const QStringList& row) {
  QStringList shown;
  for (const QString& cell : row) shown.append(printable_text(cell));
  return shown;
}

/** Returns the table with texts that are safe to print. */
Table printable_table(const Table& table) {
  Table shown{printable_text(table.caption), table.columns, {}};
  for (Column& column : shown.columns) column.title = printable_text(column.title);
  for (const QStringList& row : table.rows) shown.rows.push_back(printable_row(row));
  return shown;
}

class PdfBlocks {
 public:
  PdfBlocks(Paper& paper, const Document& document) : paper_(paper) {
    paper_.write(printable_text(document.title), PaperFont(20, true), theme_.text);
    if (!document.subtitle.isEmpty())
      paper_.write(printable_text(document.subtitle), PaperFont(small_pixels), theme_.muted_text);
    const std::vector<Block>& blocks = document.blocks;
    for (std::size_t index = 0; index < blocks.size(); ++index) {
      // A heading stays together with the beginning of its section.
      if (std::holds_alternative<Heading>(blocks[index])) paper_.need(height_from(blocks, index));
      const auto* figure = std::get_if<figures::Figure>(&blocks[index]);
      if (figure == nullptr || !is_half_wide(*figure)) end_half();
      std::visit([this](const auto& content) { write(content); }, blocks[index]);
    }
    end_half();
  }

 private:
  double height_from(const std::vector<Block>& blocks, std::size_t index) const {
    double height = 0;
    for (; index < blocks.size(); ++index) {
      if (const auto* figure = std::get_if<figures::Figure>(&blocks[index]))
        return height + block_gap + caption_height(*figure) +
               figure->size.height() * scale_of(*figure) * (is_half_wide(*figure) ? 1 : smallest_share);
      if (!std::holds_alternative<Heading>(blocks[index])) break;
      height += section_gap + 36;
    }
    return height + 80;
  }

  double caption_height(const figures::Figure& figure) const {
    if (figure.text.caption.isEmpty() || is_half_wide(figure)) return 0;
    const PaperFont font(small_pixels);
    const auto lines = font.lines(printable_text(figure.text.caption), paper_.width()).size();
    return static_cast<double>(lines) * font.line_height();
  }

  double scale_of(const figures::Figure& figure) const {
    const double room = is_half_wide(figure) ? half_width() : paper_.width();
    return std::min({1.0, room / figure.size.width(), paper_.height() / figure.size.height()});
  }

  double half_width() const { return (paper_.width() - 2 * block_gap) / 2; }

  /** Moves below a left figure that has no figure beside it. */
  void end_half() {
    if (half_height_ > 0) paper_.advance(half_height_ + block_gap);
    half_height_ = 0;
  }

  void draw_figure(const figures::Figure& figure, double x, double scale) {
    const std::unique_ptr<charts::Chart> chart = figure.make();
    chart->resize(figure.size);
    paper_.draw(x, scale, [&](QPainter& painter) {
      PaperCanvas canvas(painter);
      chart->render_to(canvas, QSizeF(figure.size));
    });
  }

  /** Draws a figure at the left, or at the right of the previous one. */
  void write_half(const figures::Figure& figure) {
    const double scale = scale_of(figure);
    const double height = figure.size.height() * scale;
    if (half_height_ > 0) {
      draw_figure(figure, half_width() + 2 * block_gap, scale);
      half_height_ = std::max(half_height_, height);
      end_half();
      return;
    }
    paper_.need(height);
    draw_figure(figure, 0, scale);
    half_height_ = height;
  }

  void write(const Heading& heading) {
    const bool section = heading.level <= 2;
    paper_.skip(section ? section_gap : section_gap / 2);
    if (section && !paper_.at_top()) {
      paper_.draw_line(0, paper_.y(), paper_.width(), theme_.hairline);
      paper_.advance(block_gap);
    }
    paper_.write(printable_text(heading.text), PaperFont(section ? 15 : 12, true), theme_.text);
    paper_.advance(3);
  }

  void write(const Paragraph& paragraph) {
    const bool muted = paragraph.tone == Tone::Muted;
    const PaperFont font(muted ? small_pixels : text_pixels);
    const QString text = printable_text(paragraph.text);
    paper_.skip(block_gap / 2);
    if (paragraph.tone == Tone::Notice) {
      constexpr double indent = 12;
      const auto lines = static_cast<double>(font.lines(text, paper_.width() - indent).size());
      paper_.need(std::min(paper_.height(), lines * font.line_height()));
      paper_.draw_bar(0, paper_.y(), 2, std::min(paper_.room(), lines * font.line_height()), theme_.warning);
      paper_.write(text, font, theme_.text, indent);
    } else {
      paper_.write(text, font, muted ? theme_.muted_text : theme_.text);
    }
    paper_.advance(block_gap / 2);
  }

  void write(const Headline& headline) {
    paper_.skip(block_gap);
    paper_.need(90);
    paper_.write(printable_text(headline.number), PaperFont(26, true), theme_.accent);
    const PaperFont font(text_pixels);
    if (!headline.spread.isEmpty()) paper_.write(printable_text(headline.spread), font, theme_.text);
    if (!headline.facts.isEmpty())
      paper_.write(printable_text(headline.facts.join(QStringLiteral("  ·  "))), font, theme_.text);
    paper_.advance(block_gap);
  }

  void write(const Facts& facts) {
    const PaperFont font(small_pixels);
    double names = 0;
    for (const auto& [name, value] : facts.facts) names = std::max(names, font.width(printable_text(name)));
    names = std::min(names, paper_.width() / 3) + 2 * block_gap;
    paper_.skip(block_gap / 2);
    for (const auto& [name, value] : facts.facts) {
      const QString text = printable_text(value);
      const auto lines = static_cast<double>(font.lines(text, paper_.width() - names).size());
      paper_.need(std::min(4.0, lines) * font.line_height());
      paper_.draw_text(0, paper_.y(), font.lines(printable_text(name), names - block_gap).constFirst(), font,
                       theme_.muted_text);
      paper_.write(text, font, theme_.text, names);
      paper_.advance(2);
    }
    paper_.advance(block_gap);
  }

  void write(const Table& table) {
    const Table shown = printable_table(table);
    paper_.skip(block_gap / 2);
    if (!shown.caption.isEmpty()) {
      paper_.need(80);
      paper_.write(shown.caption, PaperFont(small_pixels), theme_.muted_text);
      paper_.advance(2);
    }
    write_table(paper_, shown);
    paper_.advance(block_gap);
  }

  void write(const figures::Figure& figure) {
    if (is_half_wide(figure)) return write_half(figure);
    const double caption = caption_height(figure);
    const double full_height = figure.size.height() * scale_of(figure);
    paper_.skip(block_gap);
    // A figure that is a little too high for the page becomes smaller instead of leaving the page half empty.
    const double room = paper_.room() - caption;
    const double height = room >= smallest_share * full_height ? std::min(full_height, room) : full_height;
    paper_.need(std::min(paper_.height(), height + caption));
    draw_figure(figure, 0, scale_of(figure) * height / full_height);
    paper_.advance(height);
    if (caption > 0)
      paper_.write(printable_text(figure.text.caption), PaperFont(small_pixels), theme_.muted_text);
    paper_.advance(block_gap);
  }

  void write(const Code& code) {
    paper_.skip(block_gap / 2);
    QStringList lines = printable_text(code.text).split(u'\n');
    const qsizetype left_out = lines.size() - max_code_lines;
    if (left_out > 1) lines = lines.first(max_code_lines);
    paper_.write(lines.join(u'\n'), PaperFont(9, false, PaperFont::Family::Code), theme_.text, block_gap);
    if (left_out > 1)
      paper_.write(
          QStringLiteral("%1 more lines are in the web page version of this report (.html).").arg(left_out),
          PaperFont(small_pixels), theme_.muted_text, block_gap);
    paper_.advance(block_gap);
  }

  Paper& paper_;
  const style::Colours& theme_ = style::light_colours();
  double half_height_ = 0;  ///< height of a left figure that waits for a right one; 0: none
};

}  // namespace

Result<QByteArray> to_pdf(const Document& document) {
  const style::ColoursScope scope(style::light_colours());
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    Paper paper(buffer, printable_text(document.title).simplified());
    if (!paper.begun())
      return fail(ErrorCode::Internal, "the report cannot be rendered as PDF",
                  "write it as HTML, and print it from a browser");
    PdfBlocks(paper, document);
    paper.end();
  }
  return bytes;
}

}  // namespace kernelscape::report
