#pragma once

#include <QObject>
#include <QStringList>

#include "core/study/study.h"
#include "ui/workspace/jobs.h"

class QWidget;

namespace kernelscape::views {

/** Asks for the files of a new study, without blocking: studies to load and save, and recorded spaces. */
class StudyFiles : public QObject {
  Q_OBJECT

 public:
  /** @param window parent of the file dialogs, and owner of this object */
  explicit StudyFiles(QWidget& window);

  /** Asks for recorded spaces. */
  void ask_for_spaces();
  /** Asks for a study, and reads it in the background. */
  void load();
  /** Asks for a file, and writes the study to it. Asks before it replaces a file that is not a study. */
  void save(const study::Definition& study);

 signals:
  /** The user chose files of recorded spaces. */
  void spaces_chosen(const QStringList& files);
  /** A study was read. */
  void loaded(const kernelscape::study::Definition& study);
  /** The study was written. */
  void saved(const QString& file);
  /** A file could not be read or written. */
  void failed(const QString& message);

 private:
  void write(const QString& file, const std::string& text, bool force);

  QWidget& window_;
  workspace::JobTracker job_;
};

}  // namespace kernelscape::views
