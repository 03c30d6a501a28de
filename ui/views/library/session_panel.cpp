#include "ui/views/library/session_panel.h"

#include <QCompleter>
#include <QFormLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSet>
#include <QStackedWidget>
#include <QStringListModel>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "core/schedule/target.h"
#include "core/trial/baselines.h"
#include "core/trial/measure_options.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape {
namespace {

const char* const fact_names[] = {
    QT_TRANSLATE_NOOP("SessionPanel", "Noted"),     QT_TRANSLATE_NOOP("SessionPanel", "Task"),
    QT_TRANSLATE_NOOP("SessionPanel", "Target"),    QT_TRANSLATE_NOOP("SessionPanel", "Device"),
    QT_TRANSLATE_NOOP("SessionPanel", "Compiler"),  QT_TRANSLATE_NOOP("SessionPanel", "Flags"),
    QT_TRANSLATE_NOOP("SessionPanel", "Threads"),   QT_TRANSLATE_NOOP("SessionPanel", "Template"),
    QT_TRANSLATE_NOOP("SessionPanel", "Tuner"),     QT_TRANSLATE_NOOP("SessionPanel", "Seed"),
    QT_TRANSLATE_NOOP("SessionPanel", "Trials"),    QT_TRANSLATE_NOOP("SessionPanel", "Session time"),
    QT_TRANSLATE_NOOP("SessionPanel", "Of vendor"), QT_TRANSLATE_NOOP("SessionPanel", "State"),
    QT_TRANSLATE_NOOP("SessionPanel", "Created"),   QT_TRANSLATE_NOOP("SessionPanel", "Origin")};

QString vendor_text(const SessionEntry& session) {
  const Result<Baselines> baselines = baselines_from_json(session.summary.status.vendor_json);
  if (!baselines || !baselines->vendor.available() || !session.confirmed_seconds) return no_number();
  const double vendor = quartiles(baselines->vendor.samples_seconds).median;
  return SessionPanel::tr("%1 of %2")
      .arg(format_percent(vendor / session.confirmed_seconds->median),
           QString::fromStdString(baselines->vendor.name));
}

QString state_text(const SessionEntry& session) {
  return session_state_and_reason(session.summary.status, session.summary.owner);
}

/** Device, compiler, flags, threads: what the numbers hold for. Empty where it is not known. */
QStringList machine_texts(const SessionRecord& record) {
  const Result<TargetDescription> target = target_from_json(record.target_json);
  if (!target) return {QString(), QString(), QString(), QString()};
  QStringList device{QString::fromStdString(target->device), QString::fromStdString(target->isa)};
  if (target->cores > 1) device << SessionPanel::tr("%1 cores").arg(target->cores);
  device.removeAll(QString());
  const Result<MeasureOptions> options = stored_measure_options(record.options_json);
  // What a file's kernels ran with is not known.
  const bool ran_here = measured_here(record) && target->kind == TargetKind::Cpu;
  const int threads = options && ran_here ? options->kernel_threads(host_cores(*target)) : 0;
  return {device.join(QStringLiteral(", ")), QString::fromStdString(target->compiler_version),
          QString::fromStdString(join(target->flags, " ")),
          threads > 0 ? QString::number(threads) : QString()};
}

QStringList fact_texts(const SessionEntry& session) {
  const SessionRecord& record = session.summary.record;
  const Result<Task> task = task_from_json(record.task_json);
  const std::string origin = origin_text(record);
  return QStringList{notices_tip(session.notices),
                     QString::fromStdString(task ? task->text : record.task_name),
                     QString::fromStdString(record.target_name)} +
         machine_texts(record) +
         QStringList{SessionPanel::tr("%1, version %2")
                         .arg(QString::fromStdString(record.template_name))
                         .arg(record.template_version),
                     QString::fromStdString(record.tuner),
                     QString::number(record.seed),
                     session_trials_text(session, session_budget(session)),
                     format_duration(session.summary.status.session_seconds),
                     vendor_text(session),
                     state_text(session),
                     created_text(session.summary.record.created_utc),
                     origin.empty() ? SessionPanel::tr("made here") : QString::fromStdString(origin)};
}

}  // namespace

std::vector<std::string> parse_tags(const QString& text) {
  std::vector<std::string> tags;
  for (const QString& part : text.split(QLatin1Char(','))) {
    const std::string tag = part.simplified().toStdString();
    if (!tag.empty() && std::ranges::find(tags, tag) == tags.end()) tags.push_back(tag);
  }
  return tags;
}

SessionPanel::SessionPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      pages_(new QStackedWidget(this)),
      hint_(new ThemedLabel(TextSize::Normal, &Colours::muted_text)),
      name_(new QLineEdit),
      tags_(new QLineEdit),
      note_(new QPlainTextEdit),
      best_(new ThemedLabel(TextSize::Large, &Colours::text)),
      disturbed_(new ThemedLabel(TextSize::Small, &Colours::warning)),
      facts_layout_(new QFormLayout) {
  setAccessibleName(tr("Session details"));
  hint_->setAlignment(Qt::AlignCenter);
  hint_->setWordWrap(true);
  hint_->setMargin(2 * grid_pixels);
  pages_->addWidget(hint_);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(make_fields());
  pages_->addWidget(scroll);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pages_);
  show_sessions({});
}

QSize SessionPanel::sizeHint() const { return {40 * grid_pixels, 60 * grid_pixels}; }

QWidget* SessionPanel::make_fields() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(2 * grid_pixels, grid_pixels, grid_pixels, grid_pixels);
  layout->setSpacing(grid_pixels);
  layout->addWidget(best_);
  disturbed_->setWordWrap(true);
  disturbed_->setAccessibleName(tr("What disturbed it"));
  layout->addWidget(disturbed_);
  auto* fields = new QFormLayout;
  fields->setSpacing(grid_pixels);
  fields->addRow(tr("&Name"), name_);
  fields->addRow(tr("&Tags"), tags_);
  layout->addLayout(fields);
  name_->setAccessibleName(tr("Name of the session"));
  tags_->setAccessibleName(tr("Tags, separated by commas"));
  tags_->setPlaceholderText(tr("fast, baseline"));
  note_->setAccessibleName(tr("Note"));
  note_->setPlaceholderText(tr("What you want to remember of this session"));
  note_->setTabChangesFocus(true);
  note_->setMinimumHeight(10 * grid_pixels);
  facts_layout_->setSpacing(grid_pixels / 2);
  facts_layout_->setHorizontalSpacing(2 * grid_pixels);
  for (const char* name : fact_names) {
    auto* value = new QLabel;
    value->setWordWrap(true);
    value->setTextFormat(Qt::PlainText);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setAccessibleName(tr(name));
    // Long words without spaces, such as shapes, must not widen the panel.
    value->setMinimumWidth(1);
    value->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    auto* label = new ThemedLabel(TextSize::Normal, &Colours::muted_text);
    label->setText(tr(name));
    facts_layout_->addRow(label, value);
    facts_.push_back(value);
  }
  layout->addLayout(facts_layout_);
  layout->addWidget(note_, 1);
  for (QWidget* field : std::initializer_list<QWidget*>{name_, tags_, note_}) field->installEventFilter(this);
  connect(name_, &QLineEdit::editingFinished, this, &SessionPanel::save);
  connect(tags_, &QLineEdit::editingFinished, this, &SessionPanel::save);
  return page;
}

void SessionPanel::show_sessions(std::vector<SessionEntry> sessions) {
  const auto id_of = [](const std::vector<SessionEntry>& list) {
    return list.size() == 1 ? list.front().summary.record.id : SessionId{-1};
  };
  const bool another = id_of(sessions) != id_of(sessions_);
  if (another) save();
  sessions_ = std::move(sessions);
  if (sessions_.size() == 1) {
    show_session(another);
  } else {
    show_several();
  }
}

void SessionPanel::show_several() {
  hint_->setText(
      sessions_.empty()
          ? tr("Select a session to see what it was made of and to write down what you think of it.")
      : sessions_.size() == 2 ? tr("2 sessions are selected. \u201cSide by side\u201d shows what they have "
                                   "in common and where they differ.")
                              : tr("%1 sessions are selected.").arg(format_count(std::ssize(sessions_))));
  pages_->setCurrentIndex(0);
}

void SessionPanel::show_session(bool another) {
  const SessionEntry& session = sessions_.front();
  const QString note = QString::fromStdString(session.summary.annotation.note);
  if (another || !name_->isModified()) {
    name_->setText(QString::fromStdString(session.summary.record.name));
    name_->setPlaceholderText(session_title(session));
  }
  if (another || !tags_->isModified())
    tags_->setText(tags_of(session.summary.annotation).join(QStringLiteral(", ")));
  if ((another || !note_->document()->isModified()) && note_->toPlainText() != note) {
    note_->setPlainText(note);
    note_->document()->setModified(false);
  }
  if (another) note_->document()->setModified(false);
  suggest_tags();
  show_facts();
  pages_->setCurrentIndex(1);
}

void SessionPanel::show_facts() {
  const SessionEntry& session = sessions_.front();
  best_->setText(session_best_text(session));
  const QStringList texts = fact_texts(session);
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    const QString& text = texts[static_cast<int>(i)];
    facts_[i]->setText(text);
    facts_layout_->setRowVisible(facts_[i], !text.isEmpty());
  }
  disturbed_->setText(disturbance_text(session.notices));
  disturbed_->setToolTip(notices_tip(session.notices));
  disturbed_->setVisible(!disturbed_->text().isEmpty());
}

/** Tags of other sessions are completed. */
void SessionPanel::suggest_tags() {
  QSet<QString> known;
  for (const SessionEntry& session : *workspace_.sessions()) {
    for (const QString& tag : tags_of(session.summary.annotation)) known.insert(tag);
  }
  QStringList tags(known.begin(), known.end());
  tags.sort(Qt::CaseInsensitive);
  if (tags_->completer() == nullptr) {
    auto* completer = new QCompleter(new QStringListModel(tags_), tags_);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setCompletionMode(QCompleter::InlineCompletion);
    tags_->setCompleter(completer);
  }
  auto* model = qobject_cast<QStringListModel*>(tags_->completer()->model());
  if (model->stringList() != tags) model->setStringList(tags);
}

void SessionPanel::save() {
  if (sessions_.size() != 1) return;
  SessionEntry& session = sessions_.front();
  const SessionId id = session.summary.record.id;
  if (name_->isModified()) {
    session.summary.record.name = name_->text().trimmed().toStdString();
    name_->setModified(false);
    workspace_.write([&](Store& store) { return store.set_name(id, session.summary.record.name); });
  }
  if (tags_->isModified()) {
    session.summary.annotation.tags = parse_tags(tags_->text());
    tags_->setText(tags_of(session.summary.annotation).join(QStringLiteral(", ")));
    tags_->setModified(false);
    workspace_.write([&](Store& store) { return store.set_tags(id, session.summary.annotation.tags); });
  }
  if (note_->document()->isModified()) {
    session.summary.annotation.note = note_->toPlainText().toStdString();
    note_->document()->setModified(false);
    workspace_.write([&](Store& store) { return store.set_note(id, session.summary.annotation.note); });
  }
}

void SessionPanel::take_back() {
  name_->setModified(false);
  tags_->setModified(false);
  note_->document()->setModified(false);
  if (sessions_.size() == 1) show_session(true);
}

bool SessionPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut && watched == note_) save();
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (enter && (key->modifiers() & Qt::ControlModifier) != 0) {
      save();
      return true;
    }
    const bool modified = name_->isModified() || tags_->isModified() || note_->document()->isModified();
    if (key->key() == Qt::Key_Escape && modified) {
      take_back();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void SessionPanel::hideEvent(QHideEvent* event) {
  save();
  QWidget::hideEvent(event);
}

void SessionPanel::edit_name() {
  name_->setFocus(Qt::ShortcutFocusReason);
  name_->selectAll();
}

void SessionPanel::edit_tags() { tags_->setFocus(Qt::ShortcutFocusReason); }

}  // namespace kernelscape
