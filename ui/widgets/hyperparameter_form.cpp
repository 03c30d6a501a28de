#include "ui/widgets/hyperparameter_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "core/tuner/declaration.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::widgets {
namespace {

constexpr int row_spacing = 4;
constexpr int min_field_width = 72;

QString range_text(const tuner::HyperparameterDeclaration& declaration) {
  const auto number = [](double value) { return QString::number(value, 'g', 6); };
  if (declaration.minimum && declaration.maximum)
    return HyperparameterForm::tr("%1 to %2").arg(number(*declaration.minimum), number(*declaration.maximum));
  if (declaration.minimum) return HyperparameterForm::tr("at least %1").arg(number(*declaration.minimum));
  if (declaration.maximum) return HyperparameterForm::tr("at most %1").arg(number(*declaration.maximum));
  return {};
}

QString help_text(const tuner::HyperparameterDeclaration& declaration) {
  QStringList lines{QString::fromStdString(declaration.documentation)};
  if (const QString range = range_text(declaration); !range.isEmpty())
    lines << HyperparameterForm::tr("Range: %1 %2").arg(range, QString::fromStdString(declaration.unit));
  lines << HyperparameterForm::tr("Default: %1")
               .arg(QString::fromStdString(space::to_string(declaration.default_value)));
  lines << HyperparameterForm::tr("Source: %1").arg(QString::fromStdString(declaration.source));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

HyperparameterForm::HyperparameterForm(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
}

void HyperparameterForm::set_tuner(const tuner::Declaration& tuner) {
  const std::string owner = "tuner " + tuner.name;
  if (owner != owner_) set_declarations(owner, tuner.hyperparameters);
}

void HyperparameterForm::set_declarations(const std::string& owner,
                                          std::span<const tuner::HyperparameterDeclaration> declarations) {
  owner_ = owner;
  delete rows_;
  fields_.clear();
  rows_ = new QWidget(this);
  auto* column = new QVBoxLayout(rows_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(row_spacing);
  for (const tuner::HyperparameterDeclaration& declaration : declarations) add_row(declaration, *column);
  layout()->addWidget(rows_);
  emit changed();
}

/** Adds a row in which name and field share the available width; a long name wraps. */
void HyperparameterForm::add_row(const tuner::HyperparameterDeclaration& declaration, QVBoxLayout& column) {
  Field field{declaration, make_editor(declaration),
              new WrappedLabel(style::TextSize::Small, &style::Colours::warning, rows_)};
  field.editor->setMinimumWidth(min_field_width);
  field.editor->setToolTip(help_text(declaration));
  field.editor->setAccessibleName(QString::fromStdString(declaration.name));
  field.editor->setAccessibleDescription(QString::fromStdString(declaration.documentation));
  field.error->hide();
  const QString unit = QString::fromStdString(declaration.unit);
  QString name = QString::fromStdString(declaration.name).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!unit.isEmpty()) name += QStringLiteral(" (%1)").arg(unit);
  auto* label = new WrappedLabel(style::TextSize::Normal, &style::Colours::text, rows_);
  label->setText(name);
  label->setToolTip(field.editor->toolTip());
  label->setBuddy(field.editor);
  auto* row = new QHBoxLayout;
  row->setSpacing(2 * row_spacing);
  row->addWidget(label, 3);
  row->addWidget(field.editor, 2);
  column.addLayout(row);
  column.addWidget(field.error);
  fields_.push_back(field);
}

QWidget* HyperparameterForm::make_editor(const tuner::HyperparameterDeclaration& declaration) {
  if (!declaration.choices.empty()) {
    auto* box = new QComboBox(rows_);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (const std::string& choice : declaration.choices) box->addItem(QString::fromStdString(choice));
    box->setCurrentText(QString::fromStdString(space::to_string(declaration.default_value)));
    connect(box, &QComboBox::currentIndexChanged, this, &HyperparameterForm::judge);
    return box;
  }
  if (const bool* value = std::get_if<bool>(&declaration.default_value)) {
    auto* box = new QCheckBox(rows_);
    box->setChecked(*value);
    connect(box, &QCheckBox::toggled, this, &HyperparameterForm::judge);
    return box;
  }
  auto* line = new QLineEdit(QString::fromStdString(space::to_string(declaration.default_value)), rows_);
  connect(line, &QLineEdit::textChanged, this, &HyperparameterForm::judge);
  return line;
}

std::string HyperparameterForm::text_of(const Field& field) {
  if (const auto* box = qobject_cast<QComboBox*>(field.editor)) return box->currentText().toStdString();
  if (const auto* box = qobject_cast<QCheckBox*>(field.editor)) return box->isChecked() ? "true" : "false";
  return qobject_cast<QLineEdit*>(field.editor)->text().trimmed().toStdString();
}

void HyperparameterForm::set_text(Field& field, const std::string& text) {
  if (auto* box = qobject_cast<QComboBox*>(field.editor)) {
    box->setCurrentText(QString::fromStdString(text));
  } else if (auto* check = qobject_cast<QCheckBox*>(field.editor)) {
    check->setChecked(text == "true");
  } else {
    qobject_cast<QLineEdit*>(field.editor)->setText(QString::fromStdString(text));
  }
}

std::map<std::string, std::string> HyperparameterForm::settings() const {
  std::map<std::string, std::string> settings;
  for (const Field& field : fields_) {
    const std::string text = text_of(field);
    if (text != space::to_string(field.declaration.default_value)) settings[field.declaration.name] = text;
  }
  return settings;
}

void HyperparameterForm::set_settings(const std::map<std::string, std::string>& settings) {
  for (Field& field : fields_) {
    const auto found = settings.find(field.declaration.name);
    set_text(field,
             found != settings.end() ? found->second : space::to_string(field.declaration.default_value));
  }
}

void HyperparameterForm::set_defaults(const tuner::SettingValues& defaults) {
  for (Field& field : fields_) {
    tuner::SettingValue& known = field.declaration.default_value;
    const auto found = defaults.find(field.declaration.name);
    if (found == defaults.end() || found->second.index() != known.index()) continue;
    const bool stood_there = text_of(field) == space::to_string(known);
    known = found->second;
    field.editor->setToolTip(help_text(field.declaration));
    if (stood_there) set_text(field, space::to_string(known));
  }
}

QString HyperparameterForm::error_of(const Field& field) const {
  const Result<tuner::SettingValues> parsed = tuner::parse_settings(
      owner_, std::span(&field.declaration, 1), {{field.declaration.name, text_of(field)}});
  return parsed ? QString() : QString::fromStdString(parsed.error().message);
}

QString HyperparameterForm::problem() const {
  for (const Field& field : fields_) {
    if (const QString error = error_of(field); !error.isEmpty()) return error;
  }
  return {};
}

/** Shows errors below their fields while the user types. */
void HyperparameterForm::judge() {
  for (Field& field : fields_) {
    const QString error = error_of(field);
    field.error->setText(error);
    field.error->setVisible(!error.isEmpty());
  }
  emit changed();
}

}  // namespace kernelscape::widgets
