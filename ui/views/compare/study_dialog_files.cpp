#include <QFileDialog>
#include <QPushButton>

#include "core/base/output_file.h"
#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"
#include "ui/views/compare/study_dialog.h"

namespace kernelscape::views {

void StudyDialog::add_files() {
  QFileDialog* dialog = files::make_file_dialog(this, tr("Add recorded spaces"));
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
    for (const QString& file : files) {
      study::Task task;
      task.target = std::string(session::recorded_target_prefix) + file.toStdString();
      add_task_item(task, file, true);
    }
    check();
  });
  dialog->open();
}

void StudyDialog::load() {
  QFileDialog* dialog = files::make_file_dialog(this, tr("Load a study"), {}, tr("Studies (*.json)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    job_.start([path = file.toStdString()](const workspace::JobControl&) { return study::load_study(path); },
               [this](const Result<study::Definition>& loaded) {
                 if (loaded) return set_study(*loaded);
                 show_problem(QString::fromStdString(describe(loaded.error())));
               });
  });
  dialog->open();
}

void StudyDialog::save() {
  const Result<study::Definition> checked = study();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  QFileDialog* dialog = files::make_file_dialog(this, tr("Save the study"), QStringLiteral("study.json"),
                                                tr("Studies (*.json)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("json"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, text = study::study_to_json(*checked)](const QString& file) { write(file, text, false); });
  dialog->open();
}

void StudyDialog::write(const QString& file, const std::string& text, bool force) {
  const base::OutputRequest output{.path = file.toStdString(),
                                   .kind = {.name = "study", .recognises_own = study::is_study_text},
                                   .force = force};
  job_.start([text, output](const workspace::JobControl&) { return base::write_output(output, text); },
             [this, file, text](const Status& written) {
               if (!written && written.error().code == ErrorCode::Occupied)
                 return files::ask_to_replace(*this, written.error(), [=, this] { write(file, text, true); });
               if (!written) return show_problem(QString::fromStdString(describe(written.error())));
               notify(tr("Saved %1").arg(file));
             });
}

}  // namespace kernelscape::views
