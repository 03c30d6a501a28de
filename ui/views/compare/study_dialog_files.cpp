#include <QFileDialog>
#include <QPushButton>

#include "core/base/output_file.h"
#include "ui/files/file_dialog.h"
#include "ui/files/replace_question.h"
#include "ui/views/compare/study_dialog.h"

namespace kernelscape {

void StudyDialog::add_files() {
  QFileDialog* dialog = make_file_dialog(this, tr("Add recorded spaces"));
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
    for (const QString& file : files) {
      StudyTask task;
      task.target = std::string(recorded_target_prefix) + file.toStdString();
      add_task_item(task, file, true);
    }
    check();
  });
  dialog->open();
}

void StudyDialog::load() {
  QFileDialog* dialog = make_file_dialog(this, tr("Load a study"), {}, tr("Studies (*.json)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    job_.start([path = file.toStdString()](const JobControl&) { return load_study(path); },
               [this](const Result<StudyDefinition>& loaded) {
                 if (loaded) return set_study(*loaded);
                 show_problem(QString::fromStdString(describe(loaded.error())));
               });
  });
  dialog->open();
}

void StudyDialog::save() {
  const Result<StudyDefinition> checked = study();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  QFileDialog* dialog =
      make_file_dialog(this, tr("Save the study"), QStringLiteral("study.json"), tr("Studies (*.json)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("json"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, text = study_to_json(*checked)](const QString& file) { write(file, text, false); });
  dialog->open();
}

void StudyDialog::write(const QString& file, const std::string& text, bool force) {
  const OutputRequest output{
      .path = file.toStdString(), .kind = {.name = "study", .recognises_own = is_study_text}, .force = force};
  job_.start([text, output](const JobControl&) { return write_output(output, text); },
             [this, file, text](const Status& written) {
               if (!written && written.error().code == ErrorCode::Occupied)
                 return ask_to_replace(*this, written.error(), [=, this] { write(file, text, true); });
               if (!written) return show_problem(QString::fromStdString(describe(written.error())));
               notify(tr("Saved %1").arg(file));
             });
}

}  // namespace kernelscape
