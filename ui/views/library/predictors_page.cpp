#include "ui/views/library/predictors_page.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/files/file_dialog.h"
#include "ui/files/replace_question.h"
#include "ui/models/predictor_text.h"
#include "ui/style/numbers.h"
#include "ui/views/library/page_head.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"
#include "ui/workspace/notices.h"

namespace kernelscape {
namespace {

Status write_predictor(const std::filesystem::path& database, const KnownPredictor& known,
                       const std::filesystem::path& file, bool replace) {
  const Store store = TRY(Store::open(database, OpenMode::ReadOnly));
  const std::shared_ptr<const Predictor> predictor = TRY(open_known_predictor(store, known));
  return export_predictor(*predictor, file, replace);
}

}  // namespace

bool can_delete(const KnownPredictor& predictor) {
  return predictor.id && predictor.state != to_string(PredictorState::Training);
}

PredictorsPage::PredictorsPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      imports_(workspace),
      filter_([this](int row) { return model_.search_text(row); }, PredictorModel::SortRole),
      head_(new PageHead(tr("Search name, template, device, state"), tr("predictors"))),
      stack_(new QStackedWidget),
      table_(new LibraryTable(tr("Predictors"))),
      empty_(new EmptyState) {
  setAccessibleName(tr("Predictors"));
  filter_.setSourceModel(&model_);
  table_->setModel(&filter_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(PredictorModel::CreatedColumn, Qt::DescendingOrder);
  stack_->addWidget(table_);
  stack_->addWidget(empty_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head_);
  layout->addWidget(stack_, 1);
  connect(head_, &PageHead::searched, this, [this](const QString& text) {
    filter_.set_search(text);
    update_shown();
  });
  connect(table_, &LibraryTable::rows_selected, this, &PredictorsPage::selection_changed);
  connect(table_, &LibraryTable::row_opened, this, [this](int row) {
    emit predictor_opened(predictor_key(model_.predictor(filter_.mapToSource(filter_.index(row, 0)).row())));
  });
  connect(empty_, &EmptyState::action_triggered, this, [this] {
    if (!filter_.searching()) return emit learn_requested();
    head_->clear_search();
  });
  connect(&workspace_.learning_watch(), &LearningWatch::lists_changed, this, &PredictorsPage::show_lists);
  connect(&workspace_.training_runner(), &TrainingRunner::changed, this,
          [this] { model_.set_training(workspace_.training_runner().active()); });
  update_shown();
}

void PredictorsPage::set_actions(const QList<QAction*>& bar, const QList<QAction*>& menu) {
  head_->add_actions(bar);
  table_->set_actions(menu);
}

void PredictorsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  workspace_.learning_watch().set_looked_at(this, true);
}

void PredictorsPage::hideEvent(QHideEvent* event) {
  workspace_.learning_watch().set_looked_at(this, false);
  QWidget::hideEvent(event);
}

void PredictorsPage::show_lists(const LearningListsPointer& lists) {
  read_ = true;
  model_.set_predictors(lists->predictors);
  update_shown();
  emit selection_changed();
}

void PredictorsPage::update_shown() {
  const int all = model_.rowCount();
  const int shown = filter_.rowCount();
  head_->set_count(filter_.searching() ? tr("%1 of %2").arg(format_count(shown), format_count(all))
                   : all == 1          ? tr("1 predictor")
                                       : tr("%1 predictors").arg(format_count(all)));
  if (all > 0) {
    empty_->set_text(
        tr("No predictor matches"),
        tr("No name, template, device or state has all the words of \u201c%1\u201d.").arg(head_->search()),
        tr("Clear the search"));
  } else if (!read_) {
    empty_->set_text(tr("Reading the predictors\u2026"), QString(), QString());
  } else {
    empty_->set_text(
        tr("No predictor yet"),
        tr("A predictor is trained on measurements of many tasks. With it the tuner one-shot needs "
           "one round of measurements for a task."),
        tr("Go to Learn"));
  }
  stack_->setCurrentIndex(shown == 0 ? 1 : 0);
}

std::vector<KnownPredictor> PredictorsPage::selected() const {
  std::vector<KnownPredictor> predictors;
  for (const int row : table_->selected_rows())
    predictors.push_back(model_.predictor(filter_.mapToSource(filter_.index(row, 0)).row()));
  return predictors;
}

void PredictorsPage::focus_search() { head_->focus_search(); }

void PredictorsPage::export_selected() {
  const std::vector<KnownPredictor> predictors = selected();
  if (predictors.size() != 1) return;
  const QString name = predictor_title(predictors.front()) + QStringLiteral(".kspred");
  QFileDialog* dialog = make_file_dialog(this, tr("Export the predictor"), name, tr("Predictors (*.kspred)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("kspred"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, predictor = predictors.front()](const QString& path) { write(predictor, path); });
  dialog->open();
}

void PredictorsPage::write(const KnownPredictor& predictor, const QString& path, bool replace) {
  job_.start([database = workspace_.database(), predictor, file = path.toStdString(),
              replace](const JobControl&) { return write_predictor(database, predictor, file, replace); },
             [this, predictor, path](const Status& written) {
               if (!written && written.error().code == ErrorCode::Occupied)
                 return ask_to_replace(*this, written.error(), [=, this] { write(predictor, path, true); });
               if (!written) return workspace_.notices().fail(written.error());
               workspace_.notices().inform(tr("The predictor is in %1").arg(path));
             });
}

void PredictorsPage::import_files() {
  QFileDialog* dialog = make_file_dialog(this, tr("Import predictors"), {}, tr("Predictors (*.kspred)"));
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this,
          [this](const QStringList& paths) { imports_.start(paths); });
  dialog->open();
}

void PredictorsPage::delete_selected() {
  std::vector<KnownPredictor> predictors = selected();
  std::erase_if(predictors, [](const KnownPredictor& predictor) { return !can_delete(predictor); });
  if (predictors.empty()) return;
  auto* question = new QMessageBox(this);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->setIcon(QMessageBox::Question);
  question->setWindowTitle(tr("Delete predictors"));
  question->setTextFormat(Qt::PlainText);
  question->setText(predictors.size() == 1
                        ? tr("Delete the predictor %1?").arg(predictor_title(predictors.front()))
                        : tr("Delete %1 predictors?").arg(predictors.size()));
  question->setInformativeText(
      tr("This can't be undone. Sessions that used it keep their trials, but can't go on."));
  const QPushButton* remove_button = question->addButton(tr("Delete"), QMessageBox::DestructiveRole);
  question->addButton(QMessageBox::Cancel);
  connect(question, &QMessageBox::buttonClicked, this,
          [this, remove_button, predictors](const QAbstractButton* button) {
            if (button == remove_button) remove(predictors);
          });
  question->open();
}

void PredictorsPage::remove(const std::vector<KnownPredictor>& predictors) {
  for (const KnownPredictor& predictor : predictors)
    workspace_.write([id = *predictor.id](Store& store) { return store.delete_predictor(id); });
  workspace_.learning_watch().refresh();
}

}  // namespace kernelscape
