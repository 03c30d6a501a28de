#include "ui/widgets/row_height.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <algorithm>

namespace kernelscape::widgets {
namespace {

class RowHeightKeeper : public QObject {
 public:
  RowHeightKeeper(QTableView& table, int padding, int least)
      : QObject(&table), table_(table), padding_(padding), min_(least) {
    table.installEventFilter(this);
    apply();
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::FontChange) apply();
    return false;
  }

 private:
  void apply() {
    table_.verticalHeader()->setDefaultSectionSize(std::max(min_, table_.fontMetrics().height() + padding_));
  }

  QTableView& table_;
  int padding_;
  int min_;
};

}  // namespace

void keep_row_height(QTableView& table, int padding, int least) {
  new RowHeightKeeper(table, padding, least);  // owned by the table
}

}  // namespace kernelscape::widgets
