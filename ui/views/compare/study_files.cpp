#include "ui/views/compare/study_files.h"

#include <QFileDialog>
#include <QWidget>

#include "core/base/output_file.h"
#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"

namespace kernelscape::views {

StudyFiles::StudyFiles(QWidget& window) : QObject(&window), window_(window) {}

void StudyFiles::ask_for_spaces() {
  QFileDialog* dialog = files::make_file_dialog(&window_, tr("Add recorded spaces"));
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &StudyFiles::spaces_chosen);
  dialog->open();
}

void StudyFiles::load() {
  QFileDialog* dialog = files::make_file_dialog(&window_, tr("Load a study"), {}, tr("Studies (*.json)"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    job_.start([path = file.toStdString()](const workspace::JobControl&) { return study::load_study(path); },
               [this](const Result<study::Definition>& read) {
                 if (read) return emit loaded(*read);
                 emit failed(QString::fromStdString(describe(read.error())));
               });
  });
  dialog->open();
}

void StudyFiles::save(const study::Definition& study) {
  QFileDialog* dialog = files::make_file_dialog(&window_, tr("Save the study"), QStringLiteral("study.json"),
                                                tr("Studies (*.json)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("json"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, text = study::study_to_json(study)](const QString& file) { write(file, text, false); });
  dialog->open();
}

void StudyFiles::write(const QString& file, const std::string& text, bool force) {
  const base::OutputRequest output{.path = file.toStdString(),
                                   .kind = {.name = "study", .recognises_own = study::is_study_text},
                                   .force = force};
  job_.start([text, output](const workspace::JobControl&) { return base::write_output(output, text); },
             [this, file, text](const Status& written) {
               if (!written && written.error().code == ErrorCode::Occupied)
                 return files::ask_to_replace(window_, written.error(),
                                              [=, this] { write(file, text, true); });
               if (!written) return emit failed(QString::fromStdString(describe(written.error())));
               emit saved(file);
             });
}

}  // namespace kernelscape::views
