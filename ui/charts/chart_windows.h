#pragma once

#include <QString>

#include "ui/charts/chart_table.h"

class QDialog;
class QWidget;

namespace kernelscape {

/** Shows a chart's numbers in a window of their own that blocks nothing and is deleted when closed. */
QDialog* open_table_window(ChartTable table, const QString& title, QWidget* parent);

/** Shows what a chart is, likewise. */
QDialog* open_text_window(const QString& text, const QString& title, QWidget* parent);

}  // namespace kernelscape
