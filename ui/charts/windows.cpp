#include "ui/charts/windows.h"

#include <QAbstractTableModel>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

class ChartTableModel : public QAbstractTableModel {
 public:
  ChartTableModel(Table table, QObject* parent) : QAbstractTableModel(parent), table_(std::move(table)) {}

  int rowCount(const QModelIndex& parent) const override {
    return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
  }

  int columnCount(const QModelIndex& parent) const override {
    return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
  }

  QVariant data(const QModelIndex& index, int role) const override {
    const auto& row = table_.rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    if (column >= row.size()) return {};
    const double* number = std::get_if<double>(&row[column]);
    if (role == Qt::TextAlignmentRole && number) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    return number ? style::format_number(*number, 7)
                  : QString::fromStdString(std::get<std::string>(row[column]));
  }

  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (role != Qt::DisplayRole) return {};
    if (orientation == Qt::Vertical) return section + 1;
    return QString::fromStdString(table_.columns[static_cast<std::size_t>(section)]);
  }

 private:
  Table table_;
};

QDialog* open_window(QWidget* content, const QString& title, QWidget* parent) {
  auto* window = new QDialog(parent);
  window->setAttribute(Qt::WA_DeleteOnClose);
  window->setWindowTitle(title);
  auto* layout = new QVBoxLayout(window);
  layout->addWidget(content);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, window);
  QObject::connect(buttons, &QDialogButtonBox::rejected, window, &QDialog::close);
  layout->addWidget(buttons);
  window->show();
  return window;
}

}  // namespace

QDialog* open_table_window(Table table, const QString& title, QWidget* parent) {
  auto* view = new QTableView;
  view->setAccessibleName(QObject::tr("Values of the chart: %1").arg(title));
  view->setModel(new ChartTableModel(std::move(table), view));
  view->setMinimumSize(480, 320);
  QDialog* window = open_window(view, title, parent);
  // Measure only the visible rows: measuring a million rows would take most of a minute.
  view->horizontalHeader()->setResizeContentsPrecision(0);
  view->resizeColumnsToContents();
  return window;
}

QDialog* open_text_window(const QString& text, const QString& title, QWidget* parent) {
  auto* label = new QLabel(text);
  label->setWordWrap(true);
  label->setMinimumWidth(420);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  label->setAccessibleName(QObject::tr("Explanation of the chart: %1").arg(title));
  return open_window(label, title, parent);
}

}  // namespace kernelscape::charts
