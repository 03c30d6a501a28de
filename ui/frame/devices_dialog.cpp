#include "ui/frame/devices_dialog.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/device_text.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/flat_header.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::frame {
namespace {

constexpr QSize usual_dialog_size(960, 560);
constexpr int widest_column = 30 * style::grid_pixels;

using Facts = std::vector<std::pair<QString, QString>>;

Facts facts_of(const workspace::MissingPlatform& platform) {
  Facts facts{{DevicesDialog::tr("reason"), QString::fromStdString(platform.problem)}};
  if (!platform.hint.empty())
    facts.emplace_back(DevicesDialog::tr("what to do"), QString::fromStdString(platform.hint));
  return facts;
}

}  // namespace

DevicesDialog::DevicesDialog(workspace::Workspace& workspace, QWidget* parent)
    : QDialog(parent),
      devices_(workspace.devices()),
      table_(new QTableView(this)),
      facts_(new QTableWidget(0, 2, this)),
      state_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text, this)),
      look_(new QPushButton(style::icon(QStringLiteral("refresh")), tr("Search again"), this)) {
  setWindowTitle(tr("Devices"));
  make_widgets();
  connect(look_, &QPushButton::clicked, &devices_, &workspace::Devices::look);
  connect(&devices_, &workspace::Devices::changed, this, &DevicesDialog::show_devices);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &DevicesDialog::show_facts);
  show_devices();
  resize(usual_dialog_size);
}

void DevicesDialog::make_widgets() {
  table_->setModel(&model_);
  table_->setAccessibleName(tr("Devices"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  widgets::make_flat(*table_);
  table_->horizontalHeader()->setStretchLastSection(true);
  facts_->setAccessibleName(tr("Properties of the device"));
  facts_->setHorizontalHeaderLabels({tr("Property"), tr("Value")});
  widgets::make_flat(*facts_);
  facts_->setWordWrap(true);
  facts_->horizontalHeader()->hide();
  facts_->horizontalHeader()->setStretchLastSection(true);
  look_->setAutoDefault(false);
  look_->setAccessibleName(tr("Search for devices again"));
  state_->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* line = new QHBoxLayout;
  line->setSpacing(style::grid_pixels);
  line->addWidget(state_, 1);
  line->addWidget(look_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(2 * style::grid_pixels, 2 * style::grid_pixels, 2 * style::grid_pixels,
                             2 * style::grid_pixels);
  column->setSpacing(style::grid_pixels);
  column->addLayout(line);
  column->addWidget(table_, 2);
  column->addWidget(facts_, 3);
  column->addWidget(buttons);
}

void DevicesDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  devices_.look();
}

void DevicesDialog::show_devices() {
  model_.set_survey(devices_.survey());
  look_->setEnabled(!devices_.looking());
  state_->setText(devices_.looking() ? tr("Searching for devices…")
                                     : tr("Targets of this machine for which kernels can be tuned"));
  table_->resizeColumnsToContents();
  for (int column = 0; column < models::DeviceModel::column_count; ++column)
    table_->setColumnWidth(column, std::min(table_->columnWidth(column) + style::grid_pixels, widest_column));
  if (!table_->currentIndex().isValid() && model_.rowCount() > 0) table_->setCurrentIndex(model_.index(0, 0));
  show_facts();
}

void DevicesDialog::show_facts() {
  const int row = table_->currentIndex().row();
  Facts facts;
  if (const workspace::FoundDevice* device = model_.device(row)) facts = models::device_facts(*device);
  if (const workspace::MissingPlatform* platform = model_.missing(row)) facts = facts_of(*platform);
  facts_->setRowCount(static_cast<int>(facts.size()));
  for (int line = 0; line < facts_->rowCount(); ++line) {
    const auto& [what, how_much] = facts[static_cast<std::size_t>(line)];
    for (const auto& [place, text] : {std::pair(0, what), std::pair(1, how_much)}) {
      auto* item = new QTableWidgetItem(text);
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
      item->setToolTip(text);
      if (place == 0) item->setForeground(style::colours().muted_text);
      facts_->setItem(line, place, item);
    }
  }
  facts_->resizeColumnToContents(0);
  facts_->resizeRowsToContents();
}

}  // namespace kernelscape::frame
