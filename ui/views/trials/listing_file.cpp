#include "ui/views/trials/listing_file.h"

#include <QFileDialog>

#include "core/base/output_file.h"
#include "ui/files/dialog.h"
#include "ui/files/replace_question.h"
#include "ui/views/trials/why_text.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

base::OutputKind listing_kind() {
  return {.name = "listing of machine code", .recognises_own = [](std::string_view head) {
            return head.substr(0, head.find('\n')).ends_with(listing_title());
          }};
}

}  // namespace

ListingFile::ListingFile(workspace::Notices& notices, QWidget& window)
    : QObject(&window), notices_(notices), window_(window) {}

void ListingFile::save(const Listing& listing) {
  const QString name = QStringLiteral("%1.txt").arg(
      QString(listing.title).replace(QLatin1Char('/'), QLatin1Char('-')).remove(QLatin1Char(',')));
  QFileDialog* dialog =
      files::make_file_dialog(&window_, tr("Save listing"), name, tr("Text (*.txt);;All files (*)"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("txt"));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, listing](const QString& path) { write(listing, path, false); });
  dialog->open();
}

void ListingFile::write(const Listing& listing, const QString& path, bool force) {
  const base::OutputRequest request{.path = path.toStdString(), .kind = listing_kind(), .force = force};
  job_.start(
      [request, listing](const workspace::JobControl&) -> Result<bool> {
        TRY(base::write_output(request, interleaved_listing(listing.insight->kernel, *listing.code,
                                                            listing.title.toStdString())));
        return true;
      },
      [this, listing, path](const Result<bool>& written) {
        if (!written && written.error().code == ErrorCode::Occupied) {
          files::ask_to_replace(window_, written.error(),
                                [this, listing, path] { write(listing, path, true); });
        } else if (!written) {
          notices_.fail(written.error());
        } else {
          emit saved(path);
        }
      });
}

}  // namespace kernelscape::views
