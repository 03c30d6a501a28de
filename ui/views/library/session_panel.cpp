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
#include <map>
#include <string_view>

#include "core/base/text.h"
#include "core/schedule/target.h"
#include "core/trial/baselines.h"
#include "core/trial/measure_options.h"
#include "ui/models/session_text.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace kernelscape::views {
namespace {

const char* const fact_names[] = {
    QT_TRANSLATE_NOOP("SessionPanel", "Warnings"),  QT_TRANSLATE_NOOP("SessionPanel", "Task"),
    QT_TRANSLATE_NOOP("SessionPanel", "Target"),    QT_TRANSLATE_NOOP("SessionPanel", "Device"),
    QT_TRANSLATE_NOOP("SessionPanel", "Compiler"),  QT_TRANSLATE_NOOP("SessionPanel", "Flags"),
    QT_TRANSLATE_NOOP("SessionPanel", "Threads"),   QT_TRANSLATE_NOOP("SessionPanel", "Template"),
    QT_TRANSLATE_NOOP("SessionPanel", "Tuner"),     QT_TRANSLATE_NOOP("SessionPanel", "Seed"),
    QT_TRANSLATE_NOOP("SessionPanel", "Trials"),    QT_TRANSLATE_NOOP("SessionPanel", "Session time"),
    QT_TRANSLATE_NOOP("SessionPanel", "Of vendor"), QT_TRANSLATE_NOOP("SessionPanel", "State"),
    QT_TRANSLATE_NOOP("SessionPanel", "Created"),   QT_TRANSLATE_NOOP("SessionPanel", "Origin")};

QString vendor_text(const workspace::SessionEntry& session) {
  const session::QuotedShare& vendor = session.vendor;
  if (!vendor.withheld.empty()) return QString::fromStdString(vendor.withheld);
  if (vendor.share <= 0) return style::no_number();
  return QStringLiteral("%1 %2").arg(style::format_percent(vendor.share),
                                     QString::fromStdString(vendor.text()));
}

QString state_text(const workspace::SessionEntry& session) {
  return models::session_state_and_reason(session.summary.status, session.summary.owner);
}

/**
 * Returns device, compiler, flags and threads: the conditions of the measurements. A text is empty if it is
 * not known.
 */
QStringList machine_texts(const store::SessionRecord& record) {
  const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
  if (!target) return {QString(), QString(), QString(), QString()};
  QStringList device{QString::fromStdString(target->device), QString::fromStdString(target->instructions())};
  if (target->cores > 1) device << SessionPanel::tr("%1 cores").arg(target->cores);
  device.removeAll(QString());
  const Result<trial::MeasureOptions> options = trial::stored_measure_options(record.options_json);
  // The conditions of imported kernels are not known.
  const bool ran_here = store::measured_here(record) && target->kind == schedule::TargetKind::Cpu;
  const int threads = options && ran_here ? options->kernel_threads(schedule::host_cores(*target)) : 0;
  return {device.join(QStringLiteral(", ")), QString::fromStdString(target->compiler_version),
          QString::fromStdString(base::join(target->flags, " ")),
          threads > 0 ? QString::number(threads) : QString()};
}

QStringList fact_texts(const workspace::SessionEntry& session) {
  const store::SessionRecord& record = session.summary.record;
  const Result<task::Task> task = task::task_from_json(record.task_json);
  const std::string origin = store::origin_text(record);
  return QStringList{models::notices_tip(session.notices),
                     QString::fromStdString(task ? task->text : record.task_name),
                     QString::fromStdString(record.target_name)} +
         machine_texts(record) +
         QStringList{models::kernel_maker_text(record),
                     QString::fromStdString(record.tuner),
                     QString::number(record.seed),
                     models::session_trials_text(session, models::session_budget(session)),
                     style::format_duration(session.summary.status.session_seconds),
                     vendor_text(session),
                     state_text(session),
                     models::created_text(session.summary.record.created_utc),
                     origin.empty() ? SessionPanel::tr("created here") : QString::fromStdString(origin)};
}

QStringList collection_texts(const workspace::SessionCollection& collection) {
  const std::map<std::string_view, QString> known = {
      {"Device", QString::fromStdString(collection.device)},
      {"Trials", style::format_count(collection.summary.trials)},
      {"Created", models::created_text(collection.summary.created_utc)},
      {"Origin", SessionPanel::tr("sessions imported from one file")}};
  QStringList texts;
  for (const char* name : fact_names) {
    const auto found = known.find(name);
    texts.append(found == known.end() ? QString() : found->second);
  }
  return texts;
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

SessionPanel::SessionPanel(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      pages_(new QStackedWidget(this)),
      hint_(new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text)),
      name_(new QLineEdit),
      tags_(new QLineEdit),
      note_(new QPlainTextEdit),
      best_(new widgets::WrappedLabel(style::TextSize::Large, &style::Colours::text)),
      disturbed_(new widgets::WrappedLabel(style::TextSize::Small, &style::Colours::warning)),
      facts_layout_(new QFormLayout) {
  setAccessibleName(tr("Session details"));
  hint_->setAlignment(Qt::AlignCenter);
  hint_->setWordWrap(true);
  hint_->setMargin(2 * style::grid_pixels);
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
  show_selection({}, {});
}

QSize SessionPanel::sizeHint() const { return {40 * style::grid_pixels, 60 * style::grid_pixels}; }

QWidget* SessionPanel::make_fields() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(2 * style::grid_pixels, style::grid_pixels, style::grid_pixels,
                             style::grid_pixels);
  layout->setSpacing(style::grid_pixels);
  layout->addWidget(best_);
  disturbed_->setAccessibleName(tr("Disturbances"));
  layout->addWidget(disturbed_);
  auto* fields = new QFormLayout;
  fields->setSpacing(style::grid_pixels);
  fields->addRow(tr("&Name"), name_);
  fields->addRow(tr("&Tags"), tags_);
  layout->addLayout(fields);
  name_->setAccessibleName(tr("Name of the session"));
  tags_->setAccessibleName(tr("Tags, separated by commas"));
  tags_->setPlaceholderText(tr("fast, baseline"));
  note_->setAccessibleName(tr("Note"));
  note_->setPlaceholderText(tr("Your notes"));
  note_->setTabChangesFocus(true);
  note_->setMinimumHeight(10 * style::grid_pixels);
  facts_layout_->setSpacing(style::grid_pixels / 2);
  facts_layout_->setHorizontalSpacing(2 * style::grid_pixels);
  for (const char* name : fact_names) {
    auto* value = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text);
    value->setTextFormat(Qt::PlainText);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setAccessibleName(tr(name));
    value->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    auto* label = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
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

SessionPanel::Subject SessionPanel::subject_of(const std::vector<workspace::SessionEntry>& sessions,
                                               const std::vector<workspace::SessionCollection>& collections) {
  if (sessions.size() + collections.size() != 1) return {};
  return sessions.empty() ? Subject(collections.front().summary.id, 0)
                          : Subject(0, sessions.front().summary.record.id);
}

std::string& SessionPanel::edited_name() {
  return sessions_.empty() ? collections_.front().summary.name : sessions_.front().summary.record.name;
}

store::SessionAnnotation& SessionPanel::annotation() {
  return sessions_.empty() ? collections_.front().summary.annotation : sessions_.front().summary.annotation;
}

void SessionPanel::show_selection(std::vector<workspace::SessionEntry> sessions,
                                  std::vector<workspace::SessionCollection> collections) {
  const bool another = subject_of(sessions, collections) != subject();
  if (another) save();
  sessions_ = std::move(sessions);
  collections_ = std::move(collections);
  if (edits()) {
    show_fields(another);
  } else {
    show_several();
  }
}

void SessionPanel::show_several() {
  const std::size_t count = sessions_.size() + collections_.size();
  hint_->setText(count == 0 ? tr("Select a session to see its set-up and results, and to write a note.")
                 : !collections_.empty() ? tr("%1 sessions and collections are selected.")
                                               .arg(style::format_count(static_cast<qint64>(count)))
                 : count == 2
                     ? tr("2 sessions are selected. \u201cSide by side\u201d shows what they have in common "
                          "and where they differ.")
                     : tr("%1 sessions are selected.").arg(style::format_count(static_cast<qint64>(count))));
  pages_->setCurrentIndex(0);
}

void SessionPanel::show_fields(bool another) {
  const bool of_session = !sessions_.empty();
  const QString note = QString::fromStdString(annotation().note);
  if (another || !name_->isModified()) {
    name_->setText(QString::fromStdString(edited_name()));
    name_->setPlaceholderText(of_session ? models::session_title(sessions_.front()) : QString());
    name_->setAccessibleName(of_session ? tr("Name of the session") : tr("Name of the collection"));
  }
  if (another || !tags_->isModified())
    tags_->setText(models::tags_of(annotation()).join(QStringLiteral(", ")));
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
  const workspace::SessionEntry* session = sessions_.empty() ? nullptr : &sessions_.front();
  best_->setText(session ? models::session_best_text(*session)
                         : models::collection_count_text(collections_.front()));
  const QStringList texts = session ? fact_texts(*session) : collection_texts(collections_.front());
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    const QString& text = texts[static_cast<int>(i)];
    facts_[i]->setText(text);
    facts_layout_->setRowVisible(facts_[i], !text.isEmpty());
  }
  disturbed_->setText(session ? models::disturbance_text(session->notices) : QString());
  disturbed_->setToolTip(session ? models::notices_tip(session->notices) : QString());
  disturbed_->setVisible(!disturbed_->text().isEmpty());
}

/** Sets the completion to the tags of other sessions. */
void SessionPanel::suggest_tags() {
  QSet<QString> known;
  for (const workspace::SessionEntry& session : *workspace_.sessions()) {
    for (const QString& tag : models::tags_of(session.summary.annotation)) known.insert(tag);
  }
  for (const workspace::SessionCollection& collection : *workspace_.collections()) {
    for (const QString& tag : models::tags_of(collection.summary.annotation)) known.insert(tag);
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
  if (!edits()) return;
  const auto [collection, session] = subject();
  const auto write = [&](auto of_collection, auto of_session, const auto& value) {
    workspace_.write([&](store::Store& store) {
      return collection != 0 ? (store.studies().*of_collection)(collection, value)
                             : (store.sessions().*of_session)(session, value);
    });
  };
  const std::string name = name_->text().trimmed().toStdString();
  // A session without a name shows a name derived from its task; a collection has no such name.
  if (name_->isModified() && name.empty() && collection != 0)
    name_->setText(QString::fromStdString(edited_name()));  // no longer modified
  if (name_->isModified()) {
    edited_name() = name;
    name_->setModified(false);
    write(&store::Studies::set_name, &store::Sessions::set_name, name);
  }
  if (tags_->isModified()) {
    annotation().tags = parse_tags(tags_->text());
    tags_->setText(models::tags_of(annotation()).join(QStringLiteral(", ")));
    tags_->setModified(false);
    write(&store::Studies::set_tags, &store::Sessions::set_tags, annotation().tags);
  }
  if (note_->document()->isModified()) {
    annotation().note = note_->toPlainText().toStdString();
    note_->document()->setModified(false);
    write(&store::Studies::set_note, &store::Sessions::set_note, annotation().note);
  }
}

void SessionPanel::take_back() {
  name_->setModified(false);
  tags_->setModified(false);
  note_->document()->setModified(false);
  if (edits()) show_fields(true);
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

}  // namespace kernelscape::views
