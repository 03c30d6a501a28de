#include "ui/views/runs/tuner_fields.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>

#include "core/tuner/tuner.h"
#include "ui/views/runs/form_section.h"
#include "ui/widgets/form_fields.h"
#include "ui/widgets/hyperparameter_form.h"

namespace kernelscape::views {

TunerFields::TunerFields(QFormLayout& rows, QWidget* parent)
    : QObject(parent),
      parent_(parent),
      tuner_(new QComboBox(parent)),
      text_(widgets::make_note(parent)),
      advice_(widgets::make_note(parent)),
      evidence_(new QPushButton(parent)),
      settings_(new widgets::HyperparameterForm(parent)) {
  tuner_->setAccessibleName(tr("Tuner"));
  for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
    tuner_->addItem(QString::fromStdString(tuner.name));
    tuner_->setItemData(tuner_->count() - 1, QString::fromStdString(tuner.summary), Qt::ToolTipRole);
  }
  tuner_->setCurrentText(QString::fromStdString(std::string(tuner::default_tuner)));
  rows.addRow(tr("Tuner"), tuner_);
  rows.addRow(text_);
  advice_->setAccessibleName(tr("Recommended tuner"));
  rows.addRow(advice_);
  evidence_->setAccessibleName(tr("Study of the recommended tuner"));
  evidence_->setFlat(true);
  evidence_->setToolTip(tr("Open the page of the manual with the study and its figures"));
  rows.addRow(evidence_);
  hide_advice();
  show_tuner(tuner_->currentIndex());
  connect(tuner_, &QComboBox::currentIndexChanged, this, &TunerFields::show_tuner);
  connect(tuner_, &QComboBox::currentIndexChanged, this, &TunerFields::tuner_changed);
  connect(evidence_, &QPushButton::clicked, this, [this] { emit manual_requested(evidence_page_); });
  connect(settings_, &widgets::HyperparameterForm::changed, this, &TunerFields::settings_changed);
}

void TunerFields::add_settings(QFormLayout& rows) {
  auto* section = new FormSection(tr("Hyperparameters"), false, parent_);
  section->form().addRow(settings_);
  rows.addRow(section);
}

void TunerFields::show_tuner(int index) {
  const tuner::Declaration& tuner = tuner::tuner_registry()[static_cast<std::size_t>(index)];
  text_->setText(QStringLiteral("%1 (%2)").arg(QString::fromStdString(tuner.summary),
                                               QString::fromStdString(tuner.source)));
  settings_->set_tuner(tuner);
}

void TunerFields::show_advice(const tuner::TunerAdvice& advice) {
  advice_->setText(QString::fromStdString(advice.sentence()));
  evidence_->setText(tr("Study %1").arg(QString::fromStdString(advice.study)));
  evidence_page_ = QString::fromStdString(advice.page);
  advice_->show();
  evidence_->show();
}

void TunerFields::hide_advice() {
  advice_->hide();
  evidence_->hide();
}

std::string TunerFields::tuner() const { return tuner_->currentText().toStdString(); }

std::map<std::string, std::string> TunerFields::settings() const { return settings_->settings(); }

void TunerFields::read(const std::string& tuner, const std::map<std::string, std::string>& settings) {
  tuner_->setCurrentText(QString::fromStdString(tuner));
  settings_->set_settings(settings);
}

QString TunerFields::problem() const { return settings_->problem(); }

}  // namespace kernelscape::views
