#include "ui/frame/table_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/visible_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/flat_header.h"
#include "ui/widgets/themed_label.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::frame {
namespace {

using exchange::ColumnRole;

constexpr QSize usual_table_size(880, 520);
constexpr int widest_table_column = 24 * style::grid_pixels;
constexpr int shown_table_rows = 20;

QString role_name(ColumnRole role) {
  switch (role) {
    case ColumnRole::Parameter:
      return TableDialog::tr("Parameter");
    case ColumnRole::Objective:
      return TableDialog::tr("Objective");
    case ColumnRole::Status:
      return TableDialog::tr("Failure");
    case ColumnRole::Number:
      return TableDialog::tr("Metric");
    case ColumnRole::Ignored:
      return TableDialog::tr("Ignored");
  }
  return {};
}

QString shown_text(const std::string& text) { return QString::fromStdString(base::one_line(text)); }

}  // namespace

TableDialog::TableDialog(const QString& path, exchange::TablePreview preview, QWidget* parent)
    : QDialog(parent),
      preview_(std::move(preview)),
      table_(new QTableWidget(this)),
      unit_(new QComboBox(this)),
      direction_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text, this)),
      failed_when_(new QLineEdit(this)),
      message_(new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text, this)),
      import_(new QPushButton(tr("Import"), this)) {
  const QString file = QFileInfo(path).fileName();
  setWindowTitle(tr("Import table %1").arg(file));
  auto* text = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text, this);
  text->setTextFormat(Qt::PlainText);
  text->setText(
      tr("What the columns of %1 are was guessed from their names and first values. Check it; nothing "
         "is stored before you import the table.")
          .arg(file));
  fill_table(exchange::suggested_roles(preview_.names, preview_.rows, preview_.decimal_comma));
  make_fields();
  message_->setTextFormat(Qt::PlainText);
  auto* unit_line = new QHBoxLayout;
  unit_line->addWidget(unit_);
  unit_line->addWidget(direction_, 1);
  auto* form = new QFormLayout;
  form->setSpacing(style::grid_pixels);
  form->addRow(tr("&Unit of the objective"), unit_line);
  form->addRow(tr("&Failed when"), failed_when_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->addButton(import_, QDialogButtonBox::AcceptRole);
  import_->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(2 * style::grid_pixels, 2 * style::grid_pixels, 2 * style::grid_pixels,
                             2 * style::grid_pixels);
  column->setSpacing(style::grid_pixels);
  column->addWidget(text);
  column->addWidget(table_, 1);
  column->addLayout(form);
  column->addWidget(message_);
  column->addWidget(buttons);
  resize(usual_table_size);
  update_message();
}

void TableDialog::fill_table(const std::vector<ColumnRole>& suggested) {
  const int rows = std::min(static_cast<int>(preview_.rows.size()), shown_table_rows);
  table_->setAccessibleName(tr("First rows of the table"));
  table_->setRowCount(rows + 1);
  table_->setColumnCount(static_cast<int>(preview_.names.size()));
  widgets::make_flat(*table_);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  QStringList heads;
  for (std::size_t column = 0; column < preview_.names.size(); ++column) {
    heads.append(shown_text(preview_.names[column]));
    roles_.push_back(make_role_box(column, suggested[column]));
    table_->setCellWidget(0, static_cast<int>(column), roles_.back());
    for (int row = 0; row < rows; ++row) {
      auto* item = new QTableWidgetItem(shown_text(preview_.rows[static_cast<std::size_t>(row)][column]));
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
      table_->setItem(row + 1, static_cast<int>(column), item);
    }
  }
  table_->setHorizontalHeaderLabels(heads);
  table_->resizeRowToContents(0);
  table_->resizeColumnsToContents();
  for (int column = 0; column < table_->columnCount(); ++column) {
    const int role_width = roles_[static_cast<std::size_t>(column)]->sizeHint().width();
    table_->setColumnWidth(column, std::clamp(table_->columnWidth(column), role_width,
                                              std::max(role_width, widest_table_column)));
  }
}

QComboBox* TableDialog::make_role_box(std::size_t column, ColumnRole suggested) {
  auto* box = new QComboBox;
  box->setAccessibleName(tr("Role of the column %1").arg(shown_text(preview_.names[column])));
  for (const ColumnRole role :
       {ColumnRole::Parameter, ColumnRole::Objective, ColumnRole::Number, ColumnRole::Ignored})
    box->addItem(role_name(role), static_cast<int>(role));
  // Other columns say whether a row failed by the conditions below the table.
  if (suggested == ColumnRole::Status)
    box->addItem(role_name(ColumnRole::Status), static_cast<int>(ColumnRole::Status));
  box->setCurrentIndex(box->findData(static_cast<int>(suggested)));
  connect(box, &QComboBox::currentIndexChanged, this, [this, column] { role_chosen(column); });
  return box;
}

void TableDialog::make_fields() {
  unit_->setAccessibleName(tr("Unit of the objective"));
  unit_->setEditable(true);
  unit_->addItems({QStringLiteral("s"), QStringLiteral("ms"), QStringLiteral("us"), QStringLiteral("ns"),
                   QStringLiteral("GFLOPS"), QStringLiteral("GB/s"), QStringLiteral("it/s"),
                   QStringLiteral("none")});
  unit_->setCurrentIndex(-1);
  unit_->setToolTip(
      tr("Of rates such as GFLOPS, GB/s and it/s more is better, of all others less. \"none\" takes "
         "the numbers as they are."));
  failed_when_->setAccessibleName(tr("Conditions of failed rows"));
  failed_when_->setPlaceholderText(tr("status!=ok; time_ms>=1000"));
  failed_when_->setToolTip(
      tr("Rows for which one of these comparisons holds failed; separate several by semicolons. Rows whose "
         "objective is no positive number have failed as well."));
  const auto state_unit = [this] {
    unit_stated_ = true;
    update_message();
  };
  connect(unit_, &QComboBox::activated, this, state_unit);
  connect(unit_->lineEdit(), &QLineEdit::textEdited, this, state_unit);
  connect(failed_when_, &QLineEdit::textChanged, this, &TableDialog::update_message);
}

ColumnRole TableDialog::role(std::size_t column) const {
  return static_cast<ColumnRole>(roles_[column]->currentData().toInt());
}

void TableDialog::set_role(std::size_t column, ColumnRole role) {
  roles_[column]->setCurrentIndex(roles_[column]->findData(static_cast<int>(role)));
}

/** Lets only one column be the objective. */
void TableDialog::role_chosen(std::size_t column) {
  if (role(column) == ColumnRole::Objective) {
    for (std::size_t other = 0; other < roles_.size(); ++other) {
      if (other == column || role(other) != ColumnRole::Objective) continue;
      const QSignalBlocker quiet(roles_[other]);
      set_role(other, ColumnRole::Number);
    }
  }
  update_message();
}

exchange::TableOptions TableDialog::options() const {
  exchange::TableOptions options;
  for (std::size_t column = 0; column < roles_.size(); ++column) {
    const std::string& name = preview_.names[column];
    if (role(column) == ColumnRole::Parameter) options.parameters.push_back(name);
    if (role(column) == ColumnRole::Objective) options.objective = name;
    if (role(column) == ColumnRole::Number) options.metrics.push_back(name);
    if (role(column) == ColumnRole::Ignored) options.ignored.push_back(name);
  }
  if (unit_stated_) options.unit = unit_->currentText().trimmed().toStdString();
  for (const QString& condition : failed_when_->text().split(QLatin1Char(';')))
    if (!condition.trimmed().isEmpty()) options.failed_when.push_back(condition.trimmed().toStdString());
  return options;
}

QString TableDialog::message() const { return message_->text(); }

Result<exchange::TableColumns> TableDialog::columns() const {
  const exchange::TableOptions stated = options();
  if (stated.objective.empty())
    return fail(ErrorCode::InvalidArgument,
                tr("No column is the objective. Choose the column that ranks.").toStdString());
  if (stated.parameters.empty())
    return fail(ErrorCode::InvalidArgument,
                tr("No column is a parameter. Choose those that form a configuration.").toStdString());
  return exchange::table_columns(preview_.names, preview_.rows, stated, preview_.decimal_comma);
}

/** Shows what the table would be read as, with the same function that the import uses. */
void TableDialog::update_message() {
  const Result<exchange::TableColumns> read = columns();
  import_->setEnabled(read.has_value());
  message_->set_colour(read ? &style::Colours::text : &style::Colours::warning);
  if (!unit_stated_) unit_->setEditText(read ? QString::fromStdString(read->unit.name) : QString());
  const bool higher = read && read->unit.is_rate;
  direction_->setText(!read ? QString() : higher ? tr("higher is better") : tr("lower is better"));
  const std::string text = read ? exchange::columns_notice(*read) : read.error().message;
  message_->setText(QString::fromStdString(text) + ignored_failures());
}

/** Returns a sentence about columns whose role has no effect, because conditions replace it. */
QString TableDialog::ignored_failures() const {
  QStringList ignored;
  for (std::size_t column = 0; column < roles_.size(); ++column)
    if (role(column) == ColumnRole::Status) ignored.append(shown_text(preview_.names[column]));
  if (ignored.empty() || options().failed_when.empty()) return {};
  return tr("\n\"Failed when\" alone says which rows failed: the role \"%1\" of %2 has no effect. Add a "
            "condition of it, such as %3!=ok.")
      .arg(role_name(ColumnRole::Status), ignored.join(QStringLiteral(", ")), ignored.front());
}

}  // namespace kernelscape::frame
