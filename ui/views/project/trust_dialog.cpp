#include "ui/views/project/trust_dialog.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTabWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "core/base/visible_text.h"
#include "core/project/trust.h"
#include "core/project/trusted_version.h"
#include "ui/style/theme.h"
#include "ui/widgets/code_view.h"
#include "ui/widgets/themed_label.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

constexpr QSize dialog_size(840, 640);

QString line_of(std::string_view text) { return QString::fromStdString(base::one_line(text)); }

QTreeWidget* make_facts(const std::vector<ProjectFacts>& all_facts) {
  auto* tree = new QTreeWidget;
  tree->setHeaderLabels({TrustDialog::tr("Item"), TrustDialog::tr("Details")});
  tree->setAccessibleName(TrustDialog::tr("What would be compiled and run"));
  tree->setRootIsDecorated(false);
  tree->setUniformRowHeights(true);
  tree->setFrameShape(QFrame::NoFrame);
  for (const ProjectFacts& facts : all_facts) {
    auto* group = new QTreeWidgetItem(tree, {facts.title});
    group->setFirstColumnSpanned(true);
    QFont bold = tree->font();
    bold.setBold(true);
    group->setFont(0, bold);
    for (const auto& [name, value] : facts.rows) {
      auto* row = new QTreeWidgetItem(group, {name, value});
      row->setFirstColumnSpanned(value.isEmpty());
      for (const int column : {0, 1}) row->setToolTip(column, row->text(column));
    }
    group->setExpanded(true);
  }
  tree->resizeColumnToContents(0);
  tree->setColumnWidth(0, std::min(tree->columnWidth(0), dialog_size.width() / 3));
  return tree;
}

widgets::CodeView* make_changes(const widgets::MarkedCode& code) {
  auto* changes = new widgets::CodeView(widgets::CodeLanguage::Plain);
  changes->setAccessibleName(TrustDialog::tr("What changed since the trusted version"));
  changes->set_marked_code(code);
  return changes;
}

}  // namespace

TrustDialog::TrustDialog(TrustQuestion asked, QWidget* parent)
    : QDialog(parent), question_(std::move(asked)) {
  const QString name = line_of(question_.project->name);
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Trust %1?").arg(name));
  auto* question = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text, this);
  question->setText((question_.project->program
                         ? tr("%1 is a program. To tune it, its commands are run many times on this machine.")
                         : tr("%1 is a program. To tune it, its source is compiled with its flags and run "
                              "many times on this machine, with your permissions."))
                        .arg(name) +
                    tr(" Nothing is run before you agree. Read the content below, and trust it only if you "
                       "would run it yourself.") +
                    (question_.has_trusted_version
                         ? tr(" You trusted an earlier version: its content has changed since.")
                         : QString()));
  auto* content = new widgets::WrappedLabel(style::TextSize::Small, &style::Colours::muted_text, this);
  content->setText(tr("Your answer applies to exactly this content, SHA-256 %1, and is stored in %2. If the "
                      "project, its files or its data change, you are asked again.")
                       .arg(QString::fromStdString(question_.content_hash),
                            QString::fromStdString(project::trust_file().string())));
  content->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::warning, this);
  problem_->setWordWrap(true);
  problem_->hide();
  auto* cancel = new QPushButton(tr("Cancel"), this);
  auto* agree = new QPushButton(tr("Trust and run"), this);
  // Enter alone must not trust anything.
  agree->setAutoDefault(false);
  cancel->setDefault(true);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(agree, &QPushButton::clicked, this, &TrustDialog::trust_and_run);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(style::grid_pixels);
  buttons->addWidget(problem_, 1);
  buttons->addStretch();
  buttons->addWidget(cancel);
  buttons->addWidget(agree);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(style::grid_pixels);
  column->addWidget(question);
  column->addWidget(make_files(), 1);
  column->addWidget(content);
  column->addLayout(buttons);
  resize(dialog_size);
  cancel->setFocus();
}

QWidget* TrustDialog::make_files() {
  auto* tabs = new QTabWidget(this);
  tabs->setDocumentMode(true);
  tabs->setAccessibleName(tr("What would be compiled and run, and its files"));
  if (question_.has_trusted_version) tabs->addTab(make_changes(question_.changes), tr("What changed"));
  tabs->addTab(make_facts(question_.facts), tr("Content to run"));
  show_files(*tabs, question_.files);
  return tabs;
}

void TrustDialog::then(const void* asker, std::function<void()> action) {
  if (asker != nullptr) std::erase_if(actions_, [asker](const auto& asked) { return asked.first == asker; });
  actions_.emplace_back(asker, std::move(action));
}

void TrustDialog::trust_and_run() {
  if (const Status kept = project::trust_project(*question_.project); !kept) {
    problem_->setText(QString::fromStdString(describe(kept.error())));
    problem_->show();
    return;
  }
  const auto actions = std::move(actions_);
  accept();
  for (const auto& [asker, action] : actions) action();
}

void ask_for_trust(QWidget& window, TrustQuestion question, std::function<void()> then, const void* asker) {
  if (question.trusted) return then();
  TrustDialog* dialog = nullptr;
  for (auto* open : window.findChildren<TrustDialog*>())
    if (open->isVisible() && open->content_hash() == question.content_hash) dialog = open;
  if (dialog == nullptr) dialog = new TrustDialog(std::move(question), &window);
  dialog->then(asker, std::move(then));
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
}

}  // namespace kernelscape::views
