#include "ui/frame/first_start_page.h"

#include <QAbstractButton>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/exchange/importer.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/scrolled_content.h"

namespace kernelscape::frame {
namespace {

constexpr int card_width = 560;
constexpr int card_icon_size = 32;

/** A button with an icon, a title and a sentence. */
class Card : public QAbstractButton {
 public:
  Card(const QString& icon_name, const QString& title, const QString& sentence, QWidget* parent)
      : QAbstractButton(parent), sentence_(sentence) {
    setText(title);
    setIcon(kernelscape::style::icon(icon_name));
    setAccessibleName(title);
    setAccessibleDescription(sentence);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  }

  QSize sizeHint() const override {
    const QFontMetrics title(style::font_of(style::TextSize::Normal));
    const int height = title.height() + style::grid_pixels / 2 + sentence_rectangle(0).height();
    return {card_width, std::max(height, card_icon_size) + 4 * style::grid_pixels};
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool marked = hasFocus() || underMouse();
    painter.setBrush(isDown() ? style::colours().window : style::colours().surface);
    painter.setPen(QPen(hasFocus() ? style::colours().focus_ring
                        : marked   ? style::colours().accent
                                   : style::colours().hairline,
                        hasFocus() ? 2 : 1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    icon().paint(&painter, QRect(2 * style::grid_pixels, (height() - card_icon_size) / 2, card_icon_size,
                                 card_icon_size));
    QFont title = style::font_of(style::TextSize::Normal);
    title.setBold(true);
    painter.setFont(title);
    painter.setPen(style::colours().text);
    const int left = card_icon_size + 4 * style::grid_pixels;
    painter.drawText(QRect(left, 2 * style::grid_pixels, width() - left - style::grid_pixels,
                           painter.fontMetrics().height()),
                     Qt::AlignLeft, text());
    painter.setPen(style::colours().muted_text);
    const QRect below =
        sentence_rectangle(2 * style::grid_pixels + painter.fontMetrics().height() + style::grid_pixels / 2);
    painter.setFont(style::font_of(style::TextSize::Normal));
    painter.drawText(below, Qt::AlignLeft | Qt::TextWordWrap, sentence_);
  }

  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
    QAbstractButton::keyPressEvent(event);
  }
  void enterEvent(QEnterEvent*) override { update(); }
  void leaveEvent(QEvent*) override { update(); }

 private:
  QRect sentence_rectangle(int top) const {
    const int left = card_icon_size + 4 * style::grid_pixels;
    const QRect room(left, top, card_width - left - 2 * style::grid_pixels, 1000);
    return QFontMetrics(style::font_of(style::TextSize::Normal))
        .boundingRect(room, Qt::AlignLeft | Qt::TextWordWrap, sentence_);
  }

  QString sentence_;
};

}  // namespace

FirstStartPage::FirstStartPage(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(tr("What would you like to do first?"), this)),
      tune_(new Card(QStringLiteral("tune"), tr("Tune a layer on this CPU now"),
                     tr("Searches for the fastest kernel of resnet18/C6, a convolution of ResNet-18, for one "
                        "minute. Each trial is shown as soon as it is measured."),
                     this)),
      network_(new Card(QStringLiteral("network"), tr("Tune a whole network"),
                        tr("Opens an ONNX model, shows its layers, and tunes all of them under one budget. "
                           "You can also drop the model here."),
                        this)),
      project_(new Card(QStringLiteral("kernel"), tr("Tune your own kernel"),
                        tr("Writes a small example project in C, with a kernel, its parameters and a "
                           "reference, into a folder that you choose, and opens it. You can drop your own "
                           "project in CUDA, OpenCL or C here."),
                        this)),
      explore_(new Card(QStringLiteral("explore"), tr("Explore a recorded space"),
                        tr("Shows twenty thousand measured kernels of resnet18/C12: which knobs determine "
                           "the speed, and how the knobs interact."),
                        this)),
      open_(new Card(QStringLiteral("library"), tr("Open or import"),
                     tr("Opens or imports %1, or another database. You can also drop the files here.")
                         .arg(QString::fromStdString(base::join(exchange::importable_files(), ", "))),
                     this)) {
  setAccessibleName(tr("First start"));
  auto* skip = new QPushButton(tr("Not now"), this);
  skip->setFlat(true);
  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setSpacing(2 * style::grid_pixels);
  column->addStretch(1);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{title_, tune_, network_, project_, explore_, open_, skip})
    column->addWidget(widget, 0, Qt::AlignHCenter);
  column->addStretch(2);
  // In a small window, or with large text, the cards scroll, so that no sentence is cut.
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(new widgets::ScrolledContent(content, this));
  setFocusProxy(tune_);
  set_fonts();
  set_can_explore(false);
  connect(tune_, &QAbstractButton::clicked, this, &FirstStartPage::tune_requested);
  connect(network_, &QAbstractButton::clicked, this, &FirstStartPage::network_requested);
  connect(project_, &QAbstractButton::clicked, this, &FirstStartPage::project_requested);
  connect(explore_, &QAbstractButton::clicked, this, &FirstStartPage::explore_requested);
  connect(open_, &QAbstractButton::clicked, this, &FirstStartPage::open_requested);
  connect(skip, &QPushButton::clicked, this, &FirstStartPage::dismissed);
}

void FirstStartPage::set_can_explore(bool can_explore) { explore_->setVisible(can_explore); }

void FirstStartPage::set_fonts() {
  if (title_->font() != style::font_of(style::TextSize::Large))
    title_->setFont(style::font_of(style::TextSize::Large));
  for (QAbstractButton* card : {tune_, network_, project_, explore_, open_}) card->updateGeometry();
}

void FirstStartPage::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) set_fonts();
  QWidget::changeEvent(event);
}

}  // namespace kernelscape::frame
