#include "ui/views/export/export_choices.h"

#include <QButtonGroup>
#include <QRadioButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {

ExportChoices::ExportChoices(QWidget* parent) : QWidget(parent), kinds_(new QButtonGroup(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  add(*layout, ExportKind::BestConfiguration, tr("&Best configuration as JSON"));
  add(*layout, ExportKind::TrialConfiguration, tr("Current &trial as JSON"));
  add(*layout, ExportKind::AllTrials, tr("&All trials as CSV"));
  add(*layout, ExportKind::ShownTrials, tr("&Shown trials as CSV"));
  add(*layout, ExportKind::BestKernel, tr("Best &kernel as a folder that builds on its own"));
  add(*layout, ExportKind::TrialKernel, tr("Kernel of the &current trial as a folder"));
  add(*layout, ExportKind::KernelLibrary, tr("Several kernels as one CMake &library"));
  add(*layout, ExportKind::ModelLibrary, tr("Library of the whole &model"));
  connect(kinds_, &QButtonGroup::idClicked, this, [this] {
    user_chose_ = true;
    emit chosen();
  });
}

void ExportChoices::add(QVBoxLayout& layout, ExportKind kind, const QString& text) {
  Choice& choice = choices_[static_cast<std::size_t>(kind)];
  choice.button = new QRadioButton(text);
  choice.explanation = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::muted_text);
  choice.explanation->setTextFormat(Qt::PlainText);
  choice.explanation->setWordWrap(true);
  choice.explanation->setContentsMargins(3 * style::grid_pixels, 0, 0, style::grid_pixels / 2);
  kinds_->addButton(choice.button, static_cast<int>(kind));
  layout.addWidget(choice.button);
  layout.addWidget(choice.explanation);
}

void ExportChoices::set(ExportKind kind, bool available, const QString& explanation) {
  const Choice& choice = choices_[static_cast<std::size_t>(kind)];
  choice.button->setEnabled(available);
  choice.explanation->setText(explanation);
}

bool ExportChoices::choose(ExportKind kind) {
  QRadioButton* button = choices_[static_cast<std::size_t>(kind)].button;
  if (!button->isEnabled()) return false;
  user_chose_ = true;
  button->setChecked(true);
  return true;
}

bool ExportChoices::choose_first() {
  if (user_chose_ && available()) return false;
  const auto first =
      std::ranges::find_if(choices_, [](const Choice& choice) { return choice.button->isEnabled(); });
  if (first == choices_.end()) return false;
  first->button->setChecked(true);
  return true;
}

ExportKind ExportChoices::kind() const { return static_cast<ExportKind>(std::max(0, kinds_->checkedId())); }

bool ExportChoices::any() const { return kinds_->checkedButton() != nullptr; }

bool ExportChoices::available() const { return any() && kinds_->checkedButton()->isEnabled(); }

}  // namespace kernelscape::views
