#include "ui/views/network/network_status.h"

#include <QCoreApplication>
#include <QVBoxLayout>

#include "ui/style/theme.h"
#include "ui/views/network/network_form.h"
#include "ui/views/network/shown_network.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

QString status_text(const char* text) { return QCoreApplication::translate("NetworkStatus", text); }

}  // namespace

NetworkStatus::NetworkStatus(QVBoxLayout& column, QWidget* parent)
    : headline_(new HeadlineBar(parent)),
      turn_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::text, parent)) {
  turn_->setTextFormat(Qt::PlainText);
  turn_->setWordWrap(true);
  turn_->setContentsMargins(style::grid_pixels, 0, style::grid_pixels, style::grid_pixels / 2);
  turn_->setAccessibleName(status_text("Layer that is being tuned, and why"));
  turn_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column.addWidget(headline_);
  column.addWidget(turn_);
}

void NetworkStatus::show(const ShownNetwork& shown, const NetworkForm& form) {
  QString turn;
  if (!shown.study()) {
    headline_->show_text(preview_headline(form.network().get(), form.check().layers));
  } else if (shown.snapshot()) {
    const NetworkRunState run = shown.run_state();
    headline_->show_text(network_headline(*shown.snapshot()->progress, run));
    turn = network_turn_text(*shown.snapshot()->progress, run);
  } else {
    headline_->show_hint(shown.failure().isEmpty() ? status_text("Reading the study …")
                                                   : status_text("The study can't be read"));
  }
  turn_->setText(turn);
  turn_->setToolTip(turn);
  turn_->setVisible(!turn.isEmpty());
}

}  // namespace kernelscape::views
