#pragma once

#include <QComboBox>
#include <QStringList>

#include "ui/workspace/jobs.h"

namespace kernelscape::views {

/** Names a network: offers those of the catalogue and the files that were read before; others are typed. */
class NetworkBox : public QComboBox {
  Q_OBJECT

 public:
  explicit NetworkBox(QWidget* parent);

  /** Reads the names of the catalogue in the background. */
  void load_catalogue();
  /** Returns the name or the file, without blanks around it. */
  QString network() const { return currentText().trimmed(); }
  /** Replaces the text. Emits nothing. */
  void set_network(const QString& name_or_file);
  /** Returns the files that were read before, the last one first. */
  const QStringList& recent() const { return recent_; }
  /** Offers these files. */
  void set_recent(const QStringList& files);
  /** Puts the network at the front of the recent files if it is a file, and no name of the catalogue. */
  void remember();
  /** Moves the keyboard focus here and selects the text. */
  void focus();

 signals:
  /** Emitted after the names of the catalogue were read. */
  void catalogue_loaded();

 private:
  void fill();

  workspace::JobTracker job_;
  QStringList catalogue_;
  QStringList recent_;
};

}  // namespace kernelscape::views
