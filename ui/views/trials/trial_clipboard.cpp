#include "ui/views/trials/trial_clipboard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <functional>
#include <optional>

#include "core/base/media/csv.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/configuration_text.h"
#include "ui/workspace/database_option.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr std::size_t max_rows_copied_at_once = 2'000;
constexpr std::size_t max_rows_copied = 100'000;
constexpr std::size_t rows_per_question = 500;

/** Returns the rows as text for a spreadsheet; nullopt if `proceed` cancelled. */
std::optional<QString> table_text(const workspace::Source& source, const std::vector<std::int64_t>& rows,
                                  const std::vector<std::size_t>& columns,
                                  const std::function<bool()>& proceed) {
  std::vector<std::string> cells(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) cells[i] = source->columns().columns()[columns[i]].name;
  base::TsvText text = base::Tsv::row(cells);
  for (std::size_t place = 0; place < rows.size(); ++place) {
    if (proceed && place % rows_per_question == 0 && !proceed()) return std::nullopt;
    for (std::size_t i = 0; i < columns.size(); ++i)
      cells[i] = source->columns().text(source->trials, rows[place], columns[i]);
    text += base::Tsv::row(cells);
  }
  return QString::fromStdString(text.text());
}

}  // namespace

TrialClipboard::TrialClipboard(workspace::Workspace& workspace, models::TrialTableModel& model,
                               const TrialSelection& selection, QObject* parent)
    : QObject(parent), workspace_(workspace), model_(model), selection_(selection) {}

void TrialClipboard::copy_configuration(std::int64_t row) {
  const workspace::Source& source = model_.source();
  copy_text(QString::fromStdString(source->space().configuration_to_json(source->trials.configuration(row))),
            tr("The configuration was copied as JSON."));
}

void TrialClipboard::copy_command_line(std::int64_t row) {
  const Result<std::string> text = command_line_of_trial(*model_.source(), row);
  if (!text) return workspace_.notices().fail(text.error());
  copy_text(QString::fromStdString(*text + workspace::database_option(workspace_.database())),
            tr("The command line was copied."));
}

void TrialClipboard::copy_text(const QString& text, const QString& reported) {
  QGuiApplication::clipboard()->setText(text);
  emit notified(reported);
}

std::vector<std::int64_t> TrialClipboard::rows_to_copy() const {
  const analysis::RowSet selection = selection_.rows();
  std::vector<std::int64_t> rows;
  if (selection.none()) {
    if (model_.position_of(workspace_.current_row()) >= 0) rows.push_back(workspace_.current_row());
    return rows;
  }
  for (const std::uint32_t row : model_.rows())
    if (selection.test(row)) rows.push_back(row);
  return rows;
}

void TrialClipboard::copy_rows(const QStringList& names) {
  std::vector<std::int64_t> rows = rows_to_copy();
  if (rows.empty()) return;
  if (rows.size() > max_rows_copied) {
    workspace_.notices().warn(tr("%1 trials are too many for the clipboard.")
                                  .arg(style::format_count(static_cast<std::int64_t>(rows.size()))),
                              tr("export the shown trials to a file, or select at most %1")
                                  .arg(style::format_count(max_rows_copied)));
    return;
  }
  std::vector<std::size_t> columns;
  for (const QString& name : names) columns.push_back(*model_.source()->columns().find(name.toStdString()));
  const auto count = static_cast<std::int64_t>(rows.size());
  const QString reported =
      count == 1 ? tr("1 trial was copied.") : tr("%1 trials were copied.").arg(style::format_count(count));
  if (rows.size() <= max_rows_copied_at_once) {
    copy_text(*table_text(model_.source(), rows, columns, {}), reported);
    return;
  }
  job_.start(
      [source = model_.source(), rows = std::move(rows), columns](const workspace::JobControl& control) {
        return table_text(source, rows, columns, [&control] { return control.proceed(); });
      },
      [this, reported](const std::optional<QString>& text) {
        if (text) copy_text(*text, reported);
      });
}

}  // namespace kernelscape::views
