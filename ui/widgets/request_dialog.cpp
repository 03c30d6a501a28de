#include "ui/widgets/request_dialog.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>

#include "ui/widgets/themed_label.h"

namespace kernelscape::widgets {

RequestDialog::RequestDialog(const QString& title, QWidget* parent)
    : QDialog(parent),
      message_(new ThemedLabel(style::TextSize::Normal, &style::Colours::text)),
      seed_(new QLineEdit(QStringLiteral("1"))),
      start_(new QPushButton(tr("Start"))) {
  setWindowTitle(title);
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
  seed_->setAccessibleName(tr("Seed"));
}

QLayout* RequestDialog::make_buttons(const QList<QPushButton*>& others) {
  auto* close_button = new QPushButton(tr("Close"));
  start_->setDefault(true);
  connect(start_, &QPushButton::clicked, this, &RequestDialog::start);
  connect(close_button, &QPushButton::clicked, this, &QDialog::reject);
  auto* line = new QHBoxLayout;
  line->setSpacing(style::grid_pixels);
  for (QPushButton* button : others) line->addWidget(button);
  line->addStretch(1);
  line->addWidget(close_button);
  line->addWidget(start_);
  return line;
}

void RequestDialog::set_usual_size(QSize size) {
  constexpr QSize decoration(16, 48);  // title bar and borders
  resize((size * style::text_scale()).boundedTo(screen()->availableSize() - decoration));
}

QWidget& RequestDialog::message_line() { return *message_; }

QString RequestDialog::message() const { return message_->text(); }

void RequestDialog::notify(const QString& text, QColor style::Colours::* colour) {
  message_->set_colour(colour);
  message_->setText(text);
}

void RequestDialog::show_problem(const QString& problem) { notify(problem, &style::Colours::warning); }

Result<std::uint64_t> RequestDialog::seed() const {
  bool whole = false;
  const std::uint64_t seed = seed_->text().trimmed().toULongLong(&whole);
  if (whole) return seed;
  return fail(ErrorCode::InvalidArgument, "the seed \"" + seed_->text().toStdString() + "\" is not a number",
              "enter a whole number of at least 0");
}

void RequestDialog::take_created(qint64 request, qint64 id) {
  if (request != awaited_) return;
  awaited_ = 0;
  let_start_again();
  hide();
  emit created(id);
}

void RequestDialog::take_refused(qint64 request, const QString& message) {
  if (request != awaited_) return;
  awaited_ = 0;
  let_start_again();
  show_problem(message);
}

}  // namespace kernelscape::widgets
