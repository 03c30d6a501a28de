#include "ui/views/trials/trial_table_panel.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/kernel_pair_window.h"
#include "ui/views/trials/trial_export.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int min_table_height = 48;

}  // namespace

TrialTablePanel::TrialTablePanel(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  filter_bar_ = new FilterBar(workspace);
  view_ = new TrialTableView(workspace);
  view_->setMinimumHeight(min_table_height);
  follow_ = make_button(QStringLiteral("follow"), tr("Follow"), tr("Stay at the newest trials (F)"));
  follow_->setCheckable(true);
  QToolButton* columns = make_button(QStringLiteral("columns"), tr("Columns"), tr("Choose columns"));
  QToolButton* save =
      make_button(QStringLiteral("export"), tr("Export"), tr("Export the shown trials as CSV or JSON"));

  line_ = new QHBoxLayout;
  line_->setContentsMargins(8, 4, 8, 4);
  line_->setSpacing(8);
  line_->addWidget(filter_bar_, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(0);
  for (QToolButton* button : {follow_, columns, save}) buttons->addWidget(button, 0, Qt::AlignTop);
  line_->addLayout(buttons);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addLayout(line_);
  all->addWidget(view_, 1);

  connect(follow_, &QToolButton::toggled, view_, &TrialTableView::set_following);
  connect(view_, &TrialTableView::following_changed, follow_, &QToolButton::setChecked);
  connect(columns, &QToolButton::clicked, this, [this, columns] {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    view_->fill_column_menu(*menu);
    menu->popup(columns->mapToGlobal(QPoint(0, columns->height())));
  });
  connect(save, &QToolButton::clicked, this, &TrialTablePanel::export_shown);
  connect(view_, &TrialTableView::visible_columns_changed, this, &TrialTablePanel::visible_columns_changed);
  connect(view_, &TrialTableView::measure_requested, this, &TrialTablePanel::measure_requested);
  connect(view_, &TrialTableView::pair_requested, this, [this](qint64 row_a, qint64 row_b) {
    const KernelPairWindow* pair =
        KernelPairWindow::open(workspace_, view_->trials().source(), row_a, row_b, window());
    connect(pair, &KernelPairWindow::notified, this, &TrialTablePanel::notified);
  });
  connect(view_, &TrialTableView::notified, this, &TrialTablePanel::notified);
}

QToolButton* TrialTablePanel::make_button(const QString& icon_name, const QString& name,
                                          const QString& help) {
  auto* button = new QToolButton;
  button->setIcon(style::icon(icon_name));
  button->setAutoRaise(true);
  button->setFixedSize(28, 28);
  button->setAccessibleName(name);
  button->setToolTip(help);
  return button;
}

void TrialTablePanel::show_selection() {
  filter_bar_->hide();
  view_->set_measurable(false);
  auto* only_selected = new QCheckBox(tr("Only selected trials"));
  only_selected->setToolTip(
      tr("Shows all trials that pass the filters while none is selected. Trials that are selected or "
         "deselected in the table keep the rows until the selection changes elsewhere."));
  line_->insertWidget(0, only_selected, 1);
  connect(only_selected, &QCheckBox::toggled, &view_->trials(), &models::TrialTableModel::set_only_selected);
  only_selected->setChecked(true);
}

QStringList TrialTablePanel::visible_columns() const { return view_->visible_columns(); }

void TrialTablePanel::set_visible_columns(const QStringList& names) { view_->set_visible_columns(names); }

void TrialTablePanel::export_shown() {
  if (!view_->trials().source() || view_->trials().rowCount() == 0) {
    emit notified(tr("There are no trials to export."));
    return;
  }
  QFileDialog* dialog = files::make_file_dialog(
      this, tr("Export %1 trials").arg(style::format_count(view_->trials().rowCount())));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilters({tr("CSV (*.csv)"), tr("JSON (*.json)")});
  dialog->setDefaultSuffix(QStringLiteral("csv"));
  connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
    dialog->setDefaultSuffix(filter.contains(QLatin1String("json")) ? QStringLiteral("json")
                                                                    : QStringLiteral("csv"));
  });
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](const QString& path) { write_export(path, false); });
  dialog->open();
}

void TrialTablePanel::write_export(const QString& path, bool force) {
  TrialExport what{view_->trials().source(), {}, {}, path.toStdString(), force};
  what.rows.assign(view_->trials().rows().begin(), view_->trials().rows().end());
  for (const QString& name : visible_columns()) what.columns.push_back(name.toStdString());
  const auto count = static_cast<std::int64_t>(what.rows.size());
  export_job_.start(
      [what = std::move(what)](const workspace::JobControl& control) {
        return export_trials(what, [&control] { return control.proceed(); });
      },
      [this, path, count](const Result<bool>& written) {
        if (!written && written.error().code == ErrorCode::Occupied) {
          files::ask_to_replace(*this, written.error(), [this, path] { write_export(path, true); });
        } else if (!written) {
          workspace_.notices().fail(written.error());
        } else if (*written) {
          emit notified(tr("%1 trials were written to %2.").arg(style::format_count(count), path));
        }
      });
}

}  // namespace kernelscape::views
