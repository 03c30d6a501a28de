#include "ui/frame/sessions/session_delegate.h"

#include <QPainter>
#include <algorithm>

#include "ui/models/session_model.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/workspace/session_watch.h"

namespace kernelscape {
namespace {

constexpr int state_mark_width = 3;
constexpr int sparkline_width = 64;
constexpr int mark_size = 12;
constexpr int progress_height = 2;

QColor state_colour(const SessionEntry& session) {
  switch (session.summary.status.state) {
    case SessionState::Running:
      return colours().accent;
    case SessionState::Interrupted:
      return colours().warning;
    case SessionState::Failed:
      return colours().of(ErrorCategory::RuntimeDevice).colour;
    default:
      return colours().muted_text;
  }
}

/**
 * Returns the state: "done", or "running elsewhere" for a session of another process, which can't be paused
 * from this window.
 */
QString state_words(const SessionEntry& session) {
  const bool elsewhere = session_runs(session) && session.summary.owner != Owner::this_process();
  return elsewhere ? SessionDelegate::tr("running elsewhere") : session_state_text(session);
}

/** The contents of a painted row. */
struct Row {
  const SessionEntry& session;
  const Budget& budget;
  QColor text;
  QColor muted;
};

/** Paints a small icon with its left side at `left`, vertically centred in the line. */
void paint_mark(QPainter& painter, const QString& name, const QRect& line, int left) {
  icon(name).paint(&painter, QRect(left, line.center().y() - mark_size / 2, mark_size, mark_size));
}

void paint_first_line(QPainter& painter, const Row& row, QRect line, bool pinned) {
  painter.setFont(font_of(TextSize::Normal));
  const QString best = session_speed_text(row.session);
  int best_width = painter.fontMetrics().horizontalAdvance(best) + grid_pixels;
  const bool confirmed = row.session.confirmed_seconds && measured_here(row.session.summary.record);
  painter.setPen(confirmed ? row.text : row.muted);
  painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, best);
  if (std::ranges::any_of(row.session.notices, disturbs)) {
    best_width += mark_size;
    paint_mark(painter, QStringLiteral("warning"), line, line.right() - best_width + grid_pixels / 2);
  }
  line.setRight(line.right() - best_width);
  if (pinned) {
    paint_mark(painter, QStringLiteral("pin"), line, line.left());
    line.setLeft(line.left() + mark_size + grid_pixels / 2);
  }
  painter.setPen(row.text);
  const QString title =
      painter.fontMetrics().elidedText(session_title(row.session), Qt::ElideMiddle, line.width());
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
}

void paint_second_line(QPainter& painter, const Row& row, QRect line) {
  painter.setFont(font_of(TextSize::Small));
  const int dot = grid_pixels;
  painter.setPen(Qt::NoPen);
  painter.setBrush(state_colour(row.session));
  const QRectF place(line.left(), line.center().y() - dot / 2.0 + 1, dot - 1, dot - 1);
  if (row.session.summary.status.state == SessionState::Running) {
    painter.drawEllipse(place);
  } else {
    painter.drawRect(place);
  }
  const QRectF area(line.right() - sparkline_width, line.top() + 2, sparkline_width, line.height() - 3);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colours().accent, 1.25));
  painter.drawPolyline(sparkline(row.session, area));
  line.setLeft(line.left() + dot + grid_pixels / 2);
  line.setRight(line.right() - sparkline_width - grid_pixels);
  painter.setPen(row.muted);
  // Sessions of the same task are distinguished by their number and time.
  const SessionRecord& record = row.session.summary.record;
  const QString words = QStringLiteral("#%1  %2  %3  %4")
                            .arg(record.id)
                            .arg(state_words(row.session), session_trials_text(row.session, row.budget),
                                 short_created_text(record.created_utc, QDate::currentDate()));
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(words, Qt::ElideRight, line.width()));
}

void paint_focus_ring(QPainter& painter, const QRect& place) {
  painter.setPen(QPen(colours().focus_ring, 1));
  painter.drawRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5));
}

/** Paints a collection: name with its triangle; number of sessions, device and time. */
void paint_collection(QPainter& painter, const QStyleOptionViewItem& option,
                      const SessionCollection& collection, bool open) {
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  if (selected) painter.fillRect(option.rect, colours().selection);
  const QRect inner =
      option.rect.adjusted(grid_pixels + state_mark_width, grid_pixels, -grid_pixels, -grid_pixels);
  painter.setFont(font_of(TextSize::Normal));
  const int first_height = painter.fontMetrics().height();
  const QString mark = open ? QStringLiteral("\u25be ") : QStringLiteral("\u25b8 ");
  painter.setPen(selected ? colours().selection_text : colours().text);
  painter.drawText(
      QRect(inner.left(), inner.top(), inner.width(), first_height), Qt::AlignLeft | Qt::AlignVCenter,
      painter.fontMetrics().elidedText(mark + collection_title(collection), Qt::ElideMiddle, inner.width()));
  painter.setFont(font_of(TextSize::Small));
  painter.setPen(selected ? colours().selection_text : colours().muted_text);
  const QString words = QStringLiteral("%1  %2  %3")
                            .arg(collection_count_text(collection), QString::fromStdString(collection.device),
                                 short_created_text(collection.summary.created_utc, QDate::currentDate()));
  painter.drawText(QRect(inner.left(), inner.top() + first_height + grid_pixels / 2, inner.width(),
                         painter.fontMetrics().height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(words, Qt::ElideRight, inner.width()));
  painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                   colours().hairline);
  if (option.state.testFlag(QStyle::State_HasFocus)) paint_focus_ring(painter, option.rect);
}

}  // namespace

QPolygonF sparkline(const SessionEntry& session, const QRectF& area) {
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
  for (const ImprovementPoint& point : points) {
    const auto trial = static_cast<double>(point.row + 1);
    line.append(place(trial, speed));
    speed = 1 / point.median_seconds;
    line.append(place(trial, speed));
  }
  line.append(place(trials, speed));
  return line;
}

SessionDelegate::SessionDelegate(const Workspace& workspace, QObject* parent)
    : QStyledItemDelegate(parent), workspace_(workspace) {}

QSize SessionDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  const int lines =
      QFontMetrics(font_of(TextSize::Normal)).height() + QFontMetrics(font_of(TextSize::Small)).height();
  return {3 * sparkline_width, lines + 2 * grid_pixels + grid_pixels / 2};
}

void SessionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const auto* model = qobject_cast<const SessionModel*>(index.model());
  if (model == nullptr) return;
  if (const SessionCollection* collection = model->collection(index)) {
    painter->save();
    paint_collection(*painter, option, *collection, model->is_open(collection->summary.id));
    painter->restore();
    return;
  }
  const SessionEntry* session = model->session(index);
  if (session == nullptr) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  if (selected) painter->fillRect(option.rect, colours().selection);
  const SessionId id = session->summary.record.id;
  if (workspace_.opened() == id)
    painter->fillRect(QRect(option.rect.topLeft(), QSize(state_mark_width, option.rect.height())),
                      colours().accent);
  const Row row{*session, model->budget(index), selected ? colours().selection_text : colours().text,
                selected ? colours().selection_text : colours().muted_text};
  const int indent = model->is_member(index) ? 2 * grid_pixels : 0;
  const QRect inner =
      option.rect.adjusted(grid_pixels + state_mark_width + indent, grid_pixels, -grid_pixels, -grid_pixels);
  const int first_height = QFontMetrics(font_of(TextSize::Normal)).height();
  paint_first_line(*painter, row, QRect(inner.left(), inner.top(), inner.width(), first_height),
                   workspace_.pinned().contains(id));
  paint_second_line(*painter, row,
                    QRect(inner.left(), inner.top() + first_height + grid_pixels / 2, inner.width(),
                          QFontMetrics(font_of(TextSize::Small)).height()));
  const QRect bottom(option.rect.left(), option.rect.bottom() + 1 - progress_height, option.rect.width(),
                     progress_height);
  painter->fillRect(bottom.adjusted(0, progress_height - 1, 0, 0), colours().hairline);
  const double progress = session_progress(*session, model->budget(index));
  if (session_runs(*session) && progress > 0)
    painter->fillRect(
        QRect(bottom.topLeft(), QSize(static_cast<int>(bottom.width() * progress), progress_height)),
        colours().accent);
  if (option.state.testFlag(QStyle::State_HasFocus)) paint_focus_ring(*painter, option.rect);
  painter->restore();
}

}  // namespace kernelscape
