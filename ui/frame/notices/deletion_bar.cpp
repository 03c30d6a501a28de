#include "ui/frame/notices/deletion_bar.h"

#include <QPushButton>
#include <utility>

namespace kernelscape::frame {

DeletionBar::DeletionBar(SessionActions& actions, QWidget* parent)
    : InformationBar(tr("Deleted session"), parent), actions_(actions) {
  hide();
  connect(add_button(tr("Undo")), &QPushButton::clicked, this, &DeletionBar::undo);
  connect(this, &InformationBar::dismissed, this, &QWidget::hide);
  connect(&actions_, &SessionActions::deleted, this, &DeletionBar::notify);
}

void DeletionBar::notify(store::SessionId id, const QString& title) {
  deleted_ = id;
  set_message(workspace::Notice::Kind::Information, tr("Session %1 \"%2\" was deleted.").arg(id).arg(title),
              tr("You can restore it until the window closes."));
  show();
}

void DeletionBar::undo() {
  if (const std::optional<store::SessionId> id = std::exchange(deleted_, std::nullopt))
    actions_.bring_back(*id);
  hide();
}

}  // namespace kernelscape::frame
