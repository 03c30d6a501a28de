#include <fmt/format.h>

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QSaveFile>
#include <QToolButton>
#include <cmath>

#include "ui/charts/chart.h"
#include "ui/charts/chart_windows.h"
#include "ui/charts/painter_canvas.h"
#include "ui/charts/svg_canvas.h"

namespace kernelscape {
namespace {

Status write_file(const QString& path, const QByteArray& bytes) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    return fail(ErrorCode::Environment,
                fmt::format("cannot write '{}': {}", path.toStdString(), file.errorString().toStdString()),
                "choose a folder that exists and that you may write to");
  return {};
}

/** A title as a file name: "best so far over trials" becomes "best-so-far-over-trials". */
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

Status Chart::save(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix == QLatin1String("svg")) return write_file(path, to_svg());
  if (suffix == QLatin1String("csv")) return write_file(path, QByteArray::fromStdString(to_csv(table())));
  if (suffix == QLatin1String("png")) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    to_image(2).save(&buffer, "PNG");
    return write_file(path, bytes);
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("cannot save the chart as '{}': '{}' is no format of charts", path.toStdString(),
                          suffix.toStdString()),
              "let the name end in .png, .svg or .csv");
}

void Chart::copy_to_clipboard() {
  auto* content = new QMimeData;
  content->setImageData(to_image(2));
  content->setData(QStringLiteral("image/svg+xml"), to_svg());
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
  auto* dialog = new QFileDialog(this, tr("Save chart"), file_name_of(title_) + QLatin1Char('.') + suffix,
                                 tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    const Status saved = save(path);
    emit notified(saved ? tr("Saved %1").arg(path) : QString::fromStdString(describe(saved.error())));
  });
  dialog->open();
}

void Chart::show_table() { open_table_window(table(), title_, this); }

void Chart::explain() {
  QString text = explanation();
  if (!caption_.isEmpty() && !text.startsWith(caption_)) text.prepend(caption_ + QStringLiteral("\n\n"));
  open_text_window(text, title_, this);
}

}  // namespace kernelscape
