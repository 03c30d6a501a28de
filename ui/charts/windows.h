#pragma once

#include <QString>

#include "ui/charts/table.h"

class QDialog;
class QWidget;

namespace kernelscape::charts {

/** Shows a chart's numbers in a non-modal window, which is deleted when it is closed. */
QDialog* open_table_window(Table table, const QString& title, QWidget* parent);

/** Shows a chart's explanation in a non-modal window, which is deleted when it is closed. */
QDialog* open_text_window(const QString& text, const QString& title, QWidget* parent);

}  // namespace kernelscape::charts
