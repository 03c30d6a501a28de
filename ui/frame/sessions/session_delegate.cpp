#include "ui/frame/sessions/session_delegate.h"

#include <QPainter>
#include <algorithm>

#include "ui/models/session_model.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape::frame {
namespace {

constexpr int state_mark_width = 3;
constexpr int sparkline_width = 64;
constexpr int mark_size = 12;
constexpr int progress_height = 2;

QColor state_colour(const workspace::SessionEntry& session) {
  switch (session.summary.status.state) {
    case store::SessionState::Running:
      return style::colours().accent;
    case store::SessionState::Interrupted:
      return style::colours().warning;
    case store::SessionState::Failed:
      return style::colours().of(trial::ErrorCategory::RuntimeDevice).colour;
    default:
      return style::colours().muted_text;
  }
}

/**
 * Returns the state: "done", or "running elsewhere" for a session of another process, which can't be paused
 * from this window.
 */
QString state_words(const workspace::SessionEntry& session) {
  const bool elsewhere =
      models::session_runs(session) && session.summary.owner != store::Owner::this_process();
  return elsewhere ? SessionDelegate::tr("running elsewhere") : models::session_state_text(session);
}

/** The contents of a painted row. */
struct Row {
  const workspace::SessionEntry& session;
  const trial::Budget& budget;
  QColor text;
  QColor muted;
};

/** Paints a small icon with its left side at `left`, vertically centred in the line. */
void paint_mark(QPainter& painter, const QString& name, const QRect& line, int left) {
  style::icon(name).paint(&painter, QRect(left, line.center().y() - mark_size / 2, mark_size, mark_size));
}

void paint_first_line(QPainter& painter, const Row& row, QRect line, bool pinned) {
  painter.setFont(style::font_of(style::TextSize::Normal));
  const QString best = models::session_speed_text(row.session);
  int best_width = painter.fontMetrics().horizontalAdvance(best) + style::grid_pixels;
  const bool confirmed = row.session.best.confirmed() && store::measured_here(row.session.summary.record);
  painter.setPen(confirmed ? row.text : row.muted);
  painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, best);
  if (std::ranges::any_of(row.session.notices, trial::disturbs)) {
    best_width += mark_size;
    paint_mark(painter, QStringLiteral("warning"), line, line.right() - best_width + style::grid_pixels / 2);
  }
  line.setRight(line.right() - best_width);
  if (pinned) {
    paint_mark(painter, QStringLiteral("pin"), line, line.left());
    line.setLeft(line.left() + mark_size + style::grid_pixels / 2);
  }
  painter.setPen(row.text);
  const QString title =
      painter.fontMetrics().elidedText(models::session_title(row.session), Qt::ElideMiddle, line.width());
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
}

void paint_second_line(QPainter& painter, const Row& row, QRect line) {
  painter.setFont(style::font_of(style::TextSize::Small));
  const int dot = style::grid_pixels;
  painter.setPen(Qt::NoPen);
  painter.setBrush(state_colour(row.session));
  const QRectF place(line.left(), line.center().y() - dot / 2.0 + 1, dot - 1, dot - 1);
  if (row.session.summary.status.state == store::SessionState::Running) {
    painter.drawEllipse(place);
  } else {
    painter.drawRect(place);
  }
  const QRectF area(line.right() - sparkline_width, line.top() + 2, sparkline_width, line.height() - 3);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(style::colours().accent, 1.25));
  painter.drawPolyline(sparkline(row.session, area));
  line.setLeft(line.left() + dot + style::grid_pixels / 2);
  line.setRight(line.right() - sparkline_width - style::grid_pixels);
  painter.setPen(row.muted);
  // Sessions of the same task are distinguished by their number and time.
  const store::SessionRecord& record = row.session.summary.record;
  const QString words =
      QStringLiteral("#%1  %2  %3  %4")
          .arg(record.id)
          .arg(state_words(row.session), models::session_trials_text(row.session, row.budget),
               models::short_created_text(record.created_utc, QDate::currentDate()));
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(words, Qt::ElideRight, line.width()));
}

void paint_focus_ring(QPainter& painter, const QRect& place) {
  painter.setPen(QPen(style::colours().focus_ring, 1));
  painter.drawRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5));
}

/** Paints a collection: name with its triangle; number of sessions, device and time. */
void paint_collection(QPainter& painter, const QStyleOptionViewItem& option,
                      const workspace::SessionCollection& collection, bool open) {
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  if (selected) painter.fillRect(option.rect, style::colours().selection);
  const QRect inner = option.rect.adjusted(style::grid_pixels + state_mark_width, style::grid_pixels,
                                           -style::grid_pixels, -style::grid_pixels);
  painter.setFont(style::font_of(style::TextSize::Normal));
  const int first_height = painter.fontMetrics().height();
  const QString mark = open ? QStringLiteral("\u25be ") : QStringLiteral("\u25b8 ");
  painter.setPen(selected ? style::colours().selection_text : style::colours().text);
  painter.drawText(QRect(inner.left(), inner.top(), inner.width(), first_height),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(mark + models::collection_title(collection),
                                                    Qt::ElideMiddle, inner.width()));
  painter.setFont(style::font_of(style::TextSize::Small));
  painter.setPen(selected ? style::colours().selection_text : style::colours().muted_text);
  const QString words =
      QStringLiteral("%1  %2  %3")
          .arg(models::collection_count_text(collection), QString::fromStdString(collection.device),
               models::short_created_text(collection.summary.created_utc, QDate::currentDate()));
  painter.drawText(QRect(inner.left(), inner.top() + first_height + style::grid_pixels / 2, inner.width(),
                         painter.fontMetrics().height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(words, Qt::ElideRight, inner.width()));
  painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                   style::colours().hairline);
  if (option.state.testFlag(QStyle::State_HasFocus)) paint_focus_ring(painter, option.rect);
}

}  // namespace

QPolygonF sparkline(const workspace::SessionEntry& session, const QRectF& area) {
  const auto& points = session.improvements;
  const auto trials = static_cast<double>(session.summary.status.trial_count);
  if (points.empty() || trials < 2) return {};
  const double best = 1 / points.back().median_seconds;
  const auto place = [&](double trial, double speed) {
    return QPointF(area.left() + area.width() * std::min(1.0, trial / trials),
                   area.bottom() - area.height() * speed / best);
  };
  QPolygonF line;
  double speed = 0;
  line.append(place(0, 0));
  for (const analysis::ImprovementPoint& point : points) {
    const auto trial = static_cast<double>(point.row + 1);
    line.append(place(trial, speed));
    speed = 1 / point.median_seconds;
    line.append(place(trial, speed));
  }
  line.append(place(trials, speed));
  return line;
}

SessionDelegate::SessionDelegate(const workspace::Workspace& workspace, QObject* parent)
    : QStyledItemDelegate(parent), workspace_(workspace) {}

QSize SessionDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  const int lines = QFontMetrics(style::font_of(style::TextSize::Normal)).height() +
                    QFontMetrics(style::font_of(style::TextSize::Small)).height();
  return {3 * sparkline_width, lines + 2 * style::grid_pixels + style::grid_pixels / 2};
}

void SessionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const auto* model = qobject_cast<const models::SessionModel*>(index.model());
  if (model == nullptr) return;
  if (const workspace::SessionCollection* collection = model->collection(index)) {
    painter->save();
    paint_collection(*painter, option, *collection, model->is_open(collection->summary.id));
    painter->restore();
    return;
  }
  const workspace::SessionEntry* session = model->session(index);
  if (session == nullptr) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  if (selected) painter->fillRect(option.rect, style::colours().selection);
  const store::SessionId id = session->summary.record.id;
  if (workspace_.opened() == id)
    painter->fillRect(QRect(option.rect.topLeft(), QSize(state_mark_width, option.rect.height())),
                      style::colours().accent);
  const Row row{*session, model->budget(index),
                selected ? style::colours().selection_text : style::colours().text,
                selected ? style::colours().selection_text : style::colours().muted_text};
  const int indent = model->is_member(index) ? 2 * style::grid_pixels : 0;
  const QRect inner = option.rect.adjusted(style::grid_pixels + state_mark_width + indent, style::grid_pixels,
                                           -style::grid_pixels, -style::grid_pixels);
  const int first_height = QFontMetrics(style::font_of(style::TextSize::Normal)).height();
  paint_first_line(*painter, row, QRect(inner.left(), inner.top(), inner.width(), first_height),
                   workspace_.pinned().contains(id));
  paint_second_line(*painter, row,
                    QRect(inner.left(), inner.top() + first_height + style::grid_pixels / 2, inner.width(),
                          QFontMetrics(style::font_of(style::TextSize::Small)).height()));
  const QRect bottom(option.rect.left(), option.rect.bottom() + 1 - progress_height, option.rect.width(),
                     progress_height);
  painter->fillRect(bottom.adjusted(0, progress_height - 1, 0, 0), style::colours().hairline);
  const double progress = models::session_progress(*session, model->budget(index));
  if (models::session_runs(*session) && progress > 0)
    painter->fillRect(
        QRect(bottom.topLeft(), QSize(static_cast<int>(bottom.width() * progress), progress_height)),
        style::colours().accent);
  if (option.state.testFlag(QStyle::State_HasFocus)) paint_focus_ring(*painter, option.rect);
  painter->restore();
}

}  // namespace kernelscape::frame
