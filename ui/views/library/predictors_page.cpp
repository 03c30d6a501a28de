#include "ui/views/library/predictors_page.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"
#include "ui/models/predictor_text.h"
#include "ui/style/numbers.h"
#include "ui/views/library/searched_table.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

Status write_predictor(const std::filesystem::path& database, const study::KnownPredictor& known,
                       const std::filesystem::path& file, bool replace) {
  const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
  const std::shared_ptr<const predictor::Predictor> predictor =
      TRY(study::open_known_predictor(store, known));
  return study::export_predictor(*predictor, file, replace);
}

}  // namespace

bool can_delete(const study::KnownPredictor& predictor) {
  return predictor.id && predictor.state != store::to_string(store::PredictorState::Training);
}

PredictorsPage::PredictorsPage(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      imports_(workspace),
      table_(new SearchedTable(
          model_, [this](int row) { return model_.search_text(row); }, models::PredictorModel::SortRole,
          {.name = tr("Predictors"),
           .rows = tr("predictors"),
           .search_hint = tr("Search name, template, device, state"),
           .no_match = tr("No predictor matches"),
           .searched = tr("No name, template, device or state has all the words of \u201c%1\u201d.")},
          models::PredictorModel::CreatedColumn, Qt::DescendingOrder)) {
  setAccessibleName(tr("Predictors"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(table_);
  connect(table_, &SearchedTable::rows_selected, this, &PredictorsPage::selection_changed);
  connect(table_, &SearchedTable::row_opened, this,
          [this](int row) { emit predictor_opened(models::predictor_key(model_.predictor(row))); });
  connect(table_, &SearchedTable::action_triggered, this, &PredictorsPage::learn_requested);
  connect(&workspace_.learning_watch(), &workspace::LearningWatch::lists_changed, this,
          &PredictorsPage::show_lists);
  connect(&workspace_.training_runner(), &workspace::TrainingRunner::changed, this,
          [this] { model_.set_training(workspace_.training_runner().active()); });
  update_shown();
}

void PredictorsPage::set_actions(const QList<QAction*>& bar, const QList<QAction*>& menu) {
  table_->set_actions(bar, menu);
}

void PredictorsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  workspace_.learning_watch().set_looked_at(this, true);
}

void PredictorsPage::hideEvent(QHideEvent* event) {
  workspace_.learning_watch().set_looked_at(this, false);
  QWidget::hideEvent(event);
}

void PredictorsPage::show_lists(const workspace::LearningListsPointer& lists) {
  read_ = true;
  model_.set_predictors(lists->predictors);
  update_shown();
  emit selection_changed();
}

void PredictorsPage::update_shown() {
  const int all = model_.rowCount();
  const EmptyText reading{tr("Reading the predictors\u2026"), {}, {}};
  const EmptyText none{tr("No predictor yet"),
                       tr("A predictor is trained on measurements of many tasks. With it the tuner one-shot "
                          "needs one round of measurements for a task."),
                       tr("Go to Learn")};
  table_->show_rows(all == 1 ? tr("1 predictor") : tr("%1 predictors").arg(style::format_count(all)),
                    read_ ? none : reading);
}

std::vector<study::KnownPredictor> PredictorsPage::selected() const {
  std::vector<study::KnownPredictor> predictors;
  for (const int row : table_->selected_rows()) predictors.push_back(model_.predictor(row));
  return predictors;
}

void PredictorsPage::focus_search() { table_->focus_search(); }

void PredictorsPage::export_selected() {
  const std::vector<study::KnownPredictor> predictors = selected();
  if (predictors.size() != 1) return;
  const QString name = models::predictor_title(predictors.front()) + QStringLiteral(".kspred");
  QFileDialog* dialog =
      files::make_file_dialog(this, tr("Export the predictor"), name, tr("Predictors (*.kspred)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("kspred"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, predictor = predictors.front()](const QString& path) { write(predictor, path); });
  dialog->open();
}

void PredictorsPage::write(const study::KnownPredictor& predictor, const QString& path, bool replace) {
  job_.start(
      [database = workspace_.database(), predictor, file = path.toStdString(),
       replace](const workspace::JobControl&) { return write_predictor(database, predictor, file, replace); },
      [this, predictor, path](const Status& written) {
        if (!written && written.error().code == ErrorCode::Occupied)
          return files::ask_to_replace(*this, written.error(), [=, this] { write(predictor, path, true); });
        if (!written) return workspace_.notices().fail(written.error());
        workspace_.notices().inform(tr("The predictor is in %1").arg(path));
      });
}

void PredictorsPage::import_files() {
  QFileDialog* dialog =
      files::make_file_dialog(this, tr("Import predictors"), {}, tr("Predictors (*.kspred)"));
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this,
          [this](const QStringList& paths) { imports_.start(paths); });
  dialog->open();
}

void PredictorsPage::delete_selected() {
  std::vector<study::KnownPredictor> predictors = selected();
  std::erase_if(predictors, [](const study::KnownPredictor& predictor) { return !can_delete(predictor); });
  if (predictors.empty()) return;
  auto* question = new QMessageBox(this);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->setIcon(QMessageBox::Question);
  question->setWindowTitle(tr("Delete predictors"));
  question->setTextFormat(Qt::PlainText);
  question->setText(predictors.size() == 1
                        ? tr("Delete the predictor %1?").arg(models::predictor_title(predictors.front()))
                        : tr("Delete %1 predictors?").arg(predictors.size()));
  question->setInformativeText(
      tr("This can't be undone. Sessions that used it keep their trials, but can't be resumed."));
  const QPushButton* remove_button = question->addButton(tr("Delete"), QMessageBox::DestructiveRole);
  question->addButton(QMessageBox::Cancel);
  connect(question, &QMessageBox::buttonClicked, this,
          [this, remove_button, predictors](const QAbstractButton* button) {
            if (button == remove_button) remove(predictors);
          });
  question->open();
}

void PredictorsPage::remove(const std::vector<study::KnownPredictor>& predictors) {
  for (const study::KnownPredictor& predictor : predictors)
    workspace_.write([id = *predictor.id](store::Store& store) { return store.predictors().remove(id); });
  workspace_.learning_watch().refresh();
}

}  // namespace kernelscape::views
