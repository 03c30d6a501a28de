#include "ui/views/compare/choice_box.h"

#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QSignalBlocker>
#include <algorithm>

namespace kernelscape::views {

QComboBox* make_choice_box(const QString& name, int characters) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(characters);
  return box;
}

void add_labelled_box(QLayout* line, const QString& text, QComboBox* box) {
  auto* label = new QLabel(text);
  label->setBuddy(box);
  line->addWidget(label);
  line->addWidget(box);
}

void fill_choice_box(QComboBox* box, const QStringList& texts, const QVariantList& data,
                     const QVariant& chosen) {
  const QSignalBlocker quiet(box);
  bool same = box->count() == texts.size();
  for (int i = 0; same && i < box->count(); ++i) same = box->itemData(i) == data[i];
  if (!same) box->clear();
  for (int i = 0; i < texts.size(); ++i) {
    if (!same) box->addItem(texts[i], data[i]);
    if (box->itemText(i) != texts[i]) box->setItemText(i, texts[i]);
  }
  box->setCurrentIndex(std::max(0, box->findData(chosen)));
}

QVariant position_data(std::optional<std::size_t> position) {
  return position ? QVariant(static_cast<int>(*position)) : QVariant(-1);
}

std::optional<std::size_t> position_of(const QComboBox* box) {
  const int position = box->currentData().toInt();
  return position < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(position));
}

}  // namespace kernelscape::views
