#include "ui/views/network/network_box.h"

#include <QCompleter>
#include <QFileInfo>
#include <QLineEdit>
#include <QSignalBlocker>

#include "core/task/catalogue.h"

namespace kernelscape::views {
namespace {

constexpr qsizetype max_recent_networks = 8;
constexpr int network_characters = 14;

}  // namespace

NetworkBox::NetworkBox(QWidget* parent) : QComboBox(parent) {
  setEditable(true);
  setInsertPolicy(QComboBox::NoInsert);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(network_characters);
  setAccessibleName(tr("Network: a name of the catalogue, an ONNX model, or a saved network"));
  setToolTip(accessibleName());
  completer()->setFilterMode(Qt::MatchContains);
  completer()->setCompletionMode(QCompleter::PopupCompletion);
  lineEdit()->setPlaceholderText(tr("resnet-18, or a file"));
}

void NetworkBox::load_catalogue() {
  job_.start(
      [](const workspace::JobControl&) {
        QStringList names;
        const Result<task::Catalogue> catalogue = task::Catalogue::load_default();
        if (catalogue)
          for (const task::Network& network : catalogue->networks())
            names.append(QString::fromStdString(network.name));
        return names;
      },
      [this](const QStringList& names) {
        catalogue_ = names;
        fill();
        emit catalogue_loaded();
      });
}

/** Fills the list of networks; the typed text stays. */
void NetworkBox::fill() {
  const QSignalBlocker quiet(this);
  const QString typed = currentText();
  clear();
  addItems(recent_);
  if (!recent_.isEmpty() && !catalogue_.isEmpty()) insertSeparator(count());
  addItems(catalogue_);
  setCurrentIndex(-1);
  setEditText(typed);
}

void NetworkBox::set_network(const QString& name_or_file) {
  const QSignalBlocker quiet(this);
  setEditText(name_or_file);
}

void NetworkBox::set_recent(const QStringList& files) {
  recent_ = files.mid(0, max_recent_networks);
  fill();
}

void NetworkBox::remember() {
  const QFileInfo file(network());
  if (catalogue_.contains(network()) || !file.isFile()) return;
  QStringList files = recent_;
  files.removeAll(file.absoluteFilePath());
  files.prepend(file.absoluteFilePath());
  set_recent(files);
}

void NetworkBox::focus() {
  setFocus(Qt::ShortcutFocusReason);
  lineEdit()->selectAll();
}

}  // namespace kernelscape::views
