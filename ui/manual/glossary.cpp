#include "ui/manual/glossary.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QRegularExpression>
#include <QTextDocument>
#include <QToolTip>
#include <QWhatsThis>
#include <algorithm>

#include "ui/manual/page.h"
#include "ui/style/plain_texts.h"

namespace kernelscape::manual {
namespace {

QString normal_label(QString label) {
  static const QRegularExpression brackets(QStringLiteral("[(\\[][^)\\]]*[)\\]]"));
  static const QRegularExpression numbers(QStringLiteral("\\b[0-9.]+ ?%?"));
  label = label.toLower().section(QLatin1Char(','), 0, 0).section(QStringLiteral(" · "), 0, 0);
  return label.remove(brackets).remove(numbers).simplified();
}

std::vector<GlossaryEntry> read_glossary() {
  static const QRegularExpression entry(QStringLiteral("^\\*\\*(.+?)\\*\\*(?: \\(also (.+?)\\))?: (.+)$"));
  std::vector<GlossaryEntry> entries;
  const Page* page = manual_page(QStringLiteral("ui/manual/glossary.md"));
  if (page == nullptr) return entries;
  for (const QString& paragraph : page->markdown.split(QStringLiteral("\n\n"))) {
    const QRegularExpressionMatch match = entry.match(paragraph.simplified());
    if (!match.hasMatch()) continue;
    entries.push_back({match.captured(1), match.captured(2).split(QStringLiteral(", "), Qt::SkipEmptyParts),
                       match.captured(3)});
  }
  return entries;
}

/** Returns the plain text of Markdown with emphasis, code and links, for a tool tip. */
QString plain_text(QString markdown) {
  static const QRegularExpression link(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)"));
  markdown.replace(link, QStringLiteral("\\1"));
  return markdown.remove(QLatin1Char('`')).remove(QStringLiteral("**"));
}

QString text_of(const GlossaryEntry& entry) {
  return QStringLiteral("%1: %2").arg(entry.term, plain_text(entry.text));
}

const GlossaryEntry* entry_at(const QHeaderView& header, QPoint position, QString* own_tip) {
  const int section = header.logicalIndexAt(position);
  const QAbstractItemModel* model = header.model();
  if (section < 0 || model == nullptr || header.orientation() != Qt::Horizontal) return nullptr;
  *own_tip = model->headerData(section, Qt::Horizontal, Qt::ToolTipRole).toString();
  return explained(model->headerData(section, Qt::Horizontal).toString());
}

}  // namespace

const std::vector<GlossaryEntry>& glossary() {
  static const std::vector<GlossaryEntry> entries = read_glossary();
  return entries;
}

const GlossaryEntry* explained(const QString& label) {
  const QString wanted = normal_label(label);
  if (wanted.isEmpty()) return nullptr;
  for (const GlossaryEntry& entry : glossary()) {
    const auto names = [&](const QString& name) { return normal_label(name) == wanted; };
    if (names(entry.term) || std::ranges::any_of(entry.others, names)) return &entry;
  }
  return nullptr;
}

HeaderExplainer::HeaderExplainer(QObject* parent) : QObject(parent) {}

bool HeaderExplainer::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type != QEvent::ToolTip && type != QEvent::QueryWhatsThis && type != QEvent::WhatsThis) return false;
  const auto* header = qobject_cast<QHeaderView*>(watched->parent());
  if (header == nullptr || header->viewport() != watched) return false;
  const auto* help = static_cast<QHelpEvent*>(event);
  QString own_tip;
  const GlossaryEntry* entry = entry_at(*header, help->pos(), &own_tip);
  if (entry == nullptr) return false;
  if (type == QEvent::ToolTip) {
    if (!own_tip.isEmpty()) return false;
    QToolTip::showText(help->globalPos(), style::tip_lines(text_of(*entry)), header->viewport());
  } else if (type == QEvent::QueryWhatsThis) {
    event->accept();
  } else {
    QWhatsThis::showText(help->globalPos(), Qt::convertFromPlainText(text_of(*entry)), header->viewport());
  }
  return true;
}

}  // namespace kernelscape::manual
