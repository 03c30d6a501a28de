#include "ui/charts/chart_file.h"

#include <fmt/format.h>

#include <QBuffer>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <array>
#include <string>
#include <string_view>

#include "core/base/output_file.h"
#include "ui/charts/chart.h"
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

/** Saves the chart, and asks before it replaces another kind of file. */
void save_asking(Chart& chart, const QString& path, bool force = false) {
  const Status written = save_chart(chart, path, force);
  if (!written && written.error().code == ErrorCode::Occupied)
    return files::ask_to_replace(chart, written.error(), [&chart, path] { save_asking(chart, path, true); });
  emit chart.notified(written ? Chart::tr("Saved %1").arg(path)
                              : QString::fromStdString(describe(written.error())));
}

}  // namespace

Status save_chart(Chart& chart, const QString& path, bool force) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  for (const ChartFormat& format : chart_formats) {
    if (suffix != QLatin1String(format.suffix)) continue;
    const QByteArray bytes = format.render(chart);
    const auto recognises_own = [&format, table = chart.table()](std::string_view head) {
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

void ask_and_save_chart(Chart& chart, const QString& suffix) {
  QFileDialog* dialog = files::make_file_dialog(&chart, Chart::tr("Save chart"),
                                                file_name_of(chart.title()) + QLatin1Char('.') + suffix,
                                                Chart::tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  QObject::connect(dialog, &QFileDialog::fileSelected, &chart,
                   [&chart](const QString& path) { save_asking(chart, path); });
  dialog->open();
}

}  // namespace kernelscape::charts
