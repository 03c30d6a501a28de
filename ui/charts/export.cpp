#include <fmt/format.h>

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QToolButton>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "core/base/output_file.h"
#include "ui/charts/chart.h"
#include "ui/charts/painter_canvas.h"
#include "ui/charts/svg_canvas.h"
#include "ui/charts/windows.h"
#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"

namespace kernelscape::charts {
namespace {

/** A format of saved charts. To add a format: add its row below and its entry in the menu. */
struct ChartFormat {
  const char* suffix;
  const char* name;
  QByteArray (*render)(Chart& chart);
  /** Returns true if a file that begins with `head` was saved from such a chart. */
  bool (*recognises_own)(std::string_view head, const Table& table);
};

constexpr double provenance_room = 8;  ///< room beside the line below the chart, logical pixels
constexpr const char* software_key = "Software";
constexpr std::string_view software_name = "Kernelscape";

QByteArray render_png(Chart& chart) {
  QImage picture = chart.to_picture_file(2);
  picture.setText(QLatin1String(software_key), QString::fromUtf8(software_name.data(), software_name.size()));
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  picture.save(&buffer, "PNG");
  return bytes;
}

bool is_own_png(std::string_view head, const Table&) {
  std::string made_by(software_key);
  made_by.push_back('\0');
  made_by += software_name;
  return head.starts_with("\x89PNG\r\n\x1a\n") && head.contains(made_by);
}

bool is_own_svg(std::string_view head, const Table&) {
  return head.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=") &&
         head.contains("<style>\ntext { font-family: \"Inter\", \"DejaVu Sans\", sans-serif }\n");
}

/**
 * Returns true if the file is a table with the same columns. Columns can have any names, so other tables are
 * not recognised.
 */
bool is_own_table(std::string_view head, const Table& table) {
  return !table.columns.empty() && head.starts_with(to_csv({table.columns, {}}));
}

const std::array chart_formats{
    ChartFormat{"png", "PNG", render_png, is_own_png},
    ChartFormat{"svg", "SVG", [](Chart& chart) { return chart.to_svg_file(); }, is_own_svg},
    ChartFormat{"csv", "CSV", [](Chart& chart) { return QByteArray::fromStdString(to_csv(chart.table())); },
                is_own_table}};

/** Makes a file name of a title: "best so far over trials" becomes "best-so-far-over-trials". */
QString file_name_of(const QString& title) {
  QString name;
  for (const QChar character : title.toLower()) {
    if (character.isLetterOrNumber()) {
      name.append(character);
    } else if (!name.isEmpty() && !name.endsWith(QLatin1Char('-'))) {
      name.append(QLatin1Char('-'));
    }
  }
  while (name.endsWith(QLatin1Char('-'))) name.chop(1);
  return name.isEmpty() ? QStringLiteral("chart") : name;
}

}  // namespace

QImage Chart::to_image(double pixel_ratio) {
  QImage picture;
  paint_picture(picture, pixel_ratio);
  return picture;
}

void Chart::paint_picture(QImage& picture, double pixel_ratio) {
  const QSize pixels = (QSizeF(size()) * pixel_ratio).toSize().expandedTo({1, 1});
  if (picture.size() != pixels) picture = QImage(pixels, QImage::Format_RGB32);
  picture.setDevicePixelRatio(pixel_ratio);
  QPainter painter(&picture);
  PainterCanvas canvas(painter);
  render_to(canvas, QSizeF(size()));
}

QByteArray Chart::to_svg() {
  SvgCanvas canvas{QSizeF(size()), accessibleName()};
  render_to(canvas, QSizeF(size()));
  return canvas.document();
}

QString Chart::provenance() const {
  for (const QWidget* around = parentWidget(); around != nullptr; around = around->parentWidget()) {
    if (const auto* place = dynamic_cast<const Place*>(around)) return place->provenance();
  }
  return {};
}

QSizeF Chart::file_size() const {
  const double line = provenance().isEmpty() ? 0 : text_height(style::TextSize::Small) + provenance_room;
  return QSizeF(size()) + QSizeF(0, line);
}

void Chart::render_file(Canvas& canvas) {
  const QSizeF whole = file_size();
  canvas.rect(QRectF(QPointF(0, 0), whole), surface_ink());
  render_to(canvas, QSizeF(size()));
  if (whole.height() <= height()) return;
  const double room = whole.width() - 2 * provenance_room;
  canvas.text({provenance_room, (height() + whole.height()) / 2},
              elided(provenance(), style::TextSize::Small, room),
              {.size = style::TextSize::Small, .ink = muted_ink()});
}

QImage Chart::to_picture_file(double pixel_ratio) {
  QImage picture((file_size() * pixel_ratio).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
  picture.setDevicePixelRatio(pixel_ratio);
  QPainter painter(&picture);
  PainterCanvas canvas(painter);
  render_file(canvas);
  return picture;
}

QByteArray Chart::to_svg_file() {
  SvgCanvas canvas{file_size(), accessibleName()};
  render_file(canvas);
  return canvas.document();
}

Status Chart::save(const QString& path, bool force) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  for (const ChartFormat& format : chart_formats) {
    if (suffix != QLatin1String(format.suffix)) continue;
    const QByteArray bytes = format.render(*this);
    const auto recognises_own = [&format, table = table()](std::string_view head) {
      return format.recognises_own(head, table);
    };
    return base::write_output(
        {.path = path.toStdString(),
         .kind = {.name = fmt::format("chart as {}", format.name), .recognises_own = recognises_own},
         .force = force},
        {bytes.constData(), static_cast<std::size_t>(bytes.size())});
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("cannot save the chart as '{}': '{}' is not a supported chart format",
                          path.toStdString(), suffix.toStdString()),
              "use a file name that ends in .png, .svg or .csv");
}

void Chart::copy_to_clipboard() {
  auto* content = new QMimeData;
  content->setImageData(to_picture_file(2));
  content->setData(QStringLiteral("image/svg+xml"), to_svg_file());
  content->setText(QString::fromStdString(to_csv(table())));
  QApplication::clipboard()->setMimeData(content);
  emit notified(tr("Copied \"%1\" as picture, SVG and CSV").arg(title_));
}

void Chart::show_menu() {
  if (menu_) return;
  menu_ = new QMenu(this);
  menu_->setAttribute(Qt::WA_DeleteOnClose);
  extend_menu(*menu_);
  if (!menu_->isEmpty()) menu_->addSeparator();
  add_common_actions(*menu_);
  menu_->popup(menu_button_->mapToGlobal(QPoint(0, menu_button_->height())));
}

void Chart::add_common_actions(QMenu& menu) {
  menu.addAction(tr("Copy"), this, &Chart::copy_to_clipboard);
  menu.addAction(tr("Save as PNG..."), this, [this] { ask_and_save(QStringLiteral("png")); });
  menu.addAction(tr("Save as SVG..."), this, [this] { ask_and_save(QStringLiteral("svg")); });
  menu.addAction(tr("Save as CSV..."), this, [this] { ask_and_save(QStringLiteral("csv")); });
  menu.addAction(tr("Show as table"), this, &Chart::show_table);
  menu.addSeparator();
  menu.addAction(tr("Maximise or restore\tEnter"), this, &Chart::maximise_requested);
  menu.addAction(tr("Explain this chart"), this, &Chart::explain);
}

void Chart::ask_and_save(const QString& suffix) {
  QFileDialog* dialog =
      files::make_file_dialog(this, tr("Save chart"), file_name_of(title_) + QLatin1Char('.') + suffix,
                              tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { save_asking(path); });
  dialog->open();
}

void Chart::save_asking(const QString& path, bool force) {
  const Status saved = save(path, force);
  if (!saved && saved.error().code == ErrorCode::Occupied)
    return files::ask_to_replace(*this, saved.error(), [this, path] { save_asking(path, true); });
  emit notified(saved ? tr("Saved %1").arg(path) : QString::fromStdString(describe(saved.error())));
}

void Chart::show_table() { open_table_window(table(), title_, this); }

QString Chart::full_explanation() const {
  const QString text = explanation();
  return caption_.isEmpty() || text.startsWith(caption_) ? text : caption_ + QStringLiteral("\n\n") + text;
}

void Chart::explain() { open_text_window(full_explanation(), title_, this); }

}  // namespace kernelscape::charts
